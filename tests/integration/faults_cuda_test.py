"""A plugin whose capture fails on a GPU, and whose own CUDA runtime remembers it."""

from harness_case import HarnessCase


class FailedCapture(HarnessCase):
    def setUp(self):
        super().setUp()
        self.skip_without_gpu()

    def sweep(self, *more, code):
        return self.run_graphbench("--sweep", "--device", "cuda", "--dtype", "fp32", "--preset", "tiny",
                                   "--plugin", self.plugin("sticky_op"), "--workload", "sticky_op",
                                   "--mode", "whole,piecewise", "--batch", "1,2,4,8", "--warmup", "1",
                                   "--time-per-cell", "0.01", "--set", "sticky_op.min_batch=8", *more,
                                   code=code)

    def test_runs_eager_where_that_is_asked_for(self):
        self.sweep("--on-skip", "eager", code=0)
        fallbacks = {cell["batch"]: cell["fallback_reason"]["code"] for cell in self.result()["cells"]
                     if cell.get("fallback") == "eager"}
        self.assertEqual({8: "capture_unsupported"}, fallbacks)
        self.assert_ok(self.result()["cells"])

    def test_at_one_batch_costs_that_batch_alone(self):
        done = self.sweep(code=3)
        for cell in self.result()["cells"]:
            if cell["batch"] == 8:
                self.assertEqual("failed", cell["status"], cell)
                self.assertEqual("capture_unsupported", cell["reason"]["code"])
                self.assertIn("odd", cell["reason"]["message"])
            else:
                self.assertEqual("ok", cell["status"], f"{cell['id']}: {cell.get('reason')} {done.stderr}")
