"""The pass training: cells, checks, what the document says of a step, and what is refused."""

from harness_case import TINY, HarnessCase


class Training(HarnessCase):
    def sweep(self, *arguments, **options):
        return self.measure(*TINY, "--mode", "eager,whole,piecewise", *arguments, **options)

    def test_every_optimizer_is_a_cell_that_is_checked_in_every_mode(self):
        _, document, cells = self.sweep("--workload", "mlp,conv", "--pass", "forward,training",
                                        "--optimizer", "none,sgd,adamw")
        self.assertEqual(["forward", "training"], document["plan"]["axes"]["pass"])
        self.assertEqual(2 * 2 * 3 * (1 + 3), len(cells))  # workloads, batches, modes, steps
        self.assert_ok(cells.values())
        for cell in cells.values():
            self.assertEqual(cell["pass"] == "training", "training" in cell)
        for workload in ("mlp", "conv"):
            step = f"{workload}/tiny/fp32/training/b2/w0/whole"
            none, sgd, adamw = (cells[step + suffix]["training"]
                                for suffix in ("", "/optimizer=sgd", "/optimizer=adamw"))
            self.assertEqual([0, 1, 2], [each["ops"]["optimizer"] for each in (none, sgd, adamw)])
            weights = cells[step]["memory"]["weights_bytes"]
            self.assertEqual(weights, cells[step.replace("training", "forward")]["memory"]["weights_bytes"])
            self.assertEqual([weights] * 3, [each["gradient_bytes"] for each in (none, sgd, adamw)])
            self.assertEqual([0, weights, 2 * weights + 4],
                             [each["optimizer_bytes"] for each in (none, sgd, adamw)])
            self.assertGreater(none["saved_bytes"], 0)
            self.assertGreater(none["ops"]["backward"], none["ops"]["forward"])
            graph = cells[step]["graph"]
            self.assertEqual((1, 0), (graph["pieces"], graph["eager_ops"]))
            ops = none["ops"]
            self.assertEqual(graph["captured_ops"], ops["forward"] + ops["backward"] + ops["accumulate"])
            pieces = cells[step.replace("whole", "piecewise")]["graph"]["pieces"]
            forward = cells[step.replace("whole", "piecewise").replace("training", "forward")]
            self.assertEqual(8, forward["graph"]["pieces"])
            # The loss is in the last piece of mlp, and a piece by itself behind the last convolution.
            self.assertEqual({"mlp": 8 + 7, "conv": 8 + 1 + 8}[workload], pieces)

    def test_accumulating_at_the_end_and_another_loss_are_cells_of_their_own(self):
        _, _, cells = self.sweep("--workload", "mlp", "--pass", "training", "--loss", "mse,cross_entropy",
                                 "--accumulate", "asap,end", "--io", "static,copy_in_out")
        step = "mlp/tiny/fp32/training/b2/w0/whole"
        self.assert_ok(cells.values())
        end = cells[step + "/accumulate=end"]["training"]["ops"]
        self.assertEqual(0, cells[step]["training"]["ops"]["accumulate"])
        self.assertEqual(7, end["accumulate"])  # the residual of each layer but the first
        self.assertIn(step + "/accumulate=end/io=copy_in_out/loss=cross_entropy", cells)

    def test_micro_batches(self):
        _, _, cells = self.sweep("--workload", "mlp", "--pass", "training", "--optimizer", "adamw",
                                 "--micro-batches", "1,2", code=3)
        undivided = [cell for cell in cells.values() if cell["batch"] == 1 and cell.get("micro-batches")]
        for cell in undivided:
            self.assertEqual("failed", cell["status"])
            self.assertIn("batch 1 does not divide into 2 micro-batches", cell["reason"]["message"])
        self.assert_ok(cell for cell in cells.values() if cell not in undivided)
        step = "mlp/tiny/fp32/training/b2/w0/whole"
        plain = cells[step + "/optimizer=adamw"]["training"]
        parts = cells[step + "/micro-batches=2/optimizer=adamw"]["training"]
        self.assertEqual(2 * plain["ops"]["backward"], parts["ops"]["backward"])
        self.assertEqual(plain["ops"]["optimizer"], parts["ops"]["optimizer"])
        self.assertEqual(plain["gradient_bytes"], parts["gradient_bytes"])

    def test_a_program_without_a_gradient_fails_its_cells_and_the_sweep_goes_on(self):
        done, _, cells = self.sweep("--plugin", self.plugin("good_op"), "--workload", "good_op,mlp", "--pass",
                                    "training", code=3)
        for cell in cells.values():
            if cell["workload"] == "mlp":
                self.assertEqual("ok", cell["status"])
                continue
            self.assertEqual(("failed", "no_backward"), (cell["status"], cell["reason"]["code"]))
            self.assertIn("output after depends on no weight", cell["reason"]["message"])
        self.assertIn("no_backward", done.stdout + done.stderr)

    def test_attention_trains_at_the_sizes_of_prefill_without_a_cache(self):
        sizes = {}
        dtypes = self.dtypes_of_host("fp32", "bf16", env=self.whole_cpu())
        for preset in ("tiny", "tiny-prefill"):
            _, _, cells = self.sweep("--workload", "attention", "--preset", preset, "--pass", "training",
                                     "--optimizer", "sgd", "--dtype", ",".join(dtypes), env=self.whole_cpu())
            self.assertEqual(set(dtypes), {cell["dtype"] for cell in cells.values()})
            self.assert_ok(cells.values())
            step = cells[f"attention/{preset}/fp32/training/b2/w0/piecewise/optimizer=sgd"]
            self.assertEqual(16, step["graph"]["eager_ops"])  # sdpa and its gradient
            sizes[preset] = step["training"]
        self.assertEqual(sizes["tiny"], sizes["tiny-prefill"])

    def test_forms_of_the_backward_pass_are_graphs_that_share_a_pool(self):
        steps = {}
        for choice in (("--backward", "iteration,apart,callables"), ("--optimizer-in", "eager,backward")):
            _, _, cells = self.measure(*TINY, "--mode", "whole", "--workload", "mlp", "--pass", "training",
                                       "--optimizer", "adamw", *choice)
            self.assert_ok(cells.values())
            steps.update({cell.get("backward", cell.get("optimizer-in", "iteration")): cell
                          for cell in cells.values() if cell["batch"] == 2})
        self.assertEqual(
            # Forward and backward of eight layers, the loss, the optimizer. Launched eagerly: its op, and
            # ahead of it the one that counts steps.
            {"iteration": (1, 0), "apart": (2, 0), "callables": (18, 0), "eager": (1, 2), "backward": (1, 0)},
            {name: (cell["graph"]["pieces"], cell["graph"]["eager_ops"]) for name, cell in steps.items()})
        self.assertEqual({"iteration": 0, "apart": 1, "callables": 8, "eager": 0, "backward": 0},
                         {name: cell["training"]["copies_skipped"] for name, cell in steps.items()})
        kept, gone = steps["iteration"]["training"], steps["backward"]["training"]
        self.assertEqual(0, gone["gradient_bytes"])
        self.assertLess(gone["peak_bytes"], kept["peak_bytes"] - kept["gradient_bytes"] // 2)

    def test_layers_that_run_again_are_not_kept(self):
        _, _, cells = self.sweep("--workload", "mlp,attention", "--pass", "training",
                                 "--checkpoint", "none,layer")
        self.assert_ok(cells.values())
        for workload in ("mlp", "attention"):
            for mode in ("eager", "whole", "piecewise"):
                step = f"{workload}/tiny/fp32/training/b2/w0/{mode}"
                none, layer = (cells[step + suffix]["training"] for suffix in ("", "/checkpoint=layer"))
                self.assertGreater(layer["ops"]["backward"], none["ops"]["backward"])
                self.assertEqual(layer["ops"]["forward"], none["ops"]["forward"])
                self.assertLess(2 * layer["saved_bytes"], none["saved_bytes"])
                self.assertLessEqual(layer["peak_bytes"], none["peak_bytes"])
        done = self.run_graphbench("--sweep", "--device", "host", "--workload", "mlp", "--pass", "training",
                                   "--checkpoint", "layer", "--dump-program")
        self.assertIn("rewritten: layer layer0 is recomputed before layer0.", done.stdout)
        self.assertIn("layer0.up.recomputed = ", done.stdout)

    def test_phases_are_timed_where_no_graph_holds_several(self):
        _, _, cells = self.sweep("--workload", "mlp", "--pass", "training", "--optimizer", "none,adamw",
                                 "--backward", "iteration,apart,callables")
        phases = ("forward", "backward", "optimizer")
        for cell in cells.values():
            times = [cell["training"].get(f"{phase}_seconds") for phase in (*phases, "step")]
            form, optimizer = cell.get("backward", "iteration"), cell.get("optimizer")
            # The optimizer is in backward's graph of `apart`, unless the first norm's gradient ends that.
            told = cell["mode"] == "eager" or form == "callables" or (
                form == "apart" and (not optimizer or cell["mode"] == "piecewise"))
            self.assertEqual([told, told, told and optimizer is not None, told],
                             [time is not None for time in times], cell["id"])
            if told:
                self.assertGreater(times[3], 0)

    def test_what_no_step_can_hold_or_would_change_no_cell_is_refused(self):
        self.refuse_each((
            ("--micro-batches 1025", ("mlp", 'micro-batches "1025" is too large: give at most 1024')),
            ("--optimizer-in eager", ("--optimizer-in", '"eager" would change no cell of this plan: give '
                                      "the value only with --pass training --optimizer sgd,adamw"))),
            "--sweep", "--device", "host", "--workload", "mlp", "--pass", "training")

    def test_a_loss_of_classes_wants_rows(self):
        _, _, cells = self.sweep("--workload", "conv", "--pass", "training", "--loss", "cross_entropy",
                                 code=3)
        reasons = {(cell["reason"]["code"], cell["reason"]["message"].split(": ")[1])
                   for cell in cells.values()}
        self.assertEqual(1, len(reasons))
        code, message = reasons.pop()
        self.assertEqual("no_backward", code)
        self.assertIn("cross_entropy needs an output [rows, classes]", message)

    def test_the_dump_shows_both_programs(self):
        done = self.run_graphbench("--sweep", "--device", "host", "--plugin", self.plugin("good_op"),
                                   "--workload", "mlp,good_op", "--pass", "forward,training",
                                   "--optimizer", "sgd", "--dump-program")
        self.assert_all_in(("program mlp/tiny/fp32  (", "program mlp/tiny/fp32/training  (",
                            "parameter layer0.w1 : fp32[256, 64]", "[optimizer]",
                            "layer0.up.grad_weight = linear_grad_weight(",
                            "output after depends on no weight"), done.stdout)

    def test_unknown_words_are_refused_with_those_there_are(self):
        self.refuse_each((
            (f"--{option} {given}", (f"--{option}: ", f'"{given}"', known)) for option, given, known in (
                ("pass", "backward", "forward, training"), ("optimizer", "adam", "none, sgd, adamw"),
                ("loss", "mae", "mse, cross_entropy"), ("accumulate", "never", "asap, end"),
                ("micro-batches", "0", "1"), ("checkpoint", "all", "none, layer"),
                ("backward", "sideways", "iteration, apart, callables"),
                ("optimizer-in", "place", "graph, eager, backward"))), "--sweep", "--device", "host")
