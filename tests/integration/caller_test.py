"""A caller with memory of its own, what stands in the way of graphs, and their dumps."""

import json

from harness_case import TINY, HarnessCase

FORMS = "static,copy_in,copy_in_out,copy_out,copy_if_moved,set_params,update,recapture,exec_per_set"


class Caller(HarnessCase):
    def sweep(self, *arguments):
        return self.measure(*TINY, "--mode", "eager,whole,piecewise", *arguments)

    def plugin_sweep(self, name, *arguments):
        return self.sweep("--plugin", self.plugin(name), "--workload", name, *arguments)

    def test_every_form_is_a_cell_that_is_checked_and_counted(self):
        _, document, cells = self.sweep("--workload", "attention", "--io", FORMS,
                                        "--io-source", "device,pageable")
        self.assertEqual(2 * (1 + 2 * 12), len(cells))  # eager once a batch; three copies from two sources
        self.assert_ok(cells.values())
        whole = "attention/tiny/fp32/forward/b2/w0/whole"
        self.assertNotIn("caller_io", cells[whole])
        counted = {form: cells[f"{whole}/io={form}"]["caller_io"] for form in FORMS.split(",")[1:]}
        row = 64 * 4  # of x and of the output; positions are 4 bytes
        copied = {form: (counted[form]["copies"], counted[form]["copy_bytes"]) for form in counted}
        self.assertEqual((2, 2 * (row + 4)), copied["copy_in"])
        self.assertEqual((3, 2 * (2 * row + 4)), copied["copy_in_out"])
        self.assertEqual((1, 2 * row), copied["copy_out"])
        self.assertGreater(counted["set_params"]["kernel_nodes_set"], 2)
        # The counts of one step, which has one graph in mode whole.
        per_step = {form: tuple(io[key] for key in ("recordings", "updates", "updates_refused",
                                                    "instantiations", "set_execs"))
                    for form, io in counted.items()}
        copies = {form: (0, 0, 0, 0, 0) for form in counted if form.startswith("copy_")}
        self.assertEqual({**copies, "set_params": (0, 0, 0, 0, 0), "update": (1, 1, 0, 0, 0),
                          "recapture": (1, 0, 0, 1, 0), "exec_per_set": (0, 0, 0, 0, 2)}, per_step)
        counters = {form: cells[f"{whole}/io={form}"]["counters"] for form in counted}
        for form, counts in counters.items():
            self.assertGreater(counted[form]["steps"], 1)
            self.assertEqual((1, 1, {}), (counts["pieces"], counts["capturable"], counts["skips"]))
        placements = counters["copy_in"]["programs"]
        self.assertEqual(2 * placements, counters["exec_per_set"]["instantiated"])
        self.assertEqual(placements, counters["update"]["instantiated"])
        self.assertEqual(placements, counters["update"]["captured"] - counters["update"]["updated"])
        self.assertEqual(counters["recapture"]["captured"], counters["recapture"]["instantiated"])
        pieces = cells[whole.replace("whole", "piecewise")]["counters"]
        self.assertGreater(pieces["pieces"], pieces["capturable"])
        self.assertNotIn("counters", cells[whole.replace("whole", "eager")])
        self.assertNotIn("caller", document["plan"])

    def test_only_what_moved_is_copied(self):
        _, document, cells = self.sweep("--workload", "attention", "--io", "copy_if_moved", "--io-same",
                                        "0,0.9,1")
        self.assert_ok(cells.values())
        self.assertEqual(["0", "0.9", "1"], document["plan"]["axes"]["io-same"])
        whole = "attention/tiny/fp32/forward/b2/w0/whole/io=copy_if_moved"
        for share, at in (("0", "/io-same=0"), ("0.9", ""), ("1", "/io-same=1")):
            io = cells[whole + at]["caller_io"]
            self.assertAlmostEqual(2, io["copies"] + io["copies_kept"], msg=share)  # x and positions
            self.assertAlmostEqual(2 * float(share), io["copies_kept"], delta=0.5 * (share == "0.9"))

    def test_fresh_addresses(self):
        _, document, cells = self.sweep("--workload", "mlp", "--io", "copy_in_out,set_params,update",
                                        "--io-addresses", "fresh")
        self.assertEqual({"io-addresses": "fresh"}, document["plan"]["caller"])
        self.assert_ok(cells.values())

    def test_an_address_that_moved_fails_its_cells(self):
        _, document, cells = self.sweep("--workload", "mlp", "--io", "static,update", "--check-addresses")
        self.assertEqual({"check-addresses": "on"}, document["plan"]["caller"])
        self.assert_ok(cells.values())
        done = self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "eager,whole,piecewise",
                                   "--check-addresses", "--io-addresses", "fresh", code=3)
        for cell in self.result()["cells"]:
            if cell["mode"] == "eager":
                self.assert_ok([cell])
                continue
            self.assertEqual(("failed", "address_moved"), (cell["status"], cell["reason"]["code"]))
            self.assertIn("input x has moved since the capture", cell["reason"]["message"])
        self.assertIn("address_moved", done.stdout)

    def test_an_input_that_is_written_in_place(self):
        _, _, cells = self.plugin_sweep("mutating_op", "--io", FORMS)
        states = {cell.get("io", "static"): cell for cell in cells.values() if cell["mode"] == "whole"}
        for form, cell in states.items():
            skipped = form in ("copy_in", "copy_in_out", "copy_if_moved")
            self.assertEqual("skipped" if skipped else "ok", cell["status"], cell)
        reason = states["copy_in"]["reason"]
        self.assertEqual("mutated_input", reason["code"])
        self.assert_all_in(("op odd (mutating_op)", "the input x", "--mutated-inputs copy_back"),
                           reason["message"])
        self.assertEqual({"mutated_input": 1}, states["copy_in"]["counters"]["skips"])
        _, _, cells = self.plugin_sweep("mutating_op", "--io", "copy_in,copy_in_out,copy_if_moved",
                                        "--mutated-inputs", "copy_back")
        self.assert_ok(cells.values())

    def test_what_graphs_cannot_hold_runs_eager_where_that_is_asked_for(self):
        _, _, cells = self.plugin_sweep("host_op")
        whole = next(cell for cell in cells.values() if cell["mode"] == "whole")
        self.assertEqual(("skipped", "host_op"), (whole["status"], whole["reason"]["code"]))
        self.assertEqual({"host_op": 1}, whole["counters"]["skips"])
        done, document, cells = self.plugin_sweep("host_op", "--on-skip", "eager")
        whole = next(cell for cell in cells.values() if cell["mode"] == "whole")
        self.assertEqual(("ok", "eager", "host_op"),
                         (whole["status"], whole["fallback"], whole["fallback_reason"]["code"]))
        self.assertEqual(0, whole["graph"]["pieces"])
        self.assertIn("ran in mode eager, because the mode cannot hold the step (host_op", done.stdout)
        self.assertEqual({"on-skip": "eager"}, document["plan"]["caller"])
        piecewise = next(cell for cell in cells.values() if cell["mode"] == "piecewise")
        self.assertNotIn("fallback", piecewise)

    def test_steps_may_be_captured_on_the_devices_own_stream(self):
        _, document, cells = self.sweep("--workload", "mlp", "--capture-stream", "default")
        self.assertEqual({"capture-stream": "default"}, document["plan"]["caller"])
        self.assert_ok(cells.values())

    def test_each_batch_may_be_captured_on_a_stream_of_its_own(self):
        _, document, cells = self.sweep("--workload", "mlp", "--capture-streams", "one,each", "--io",
                                        "static,update")
        self.assert_ok(cells.values())
        self.assertEqual(2 * (1 + 2 * 2 * 2), len(cells))
        self.assertEqual(["one", "each"], document["plan"]["axes"]["capture-streams"])

    def test_a_kind_that_is_absent_is_a_note(self):
        done, _, cells = self.sweep("--workload", "mlp,attention", "--split-ops", "sdpa")
        self.assertIn('graphbench: note: --split-ops: "sdpa" occurs nowhere in program mlp', done.stderr)
        self.assertNotIn("program attention", done.stderr)
        self.assertEqual(1, cells["mlp/tiny/fp32/forward/b2/w0/piecewise"]["graph"]["pieces"])

    def test_ops_are_named_by_patterns_and_run_between_the_pieces(self):
        counts = {}
        for splits in ((), ("--split-ops", "block7.conv2,*.up"), ("--split-ops", "boundary")):
            _, _, cells = self.sweep("--workload", "mlp,conv", *splits)
            self.assert_ok(cells.values())
            counts[splits[-1:]] = {
                cell["workload"]: (cell["graph"]["pieces"], cell["graph"]["eager_ops"])
                for cell in cells.values() if cell["mode"] == "piecewise" and cell["batch"] == 2}
        self.assertEqual({(): {"mlp": (8, 8), "conv": (8, 8)},
                          ("block7.conv2,*.up",): {"mlp": (9, 8), "conv": (1, 1)},
                          ("boundary",): {"mlp": (8, 0), "conv": (8, 0)}}, counts)

    def test_a_pattern_that_names_no_op_of_any_workload_is_refused(self):
        refused = self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp,conv", "--split-ops",
                                      "*.conv2,*.conv3", code=2)
        self.assertEqual('graphbench: --split-ops: workload "mlp": no op has the name "*.conv3"; '
                         'the op names of program mlp/tiny/fp32 are *.boundary, *.down, *.norm, *.up\n',
                         refused.stderr)

    def test_dumped_graphs_hold_no_addresses(self):
        self.sweep("--workload", "attention,mlp", "--dump-graph", "one", "--io", "static,set_params")
        self.sweep("--workload", "attention,mlp", "--dump-graph", "two", "--io", "static,set_params")
        stem = "mlp_tiny_fp32_forward_b2_w0_piecewise"
        files = sorted(path.name for path in (self.folder / "one").glob(f"{stem}.*"))
        self.assertEqual([f"{stem}.{end}" for end in ("after.txt", "before.txt", "dot", "json")], files)
        dump = json.loads((self.folder / "one" / f"{stem}.json").read_text(encoding="utf-8"))
        self.assertEqual(("graphbench.graph/1", 8), (dump["schema"], len(dump["pieces"])))
        node = dump["pieces"][0]["nodes"][0]
        self.assertEqual(("layer0.up", "kernel", []), (node["op"], node["type"], node["after"]))
        self.assertEqual([0], dump["pieces"][0]["nodes"][1]["after"])
        texts = {end: (self.folder / "one" / f"{stem}.{end}").read_text(encoding="utf-8")
                 for end in ("dot", "after.txt", "before.txt")}
        self.assertIn("layer0.up (kernel)", texts["dot"])
        self.assertIn("piece 7", texts["after.txt"])
        self.assertNotIn("piece 1", texts["before.txt"])
        self.assertEqual([path.name for path in sorted((self.folder / "one").iterdir())],
                         [path.name for path in sorted((self.folder / "two").iterdir())])
        for path in (self.folder / "one").glob("*.json"):
            self.assertEqual(path.read_bytes(), (self.folder / "two" / path.name).read_bytes(), path.name)

    def test_an_option_of_a_file_that_changes_no_cell_is_a_note(self):
        self.write("sweep.toml", 'check-addresses = true\nsplit-ops = "linear"\nevaluate = false\n')
        done = self.run_graphbench(*TINY, "--workload", "mlp", "--mode", "eager", "--config", "sweep.toml",
                                   code=0)
        for name in ("check-addresses", "split-ops"):
            self.assertIn(f": {name}: ", done.stderr)
        self.assertEqual(2, done.stderr.count("graphbench: note: sweep.toml:"), done.stderr)

    def test_bad_input(self):
        self.write("file", "")
        self.refuse_each((
            ("--dump-graph file", ("--dump-graph: ", "is not a writable folder")),
            ("--tune-sizes 1,4", ("--tune-sizes: ", '"1,4" would change no cell', "--device cuda")),
            ("--mode eager --check-addresses", ("--check-addresses: the option would change no cell",)),
            ("--mode eager --dump-graph d", ("--dump-graph: the option would change no cell",)),
            ("--mode eager --on-skip eager", ('--on-skip: "eager" would change no cell', "--mode whole")),
            ("--mode whole --split-ops linear", ('--split-ops: "linear" would', "--mode piecewise")),
            ("--mode whole --io-addresses rotate", ('--io-addresses: "rotate" would', "with --io")),
            ("--mode eager --io-addresses fresh --io update", ("--io: ", "would change no cell")),
            ("--mode whole --io copy_out --mutated-inputs refuse", ("--mutated-inputs: ", "copy_in")),
            ("--dry-run --dump-program", ("--dry-run: ", "cannot be combined with --dump-program")),
            ("--edges full",
             ("--edges: ", "the option has no effect on host: leave the option out, or give --device cuda")),
            ("--edges half", ("--edges: ", "give programmatic, full")),
            ("--tune-sizes 0", ("--tune-sizes: ", '"0"')),
            ("--tune-sizes 2 --pass training", ("--tune-sizes: ", "give --pass forward")),
            ("--capture-stream mine", ("--capture-stream: ", "own, default"))), *TINY)
        self.refuse_each((("--on-skip eager", ("--on-skip: ", "run a sweep")),
                          ("--dump-graph d", ("--dump-graph: ", "belongs to --sweep"))), "bench")
