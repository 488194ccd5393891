"""Plugins under the pass training: gradients of ops, hooks on gradients, rewriting passes; and evaluation."""

from harness_case import TINY, HarnessCase

DUMP = ["--sweep", "--device", "host", "--pass", "training", "--dump-program", "--batch", "2"]
FORMS = ("--backward", "iteration,apart,callables")


class TrainingPlugins(HarnessCase):
    def sweep(self, *arguments):
        return self.measure(*TINY, "--mode", "eager,whole,piecewise", "--pass", "training", *arguments)[2]

    def train(self, plugin, *arguments):
        return self.sweep("--plugin", self.plugin(plugin), "--workload", plugin, *arguments)

    def test_an_op_that_brings_its_gradient_trains_in_every_mode_and_form(self):
        cells = self.train("gradient", "--optimizer", "sgd,adamw", "--micro-batches", "1", *FORMS)
        self.assert_ok(cells.values())
        step = cells["gradient/tiny/fp32/training/b2/w0/whole/optimizer=adamw"]["training"]
        self.assertEqual({"forward": 9, "backward": 12, "accumulate": 0, "optimizer": 2, "removed": 0},
                         step["ops"])
        self.assertNotIn("breaks", step)
        forms = {cell.get("backward", "iteration"): cell["graph"]["pieces"] for cell in cells.values()
                 if cell["mode"] == "whole" and cell["batch"] == 2}
        self.assertEqual({"iteration": 1, "apart": 2, "callables": 6}, forms)

    def test_a_gradient_that_no_graph_can_hold_breaks_to_eager_between_graphs_with_its_name(self):
        cells = self.train("host_gradient", "--optimizer", "sgd", *FORMS)
        named = "op layer1.product.grad_inputs (product_grad) runs on the host"
        for cell in cells.values():
            form = cell.get("backward", "iteration")
            if cell["mode"] == "whole" and form == "iteration":
                self.assertEqual(("skipped", "no_gradient_capture"), (cell["status"], cell["reason"]["code"]))
                self.assertIn(named, cell["reason"]["message"])
                self.assertEqual({"no_gradient_capture": 1}, cell["counters"]["skips"])
                continue
            self.assert_ok([cell])
            if cell["mode"] == "eager":
                self.assertNotIn("breaks", cell["training"])
                continue
            self.assertEqual([{"code": "no_gradient_capture", "message": named + ", and 1 more of its kind"}],
                             cell["training"]["breaks"])
            graph, training = cell["graph"], cell["training"]
            counts = graph["pieces"], graph["eager_ops"], training["copies_skipped"]
            if cell["mode"] == "whole":  # all of backward runs eagerly, so no gradient reaches a graph
                self.assertEqual({"apart": (1, 13, 0), "callables": (4, 12, 0)}[form], counts)
                continue
            wanted = {"iteration": (3, 2, 4), "apart": (4, 2, 5), "callables": (8, 2, 6)}
            self.assertEqual(wanted[form], counts)

    def test_a_gradient_of_another_shape_is_refused_before_anything_is_measured(self):
        plugin = ("--plugin", self.plugin("misshapen_gradient"), "--workload", "misshapen_gradient")
        done = self.run_graphbench(*TINY, "--pass", "training", *plugin, code=2)
        self.assertIn("layer1.product.grad_inputs (product_grad): output 1 "
                      "must have the dtype and shape of input layer1.m1", done.stderr)

    def test_hooks_are_ops_on_gradients_in_every_mode_and_form(self):
        cells = self.train("hooks", "--optimizer", "sgd", "--optimizer-in", "graph,backward", *FORMS)
        self.assert_ok(cells.values())
        plain = cells["hooks/tiny/fp32/training/b2/w0/whole/optimizer=sgd"]
        self.assertEqual(4, plain["training"]["ops"]["accumulate"])
        done = self.run_graphbench(*DUMP, "--plugin", self.plugin("hooks"), "--workload", "hooks",
                                   "--micro-batches", "2")
        for line in ("layer0.hook0.micro1 = halve(layer0.m0.grad_weight.micro1)",
                     "layer0.hook1 = halve(layer0.w0.sum0.micro1)"):
            self.assertIn(line, done.stdout)

    def test_a_pass_of_a_plugin_rewrites_the_program_and_says_so(self):
        plugin = ("--plugin", self.plugin("program_pass"), "--workload", "mlp")
        cells = self.sweep(*plugin, "--optimizer", "sgd", "--program-pass",
                           "none,relu-for-gelu,relu-for-gelu+relu-for-gelu")
        self.assert_ok(cells.values())
        step = "mlp/tiny/fp32/training/b2/w0/whole/optimizer=sgd"
        self.assertNotIn("rewrites", cells[step])
        changed = cells[step + "/program-pass=relu-for-gelu"]
        self.assertEqual(cells[step]["training"]["ops"], changed["training"]["ops"])
        self.assertEqual(18, len(changed["rewrites"]))
        twice = cells[step + "/program-pass=relu-for-gelu+relu-for-gelu"]
        self.assertEqual([*changed["rewrites"], "pass relu-for-gelu: no op was changed"], twice["rewrites"])
        for line in ("layer0.up is relu", "added 16 ops: layer0.up.relu (relu), ...",
                     "removed 16 ops: layer0.up (gelu_tanh), ..."):
            self.assertIn("pass relu-for-gelu: " + line, changed["rewrites"])
        done = self.run_graphbench(*DUMP, *plugin, "--program-pass", "none,relu-for-gelu")
        # Each pass in each of two graph modes.
        self.assertEqual(4, done.stdout.count("program mlp/tiny/fp32/training  ("))
        for line in ("layer0.up = gelu_tanh(", "layer0.up.relu = relu(",
                     "rewritten: pass relu-for-gelu: layer0.up is relu"):
            self.assertIn(line, done.stdout)

    def test_a_pass_that_is_wrong_or_unknown_is_refused_by_name(self):
        plugin = ("--plugin", self.plugin("program_pass"), "--workload", "mlp")
        for name, text in (("relu", 'program-pass "relu" is unknown: give one of relu-for-gelu, failing'),
                           ("relu-for-gelu+relu", 'program-pass "relu" is unknown'),
                           ("relu-for-gelu+failing", "pass failing of program mlp/tiny/fp32/training: it"),
                           ("failing", "program mlp/tiny/fp32/training: it takes convolutions alone")):
            done = self.run_graphbench(*TINY, *plugin, "--pass", "training", "--program-pass", name, code=2)
            self.assertIn(text, done.stderr.strip().splitlines()[-1])

    def test_evaluation_takes_the_forward_program(self):
        cells = self.sweep("--workload", "mlp,attention", "--optimizer", "adamw", "--evaluate")
        self.assert_ok(cells.values())
        for cell in cells.values():
            training = cell["training"]
            evaluation = training["evaluation"]
            self.assertLess(evaluation["ops"], training["ops"]["forward"])
            self.assertTrue(evaluation["identical"])
            self.assertGreater(evaluation["latency_seconds"]["p50"], 0)
            if cell["mode"] != "piecewise":
                self.assertEqual(1 if cell["mode"] == "whole" else 0, evaluation["pieces"])
        done = self.run_graphbench(*TINY, "--evaluate", code=2)
        self.assertIn("--evaluate: the option would change no cell of this plan: give it only with --pass "
                      "training", done.stderr)
