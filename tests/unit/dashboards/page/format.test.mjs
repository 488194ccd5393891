import assert from "node:assert/strict";
import test from "node:test";

import { bytes_tick, duration, moment, NOTHING, ratio_tick, seconds_tick }
  from "../../../../dashboards/page/format.mjs";

test("what is not known is a dash and never a number", () => {
  for (const value of [null, undefined]) assert.equal(duration(value), NOTHING);
  assert.equal(moment(null), NOTHING);
});

test("round values of an axis have no zeros behind the point", () => {
  assert.deepEqual([50e-6, 1e-3, 0.2, 2e-9, 500e-6, 0].map(seconds_tick),
    ["50us", "1ms", "200ms", "2ns", "500us", "0"]);
  assert.deepEqual([0, 500, 2e6, 1.5e9].map(bytes_tick), ["0", "500 B", "2 MB", "1.5 GB"]);
  assert.equal(ratio_tick(1.5), "1.5x");
});

test("durations are told in two units at most", () => {
  assert.deepEqual([0.4, 59.6, 80, 7500].map(duration), ["0 s", "1 min 0 s", "1 min 20 s", "2 h 5 min"]);
});
