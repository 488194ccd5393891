"""docs/reference/reference-systems.md: every item's command does what the item says, on the host device."""

import re

from reference_case import ROOT, ReferenceCase


class Reference(ReferenceCase):
    def test_every_line_is_of_an_item_and_what_it_names_is_there(self):
        self.assertEqual(len(re.findall(r"^(?:- )", self.text, re.MULTILINE)), len(self.items))
        self.assertGreater(len(self.items), 30)
        for capability, *_ in self.items:
            for path in re.findall(r"`([a-z]+/[a-z_/]+\.cpp)`", capability):
                self.assertTrue((ROOT / path).exists(), path)

    def test_the_steps_that_items_name_are_there(self):
        """Also of items that only a GPU runs."""
        named = [each for item in self.items for each in re.findall(r"\$STEPS/(\w+\.py):(\w+)", item[1])]
        self.assertGreater(len(named), 2)
        for file, function in named:
            text = (ROOT / "tests" / "torch" / file).read_text(encoding="utf-8")
            self.assertRegex(text, rf"(?m)^(def {function}\(|{function} = )", f"{file}:{function}")

    def test_items_on_the_host(self):
        self.run_items("host", "host")
