"""A sweep as a person runs it: the document's contents, configuration files, lists and dumps."""

import json
import os
import re

from harness_case import PLACEMENTS, TINY, HarnessCase


class Sweep(HarnessCase):
    def test_every_workload_in_every_mode(self):
        done, result, _ = self.measure(*TINY, pins=True)
        self.assertTrue(result["complete"])
        self.assertEqual("host", result["environment"]["device"]["kind"])
        listed = json.loads(self.run_graphbench("list", "--format", "json", code=0).stdout)
        workloads, modes = ([each["name"] for each in listed[kind]] for kind in ("workloads", "modes"))
        self.assertGreaterEqual(len(workloads) * len(modes), 9)
        self.assertEqual(len(workloads) * len(modes) * 2, len(result["cells"]))
        self.assert_ok(result["cells"])
        for cell in result["cells"]:
            self.assertEqual(1, len(cell["launches"]))
            self.assertGreater(cell["launches"][0]["submit_seconds"]["count"], 0)
            self.assertGreater(cell["summary"]["latency_seconds"]["p50"], 0)
            self.assertEqual(PLACEMENTS, len(cell["launches"][0]["setups"]))
            for stage in ("process_seconds", "context_seconds", "weights_seconds", "first_step_seconds"):
                self.assertGreater(cell["launches"][0]["startup"][stage], 0, cell["id"])
            self.assertGreater(cell["memory"]["static_bytes"], 0)
            self.assertIsNone(cell["memory"]["used_bytes"], "no driver accounts for the host's memory")
        submitter = result["environment"]["machine"]["submitter"]
        self.assertLessEqual(set(submitter["cpus"]), os.sched_getaffinity(0))
        self.assertIsNone(submitter["locality"], "the device is the CPU")
        ids = [cell["id"] for cell in result["cells"]]
        self.assertEqual([f"mlp/tiny/fp32/forward/b{batch}/w0/{mode}" for batch in (1, 2) for mode in modes],
                         ids[:2 * len(modes)])
        self.assert_all_in([*workloads, *modes, "graphbench.json"], done.stdout)

    def test_launches_are_merged_and_the_plan_is_told_by_its_hash(self):
        arguments = [*TINY, "--workload", "mlp", "--mode", "eager,whole", "--launches", "2", "--quiet"]
        self.run_graphbench(*arguments, code=0)
        first = self.result()
        for cell in first["cells"]:
            self.assertEqual([0, 1], [launch["index"] for launch in cell["launches"]])
        self.run_graphbench(*arguments, code=0)
        self.assertEqual(first["plan"]["hash"], self.result()["plan"]["hash"])
        self.assertEqual(first["environment"]["fingerprint"], self.result()["environment"]["fingerprint"])

    def test_epilogues_are_cells_of_their_own(self):
        _, result, _ = self.measure(*TINY, "--workload", "mlp", "--mode", "eager,whole",
                                    "--epilogues", "on,off,joined")
        self.assert_ok(result["cells"])
        cells = {cell["id"].removeprefix("mlp/tiny/fp32/forward/b2/w0/whole"): cell
                 for cell in result["cells"] if cell["mode"] == "whole" and cell["batch"] == 2}
        self.assertEqual({"", "/epilogues=off", "/epilogues=joined"}, set(cells))
        self.assertNotIn("rewrites", cells[""])
        self.assertEqual(56, cells["/epilogues=off"]["graph"]["nodes"])
        for way in ("", "/epilogues=joined"):
            self.assertEqual(24, cells[way]["graph"]["nodes"], "sixteen products and eight norms")
        refused = self.run_graphbench(*TINY, "--pass", "training", "--epilogues", "off", code=2)
        self.assertIn("--epilogues", refused.stderr)

    def test_a_branch_is_checked_both_ways_and_splits_piecewise(self):
        for way in ("taken", "skipped"):
            _, result, _ = self.measure(*TINY, "--workload", "mlp", "--set", f"mlp.cond={way}")
            self.assert_ok(result["cells"])
            graphs = {cell["mode"]: cell["graph"] for cell in result["cells"]}
            self.assertEqual((1, 0), (graphs["whole"]["pieces"], graphs["whole"]["eager_ops"]))
            self.assertEqual(16, graphs["piecewise"]["eager_ops"], "eight norms and eight branches")
        refused = self.run_graphbench(*TINY, "--workload", "mlp", "--set", "mlp.cond=often", code=2)
        self.assert_all_in(["--set", "mlp.cond=often", "none=1, taken=2"], refused.stderr)

    def test_variables_of_google_benchmark_do_not_change_how_a_sweep_measures(self):
        for variable, value in (("REPETITIONS", "3"), ("LIST_TESTS", "true"), ("OUT", "benchmark.json"),
                                ("MIN_WARMUP_TIME", "0.01")):
            with self.subTest(variable=variable):
                self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "whole", "--quiet",
                                    env=self.environment(**{f"BENCHMARK_{variable}": value}), code=0)
                for cell in self.result()["cells"]:
                    self.assertEqual(PLACEMENTS, cell["launches"][0]["latency_seconds"]["count"])
                self.assertFalse((self.folder / "benchmark.json").exists())

    def test_flags_win_over_the_configuration_file(self):
        self.write("sweep.toml", 'workload = ["mlp"]\ndevice = "host"\nmode = "eager"\nwarmup = 1\n'
                   'batch = [4, "8:16:x2"]\ntime-per-cell = 0.005\nsamples-max = 5\nquiet = true\n'
                   'json = "from-file.json"\n[set]\nmlp.layers = 2\nconv.blocks = 1\n')
        self.run_graphbench("--sweep", "--config", "sweep.toml", "--batch", "3",
                            "--set", "mlp.hidden=32", code=0)
        result = self.result("from-file.json")
        self.assertEqual(["mlp/tiny/fp32/forward/b3/w1/eager"], [cell["id"] for cell in result["cells"]])

    def test_a_dry_run_says_how_long_and_nothing_runs(self):
        arguments = [*TINY, "--workload", "mlp,conv", "--mode", "none,full"]
        dry = self.run_graphbench(*arguments, "--dry-run", code=0)
        self.assertRegex(dry.stdout, r"\A8 cells, 4 processes, about \d+ seconds\n\Z")
        self.assertEqual([], os.listdir(self.folder))
        swept = self.run_graphbench(*arguments, code=0)
        self.assertEqual("graphbench: " + dry.stdout, swept.stderr.splitlines(keepends=True)[0])
        self.assertEqual(["eager", "whole"], self.result()["plan"]["axes"]["mode"], "in our words")

    def test_the_result_that_is_replaced_is_named(self):
        small = [*TINY, "--workload", "mlp", "--mode", "eager"]
        first = self.run_graphbench(*small, code=0)
        self.assertNotIn("replaces", first.stderr)
        began = self.result()["started_at"]
        second = self.run_graphbench("sweep", *small[1:], code=0)
        self.assertIn(f"graphbench.json: replaces the result of {began} (2 cells of mlp on ", second.stderr)
        self.write("graphbench.json", "not ours")
        self.assertNotIn("replaces", self.run_graphbench(*small, code=0).stderr)

    def test_a_plugin_brings_its_own_workloads(self):
        self.run_graphbench(*TINY, "--plugin", self.plugin("good_op"), "--mode", "eager", code=0)
        self.assertEqual({"good_op"}, {cell["workload"] for cell in self.result()["cells"]})

    def test_the_program_is_dumped_and_nothing_runs(self):
        done = self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp,attention",
                                   "--batch", "4,8", "--dump-program", code=0)
        self.assert_all_in(("mlp", "attention", "piece", "batch 4"), done.stdout)
        self.assertFalse((self.folder / "graphbench.json").exists())

    def test_the_dump_shows_what_each_mode_captures(self):
        """Held against what the same options measure."""
        options = ["--workload", "mlp,attention", "--batch", "2", "--mode", "whole,piecewise", "--set",
                   "mlp.layers=2", "--set", "attention.layers=2", "--pass", "forward,training", "--optimizer",
                   "sgd", "--backward", "iteration,apart,callables"]
        dumps = self.run_graphbench(*TINY[:3], *options, "--warmup", "0", "--dump-program", code=0).stdout
        shown = {}
        for dump in re.split(r"^cell ", dumps, flags=re.MULTILINE)[1:]:
            runs = re.split(r"^  (piece \d+|split|marker)\b.*\n", dump, flags=re.MULTILINE)[1:]
            eager = [run for kind, run in zip(runs[::2], runs[1::2]) if kind == "split"]
            shown[dump.split()[0]] = {
                "pieces": sum(kind.startswith("piece") for kind in runs[::2]),
                "eager_ops": len(re.findall(r"^    \S", "".join(eager), re.MULTILINE))}
        self.run_graphbench(*TINY[:3], *TINY[5:], *options, code=0)
        captured = {cell["id"]: {key: cell["graph"][key] for key in ("pieces", "eager_ops")}
                    for cell in self.result()["cells"]}
        self.assertEqual(2 * 2 * (1 + 3), len(captured))
        self.assertEqual(captured, shown)
        self.assertLess({1, 2}, {cell["pieces"] for cell in shown.values()}, "forms differ in their graphs")

    def test_the_dump_says_why_one_graph_cannot_hold_a_program(self):
        done = self.run_graphbench("--sweep", "--device", "host", "--batch", "2", "--warmup", "0",
                                   "--plugin", self.plugin("host_gradient"), "--workload", "host_gradient",
                                   "--pass", "training", "--dump-program", code=0)
        whole, piecewise = re.split(r"^cell ", done.stdout, flags=re.MULTILINE)[1:]
        self.assertIn("not captured: ", whole)
        self.assertIn("op layer1.product.grad_inputs (product_grad) runs on the host", whole)
        self.assertNotIn("piece 0", whole)
        self.assertIn("piece 2  (captured)", piecewise)

    def test_lists(self):
        everything = self.run_graphbench("list", code=0).stdout
        self.assert_all_in("mlp attention conv host eager piecewise tiny".split(), everything)
        devices = self.run_graphbench("list", "devices").stdout
        self.assert_all_in(("host", "cuda"), devices)
        self.assertNotIn("piecewise", devices)
        self.assertEqual(["fp32"], self.dtypes_of_host("fp32"))
        plugin = self.run_graphbench("list", "workloads", "--plugin", self.plugin("good_op"))
        self.assertIn("good_op", plugin.stdout)

    def test_example_steps_are_listed_and_printed(self):
        lines = self.run_graphbench("list", "steps", code=0).stdout.splitlines()
        self.assertEqual(["convnet", "decode", "llama", "train"], [line.split()[0] for line in lines])
        found = json.loads(self.run_graphbench("list", "steps", "--format", "json", code=0).stdout)["steps"]
        for step, line in zip(found, lines, strict=True):
            self.assertEqual(f"{step['name']:12} {step['help']}", line)
            text = self.run_graphbench("example", step["name"], code=0).stdout
            self.assertTrue(text.startswith(f'"""{step["help"]}"""\n'), text[:200])
            self.assertIn("\ndef build(batch, device):\n", text)
        for words in (["lama"], ["../llama"], [""], []):
            self.assert_refused(self.run_graphbench("example", *words), "example: ",
                                "give convnet, decode, llama, train")
        nowhere = self.environment(GRAPHBENCH_MODULE_DIR=str(self.folder))
        self.assert_refused(self.run_graphbench("example", "llama", env=nowhere), "not installed",
                            str(self.folder))

    def test_help_and_version(self):
        self.assertIn("--worker-timeout", self.run_graphbench("--help-all").stdout)
        self.assertLessEqual(len(self.run_graphbench("--help", code=0).stdout.splitlines()), 48)
        self.assertRegex(self.run_graphbench("--version").stdout, r"^graphbench \d+\.\d+\.\d+ \(.+\)\n$")
