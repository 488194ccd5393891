"""Foreign steps: what a library runs itself is swept in every mode it has, and checked."""

from harness_case import TINY, HarnessCase

GRAPHS = {"whole": (1, 0), "piecewise": (2, 1), "example.replay": (0, 1)}  # captured and eager parts


class ForeignSteps(HarnessCase):
    def sweep(self, *extra, batch="1,2", workload="foreign_step", code=None):
        return self.run_graphbench("--sweep", "--device", "host", "--time-per-cell", "0.005",
                                   "--samples-max", "5", "--plugin", self.plugin("foreign_step"),
                                   "--workload", workload, "--batch", batch, *extra, code=code)

    def cells(self):
        self.assertTrue(self.result()["complete"])
        return {(cell["mode"], cell["batch"]): cell for cell in self.result()["cells"]}

    def test_run_in_every_mode_they_have_and_are_checked(self):
        done = self.sweep("--launches", "2", code=0)
        self.assertIn("its own preset, dtype and pass", done.stdout)
        self.assertEqual([3], self.result()["plan"]["axes"]["warmup"])
        cells = self.cells()
        self.assertEqual({(mode, batch) for mode in ("eager", *GRAPHS) for batch in (1, 2)}, set(cells))
        for (mode, _), cell in cells.items():
            self.assertEqual(("ok", True), (cell["status"], cell["check"]["identical"]), cell)
            self.assertEqual(["own"] * 3, [cell[axis] for axis in ("preset", "dtype", "pass")])
            self.assertEqual("own", cell["library"]["replays"])
            self.assertIsInstance(cell["library"]["memory_reserved"], int)
            self.assertEqual(2, len(cell["launches"]))
            self.assertEqual(1, len(cell["launches"][0]["placements"]), "its process has one device")
            if mode != "eager":
                graph = cell["graph"]
                self.assertEqual(GRAPHS[mode], (graph["pieces"], graph["eager_ops"]), mode)
            # What runs between captures is told apart from capture.
            told = {part.get("break_seconds") for launch in cell["launches"]
                    for part in (launch["setup"], launch["startup"])}
            self.assertIn(told, [{1e-9}, {1e-9, 2e-9}] if mode == "piecewise" else [{None}], mode)
            self.assertNotIn("stages.between_captures", cell["library"])

    def test_a_failure_costs_its_batch_and_says_why(self):
        failures = {13: ("step_failed", "open: thirteen is too many"),
                    17: ("check_failed", "output y differs from eager's by"),
                    19: ("worker_crashed", "SIGSEGV in phase "),
                    23: ("step_failed", "run: error 7 of the example")}
        self.sweep("--mode", "whole", batch="1,13,17,19,23", code=3)
        cells = self.cells()
        self.assertEqual("ok", cells["whole", 1]["status"], cells["whole", 1])
        for batch, (code, words) in failures.items():
            with self.subTest(batch=batch):
                reason = cells["whole", batch]["reason"]
                self.assertEqual(code, reason["code"])
                self.assertIn(words, reason["message"])

    def test_what_a_mode_cannot_hold_is_skipped(self):
        self.sweep("--mode", "eager,whole", batch="1,31", code=0)
        states = {key: cell["status"] for key, cell in self.cells().items()}
        self.assertEqual("skipped", states.pop(("whole", 31)))
        self.assertEqual({"ok"}, set(states.values()), states)
        self.assertEqual({"code": "unsupported", "message": "open: graphs cannot hold this"},
                         self.cells()["whole", 31]["reason"])

    def test_a_skipped_mode_may_run_eagerly(self):
        self.sweep("--mode", "eager,whole", "--on-skip", "eager", batch="1,17,31,47", code=3)
        cells = self.cells()
        self.assertEqual(("ok", None), tuple(cells["whole", 1].get(name) for name in ("status", "fallback")))
        self.assertEqual("failed", cells["whole", 17]["status"], "a failure is no skip")
        for batch, why in ((31, "open: graphs cannot hold this"), (47, "capture: error 2 of the example")):
            cell = cells["whole", batch]
            self.assertEqual(("ok", "eager", why),
                             (cell["status"], cell["fallback"], cell["fallback_reason"]["message"]))
            self.assertEqual(("eager_again", 0), (cell["check"]["reference"], cell["graph"]["pieces"]))
            self.assertEqual({"unsupported": 1}, cell["counters"]["skips"])

    def test_a_graph_that_cannot_be_lent_has_no_nodes(self):
        self.sweep("--mode", "eager,whole", batch="37", code=0)
        cell = self.cells()["whole", 37]
        self.assertEqual(("ok", None), (cell["status"], cell["graph"]))
        self.assertEqual([1, 1], [cell["counters"][name] for name in ("captured", "instantiated")])

    def test_a_difference_that_another_order_explains_is_said(self):
        done = self.sweep("--mode", "whole", batch="29", code=0)
        self.assertIn("note: 1 cell: outputs differ from the eager outputs by", done.stdout)
        check = self.cells()["whole", 29]["check"]
        self.assertFalse(check["identical"])
        self.assertGreater(check["max_abs_error"], 0)
        self.assertIn("of their norm at most", check["tolerated"])

    def test_what_opening_took_is_told_and_paid_back(self):
        done = self.sweep("--launches", "1", batch="41", code=0)
        cells = self.cells()
        for mode, stage in (("eager", "open"), ("whole", "open"), ("example.replay", "record")):
            launch = cells[mode, 41]["launches"][0]
            for told in (launch["setup"], *launch["setups"], launch["startup"]):
                self.assertGreaterEqual(told[f"{stage}_seconds"], 0.3, (mode, told))
            self.assertGreaterEqual(launch["startup"]["context_seconds"], 0)
        cost = {mode: cells[mode, 41]["summary"]["setup_cost_seconds"] for mode in GRAPHS}
        self.assertGreaterEqual(cost["example.replay"], 0.3, "its open makes the graph")
        self.assertLess(cost["whole"], 0.3, "its graph is made after open")
        startup = cells["example.replay", 41]["summary"]["startup_seconds"]
        self.assertGreaterEqual(startup, 0.3)
        self.assertRegex(done.stdout, r"example.replay \d+ms")

    def test_stages_and_graphs_not_taken_are_what_the_report_says(self):
        self.sweep("--launches", "1", "--mode", "eager,example.replay", batch="43", code=0)
        cell = self.cells()["example.replay", 43]
        setup, stages = cell["launches"][0]["setup"], {"build": 0.125, "compile": 0.0625, "record": 0.03125}
        for name, seconds in stages.items():
            self.assertEqual(seconds, setup[f"{name}_seconds"])
        self.assertGreaterEqual(setup["open_seconds"], 0.3 - sum(stages.values()))
        self.assertEqual("cold", setup["compiled_from"])
        self.assertEqual([{"part": 0, "compile_seconds": 0.0625, "compiled_from": "cold"},
                          {"part": 2, "compile_seconds": 0.5}], setup["compiled_pieces"])
        self.assertGreaterEqual(cell["summary"]["setup_cost_seconds"], 0.0625 + 0.03125)
        self.assertEqual([{"reason": "cpu_device", "words": "cpu device (x)", "line": "step.py:8"},
                          {"reason": "other", "words": "too bright", "line": None}], cell["capture_skips"])
        self.assertEqual({"cpu_device": 2, "other": 1}, cell["counters"]["skips"])
        self.assertNotIn("stages", str(cell.get("library")))

    def test_options_that_do_not_apply_are_refused(self):
        for option, *words in (["--mode", "eager,example.other", '"example.other" is not a mode of '],
                               ["--preset", "tiny", "the option applies only to programs"],
                               ["--dtype", "fp32", "the option applies only to programs"],
                               ["--pass", "training", "the option applies only to programs"],
                               ["--io", "copy_in", "the option applies only to programs"],
                               ["--tune-sizes", "2", "would change no cell of this plan"],
                               ["--set", "foreign_step.width=1", "this workload has no options"]):
            with self.subTest(option=option):
                self.assert_refused(self.sweep(option, words[0]), option, words[1])
        for flag in ("--trace=t.json", "--check-addresses", "--evaluate"):
            self.assert_refused(self.sweep(flag), flag.split("=")[0], "would change no cell of this plan")
        for axis in ("--torch-hide-capture=on", "--torch-compile=default", "--torch-inputs=keep",
                     "--torch-cache=keep", "--torch-dynamic=on", "--torch-inductor=a=1"):
            self.assert_refused(self.sweep(axis), axis.split("=")[0], "give the value only with --torch")
        self.assert_refused(self.sweep(workload="foreign_step,mlp"), "--workload",
                            "give --workload foreign_step alone")
        of_programs = self.run_graphbench(*TINY, "--mode", "example.replay")
        self.assert_refused(of_programs, "--mode", "this sweep has no such step")

    def test_bench_refuses_them(self):
        options = ["--device", "host", "--plugin", self.plugin("foreign_step"), "--workload", "foreign_step"]
        self.assert_refused(self.run_graphbench("bench", *options), "--workload", "bench runs programs")

    def test_serve_a_traffic_if_they_lend_their_rows(self):
        def ladder(sizes, code):
            done, document, _ = self.measure(
                "ladder", "--device", "host", "--plugin", self.plugin("foreign_step"), "--workload",
                "foreign_step", "--traffic", "uniform:1:8", "--steps", "60", "--capture-sizes", sizes,
                "--no-rivals", code=code)
            return done, document["ladders"][0]

        _, asked = ladder("2,4", 0)
        self.assertTrue(asked["check"]["identical"])
        self.assertEqual(["state without rows of the batch is not checked: steps"], asked["check"]["remarks"])
        self.assertEqual(64 * 4 * (2 + 4 + 8), asked["launches"][0]["memory"]["static_bytes"])
        _, varying = ladder("4,9", 0)
        self.assertFalse(varying["check"]["identical"])
        self.assertIn("the bits of a step's results vary from run to run", varying["check"]["remarks"][0])
        ladder("61,63,65,67,69", 0)
        done, leaking = ladder("4,7", 3)
        self.assertIn("padding: output y changes with the rows of padding, with 5 rows in size 7",
                      leaking["reason"]["message"])
        self.assertIn("check_failed", done.stderr)
