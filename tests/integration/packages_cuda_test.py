"""Packages on a GPU: their library choices are taken where they were made, and nothing is chosen again."""

import re

from harness_case import HarnessCase

SWEEP = ["--sweep", "--quiet", "--package", "p.gbp", "--weights", "w", "--warmup", "0",
         "--time-per-cell", "0.01", "--cache", "off"]


class PackagesOnAGpu(HarnessCase):
    def setUp(self):
        super().setUp()
        self.skip_without_gpu()

    def compile(self, *arguments, batch="1,8", code=0):
        return self.run_graphbench("compile", "--device", "cuda", "--workload", "mlp", "--preset", "tiny",
                                   "--batch", batch, "--weights", "w", "-o", "p.gbp", *arguments, code=code)

    def choices(self):
        return self.result()["environment"]["library_choices"]["entries"]

    def chosen(self):
        """What was chosen here, by its keys, and what was found."""
        return ({each["key"] for each in self.choices() if each["timed"] and not each["hit"]},
                {each["key"] for each in self.choices() if each["hit"]})

    def assert_packaged(self, cells):
        self.assert_ok(cells)
        self.assertEqual({"package"}, {cell["package"]["plans"] for cell in cells})

    def test_nothing_is_chosen_again(self):
        self.compile("--cache", "kept")
        self.run_graphbench(*SWEEP, code=0)
        cells = self.result()["cells"]
        self.assertEqual({"eager", "whole", "piecewise"}, {cell["mode"] for cell in cells})
        self.assert_packaged(cells)
        chosen, hits = self.chosen()
        self.assertEqual(set(), chosen)
        self.assertTrue(hits)
        self.assertIn("choice   ", self.run_graphbench("package", "inspect", "p.gbp", code=0).stdout)

    def test_every_batch_has_choices_of_its_own(self):
        self.compile("--general", "--cache", "off", batch="1,64")
        self.run_graphbench(*SWEEP, "--batch", "1,8,64", code=0)
        self.assert_ok(self.result()["cells"])
        chosen, hits = self.chosen()
        self.assertTrue(chosen, "of batch 8, which was not compiled")
        self.assertTrue(hits)
        self.compile("--cache", "off", batch="8")
        self.run_graphbench(*SWEEP, code=0)
        again, hits = self.chosen()
        self.assertEqual(set(), again)
        self.assertTrue(chosen & hits, "of batch 8")

    def test_plans_that_the_library_wrote_down_are_read(self):
        self.run_graphbench("compile", "--device", "cuda", "--workload", "conv", "--preset", "tiny",
                            "--batch", "1,8", "--weights", "w", "-o", "p.gbp", "--cache", "off", code=0)
        shown = self.run_graphbench("package", "inspect", "p.gbp", code=0).stdout.splitlines()
        lines = [line.removeprefix("choice   ") for line in shown if line.startswith("choice   ")]
        kept = {line.split(": cuDNN engine")[0] for line in lines if "; serialised plan, " in line}
        if not any(": cuDNN engine" in line for line in lines):
            self.skipTest("cuDNN is not used here")
        self.assertTrue(kept, shown)
        self.run_graphbench(*SWEEP, code=0)
        self.assert_packaged(self.result()["cells"])
        plans = {each["key"]: each.get("plan") for each in self.choices()}
        self.assertEqual({"serialised"}, {plans[key] for key in kept}, plans)
        self.assertEqual(kept, {key for key, plan in plans.items() if plan})
        self.assertEqual(set(), self.chosen()[0])

    def test_says_what_memory_is_for(self):
        said = self.compile("--cache", "off", "--low-memory", "ON").stdout
        tuning = int(re.search(r"tuning (\d+);", said).group(1))
        self.assertGreater(tuning, 0, "candidates are timed")
        self.run_graphbench(*SWEEP, "--low-memory", "ON", code=0)
        for cell in self.result()["cells"]:
            memory = cell["memory"]
            self.assertEqual(memory["weights_bytes_max"], memory["weights_bytes"], cell["id"])
            self.assertEqual((memory["tuning_bytes_max"], memory["peak_bytes"]["between_methods"]), (0, 0))
            self.assertGreater(memory["peak_bytes"]["load"], memory["weights_bytes"])
            self.assertIs(cell["package"]["low_memory"], True)

    def test_is_refused_without_this_devices_architecture(self):
        self.compile("--arch", "sm_75")
        done = self.run_graphbench(*SWEEP, code=2)
        self.assertIn("architectures: the package is for sm_75, and this device is sm_", done.stderr)
        done = self.run_graphbench(*SWEEP, "--device", "host", code=2)
        self.assertIn("the package is for a device of kind cuda", done.stderr)
