"""ci/peers: ratios and limits over made-up documents, and a run on the host device where torch is."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import ratios  # noqa: E402

try:
    import steps
except ImportError:
    steps = None
BINARY = os.environ.get("GRAPHBENCH_BINARY", "graphbench")


def document(seconds, status="ok", gpu="A", its_pass="forward", mode="whole"):
    summary = {f"{metric}_seconds": {"p50": seconds} for metric in ratios.METRICS}
    return {"environment": {"device": {"name": "GPU", "uuid": gpu}},
            "cells": [{"batch": 8, "mode": mode, "pass": its_pass, "status": status, "summary": summary,
                       "reason": {"message": "no room"}}]}


class Ratios(unittest.TestCase):
    def measured(self, *rounds):
        result = ratios.Ratios()
        for number, (ours, torch) in enumerate(rounds, 1):
            result.add("mlp", ours, torch, number)
        return result

    def test_are_geometric_means_over_rounds(self):
        result = self.measured((document(1), document(2)), (document(4), document(2)))
        self.assertEqual(1.0, result.ratios("latency", "whole", ["mlp"])["mlp", 8, "whole"])

    def test_hold_cells_to_their_limits(self):
        rows = ratios.limits_of(self.measured((document(1.1), document(1))))
        self.assertEqual([1.1 <= limit for _, limit, _, _ in rows], [False, False, True])
        rows = ratios.limits_of(self.measured((document(0.8, its_pass="training"), document(1))))
        self.assertEqual([("training step whole latency, geometric mean", 0.85, 0.8)], [rows[0][:3]])

    def test_put_our_whole_beside_modes_of_pytorchs_own(self):
        result = self.measured((document(1), document(4, mode="torch.replay")))
        self.assertEqual([("torch.replay submit, geometric mean", 0.5, 0.25, "")], ratios.limits_of(result))
        self.assertEqual([], result.missing)

    def test_say_what_was_not_compared(self):
        rounds = [(document(1), document(1, "skipped")), (document(1), document(1, mode="eager"))]
        result = self.measured(*rounds)
        self.assertEqual(["mlp b8 whole, round 1: torch: skipped: no room",
                          "mlp b8 eager, round 2: graphbench has no such cell"], result.missing)

    def test_are_refused_across_devices(self):
        with self.assertRaisesRegex(ratios.DocumentError, "different devices"):
            self.measured((document(1), document(1, gpu="B")))


def graphbench(*words):
    return subprocess.run([BINARY, *words], capture_output=True, text=True, check=True).stdout


@unittest.skipUnless(steps, "no torch")
class Steps(unittest.TestCase):
    def test_have_sizes_weights_and_state_of_the_workloads(self):
        host = steps.torch.device("cpu")
        for preset in json.loads(graphbench("list", "presets", "--format", "json"))["presets"]:
            workload, name = preset["workload"], preset["name"]
            if name in ("base", "prefill"):
                # `cond` and `qkv` choose ops and change no size.
                sizes = {key: value for key, value in preset["values"].items() if key not in ("cond", "qkv")}
                self.assertEqual(sizes, steps.SIZES[workload][name], preset)
            if name not in ("tiny", "prefill"):
                continue
            printed = graphbench("--sweep", "--workload", workload, "--preset", name, "--device", "host",
                                 "--batch", "3", "--mode", "whole", "--warmup", "1", "--dump-program")
            kind = getattr(steps, workload.capitalize())
            model = steps.model_of(kind, name.replace("tiny", "base"), host)
            tensors = [weight.movedim(1, -1) if weight.ndim == 4 else weight for weight in model.parameters()]
            if workload == "attention":
                tensors += [each[0] for pair in model.caches(3) for each in pair]
            shapes = re.findall(r"^  (?:weight|state) .*fp32\[(?:batch, )?(.*)\]", printed, re.MULTILINE)
            self.assertEqual(shapes, [", ".join(map(str, tensor.shape)) for tensor in tensors], preset)

    def test_run_beside_the_workloads(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["--graphbench", BINARY, "--python", sys.executable, "--output", f"{folder}/new",
                     "--step", "mlp,attention,conv,train_mlp", "--batch", "1", "--mode", "eager",
                     "--rounds", "1", "--device", "host", "--time-per-cell", "0.005"]
            done = subprocess.run([HERE / "run", *words], capture_output=True, text=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertIn("| train_mlp b1 eager |", done.stdout)
            self.assertNotIn("Not compared", done.stdout)


if __name__ == "__main__":
    unittest.main()
