import assert from "node:assert/strict";
import { test } from "node:test";

import { styles_of } from "../../../../dashboards/page/svg.mjs";

const styles = (...names) => styles_of(names.map((name) => ({ name })));

test("a mode keeps its style, and no other line takes it while another is free", () => {
  assert.deepEqual(styles("eager", "whole", "piecewise"), [0, 1, 2]);
  assert.deepEqual(styles("mlp, predicted", "asked", "eager", "every"), [1, 2, 0, 3]);
  assert.deepEqual(styles("whole", "whole, later", "one kernel"), [1, 1, 0]);
});

test("with more lines than styles, styles repeat", () => {
  assert.deepEqual(styles("eager", "whole", "piecewise", "a", "b"), [0, 1, 2, 3, 3]);
});
