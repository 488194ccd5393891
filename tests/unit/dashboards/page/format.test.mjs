import assert from "node:assert/strict";
import test from "node:test";

import { count, duration, moment, NOTHING, ratio, seconds, tick }
  from "../../../../dashboards/page/format.mjs";

test("times have three digits and a unit", () => {
  const expected = [
    [42.853e-6, "42.9 \u00b5s"], [1.8420000000000001e-6, "1.84 \u00b5s"], [205e-9, "205 ns"],
    [2e-10, "0.200 ns"],
    [0.0123, "12.3 ms"], [2.5, "2.50 s"], [120, "120 s"], [0, "0 s"],
  ];
  for (const [value, text] of expected) assert.equal(seconds(value), text);
});

test("a time just below the next unit is told in that unit", () => {
  assert.equal(seconds(999.4e-6), "999 \u00b5s");
  assert.equal(seconds(999.6e-6), "1.00 ms");
});

test("what is not known is a dash and never a number", () => {
  for (const format of [seconds, ratio, count, duration]) {
    assert.equal(format(null), NOTHING);
    assert.equal(format(undefined), NOTHING);
  }
  assert.equal(moment(null), NOTHING);
});

test("round values of an axis have no zeros behind the point", () => {
  assert.deepEqual([50e-6, 1e-3, 0.2, 2e-9, 500e-6].map(tick),
    ["50 \u00b5s", "1 ms", "200 ms", "2 ns", "500 \u00b5s"]);
});

test("durations are told in two units at most", () => {
  assert.deepEqual([0.4, 59.6, 80, 7500].map(duration), ["0 s", "1 min 0 s", "1 min 20 s", "2 h 5 min"]);
});

test("a ratio shows two places", () => assert.equal(ratio(1.3777), "1.38\u00d7"));
