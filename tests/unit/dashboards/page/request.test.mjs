import assert from "node:assert/strict";
import test from "node:test";

import { body_of, field_of } from "../../../../dashboards/page/request.mjs";

test("what is left empty is the service's to choose", () => {
  assert.deepEqual(body_of({ workload: " ", mode: [], batch: "", warmup: "", device: "" }), {});
});

test("names become a list, ranges stay text, numbers become numbers", () => {
  assert.deepEqual(body_of({
    workload: "mlp, attention,", mode: ["whole"], batch: " 1, 8 ", warmup: "0:8:+2", "time-per-cell": "0.5",
    launches: "5", device: "host",
  }), {
    workload: ["mlp", "attention"], mode: ["whole"], batch: "1,8", warmup: "0:8:+2", "time-per-cell": 0.5,
    launches: 5, device: "host",
  });
});

test("what is not a number goes to the service as it is, which says so", () => {
  assert.deepEqual(body_of({ "time-per-cell": "half", launches: "Infinity" }),
    { "time-per-cell": "half", launches: "Infinity" });
});

test("a refusal is about the field that it names first", () => {
  assert.equal(field_of('batch: "x" is not a batch'), "batch");
  assert.equal(field_of("the queue is full: try again later"), null);
  assert.equal(field_of("constructor: no"), null);
});
