"""docs/reference/reference-systems.md: its items that need a GPU."""

from reference_case import ROOT, ReferenceCase

# PyTorch that hands back what it is given: nothing is compiled, and nothing captured but by us.
IDLE = """
torch.compile = lambda call, **how: call
torch.cuda.make_graphed_callables = lambda modules, args: modules
"""


class ReferenceOnAGpu(ReferenceCase):
    def setUp(self):
        super().setUp()
        self.skip_without_gpu()

    def test_items_on_a_gpu(self):
        self.run_items("gpu", "cuda")

    def test_modes_that_do_nothing_are_noticed(self):
        steps = self.folder / "steps"
        steps.mkdir()
        for file in ("steps.py", "callables.py", "backward.py"):
            (steps / file).write_text((ROOT / "tests/torch" / file).read_text("utf-8") + IDLE, "utf-8")
        items = {name: command for name, (_, command, _) in self.items.items() if "--mode torch." in command}
        self.assertEqual(5, len(items))
        for capability, command in items.items():
            with self.subTest(capability=capability):
                found, printed = self.broken_by(capability, command, "cuda", steps)
                self.assertEqual(1, len(found), (found, printed))
                self.assertRegex(found[0], r"library\.|records\.")
