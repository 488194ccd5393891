"""docs/reference/reference-systems.md on the host device: what an item says holds after its command, and
does not after another, in which the item's feature is off."""

import re

from reference_case import ROOT, ReferenceCase

# By words of the item: its command with the feature off, or contradicted.
CONTROLS = {
    "all captures share a pool": ("$MLP", "graphbench --sweep --workload mlp --mode eager --batch 1,4"),
    "own stream is captured": ("$MLP",),
    "graphed callables": ("$MLP --pass training --backward iteration",),
    "only if the caller's pointer": ("$MLP --io copy_if_moved --io-same 0", "$MLP --io copy_in"),
    "share the addresses of gradients": ("$MLP --pass training --backward iteration",),
    "evaluated in place": ("$MLP --pass training --optimizer sgd",),
    "captured again for each call": ("$MLP --io copy_in", "$MLP --io static,update"),
    "a program that writes an input is refused": (
        "$SWEEP --plugin $PLUGINS/mutating_op.so --io copy_in --mutated-inputs copy_back",
        "$MLP --io copy_in"),
    "such an input is copied back": (
        "$SWEEP --plugin $PLUGINS/mutating_op.so --io copy_in", "$MLP --io copy_in"),
    "a program that no graph can hold": ("$SWEEP --plugin $PLUGINS/host_op.so", "$MLP --on-skip eager"),
    "static inputs": ("$MLP --io static", "$MLP --io static,copy_in,copy_out"),
    "forward stays captured": ("$SWEEP --plugin $PLUGINS/host_gradient.so --pass training",
                               "$MLP --pass training --backward apart"),
    "steps warm up": ("$MLP --warmup 0", "$MLP --warmup 3"),
    "a known size replays": (r"printf '1\n8\n4\n' > s.txt; $MLP --shape-trace s.txt", "$MLP"),
    "split at named ops": ("$CUT --workload attention", "$SWEEP --workload attention"),
    "others are padded": ("$LADDER --capture-sizes 2,4 --pad none",),
    "after its warmups": ("$LADDER --capture-sizes 2,4 --capture-when lazy",),
    "addresses that moved": ("$MLP --io update --io-addresses fresh", "$MLP --check-addresses"),
    "all pieces and captured": ("$SWEEP --workload conv",),
    "or refused": ("$COMPILE; graphbench --sweep --package m.gbp --weights w --mode whole",),
    "before and after it is split": (
        "$CUT --workload mlp --split-ops linear --dump-graph d; cat d/*.after.txt",
        "$CUT --workload mlp --dump-graph d; cat d/*.before.txt"),
    "backward is a program": ("$MLP --dump-program",),
    "gradients add up": ("$MLP --pass training --micro-batches 2 --accumulate asap",),
    "hooks on gradients": ("$SWEEP --plugin $PLUGINS/gradient.so --pass training --dump-program",),
    "an op whose gradient": ("$CUT --plugin $PLUGINS/gradient.so --pass training",),
    "a new program has a reason": (
        r"printf '8 16\n4 16\n8 16\n' > s.txt; "
        "$SWEEP --workload attention --pass training --shape-trace s.txt",),
    "on a time line": ("$MLP; cat t.json", """$MLP; echo '[{"ph":"M"}]'"""),
    "a package without": ("$SWEEP --workload mlp",),
    "options are validated": (
        "graphbench --sweep --epilogues on --dry-run", "graphbench --sweep --epilogue on"),
    "attention is one op": ("$SWEEP --workload attention --attention fused",),
    "nothing is loaded ahead": ("graphbench --sweep --workload mlp --mode eager --batch 1,2 --dry-run",),
    "one exec for many sizes": ("$LADDER --capture-sizes 1,2,4",),
    "one stream for all": ("$MLP",),
    "a branch on the device": ("$MLP --dump-program",),
    "a SWITCH over sizes": ("$LADDER --capture-sizes 1,2,4 --exec switch --mode piecewise",
                            "$LADDER --capture-sizes 1,2,4 --exec shared"),
}


class Reference(ReferenceCase):
    def test_every_line_is_of_an_item_and_what_it_names_is_there(self):
        self.assertEqual(len(re.findall(r"^(?:- )", self.text, re.MULTILINE)), len(self.items))
        self.assertGreater(len(self.items), 30)
        for capability in self.items:
            for path in re.findall(r"`([a-z]+/[a-z_/]+\.cpp)`", capability):
                self.assertTrue((ROOT / path).exists(), path)

    def test_the_steps_that_items_name_are_there(self):
        """Also of items that only a GPU runs."""
        given = [self.named.replace("$STEPS", "STEPS") + command for _, command, _ in self.items.values()]
        named = [each for text in given for each in re.findall(r"\$(?:STEPS|OWN)/(\w+\.py):(\w+)", text)]
        named += [("steps.py", each) for text in given for each in re.findall(r"\$TORCH:(\w+)", text)]
        self.assertGreater(len(named), 3)
        for file, function in named:
            text = (ROOT / "tests" / "torch" / file).read_text(encoding="utf-8")
            self.assertRegex(text, rf"(?m)^(def {function}\(|{function} = )", f"{file}:{function}")

    def test_items_on_the_host(self):
        self.run_items("host", "host")

    def test_what_an_item_says_does_not_hold_without_its_feature(self):
        capabilities = [capability for capability, item in self.items.items() if item[2] == "host"]
        self.assertEqual(len(capabilities), len(CONTROLS))
        commands = 0
        for words, controls in CONTROLS.items():
            capability, = (each for each in capabilities if words in each)
            for command in controls:
                with self.subTest(capability=capability, command=command):
                    commands += 1
                    found, printed = self.broken_by(capability, command, "host")
                    self.assertNotEqual([], found, printed)
        print(f"{commands} controls, all of them noticed unless a subtest says otherwise")
