"""docs/reference/reference-systems.md: every row's command does what the row says, on the host device."""

import re

from reference_case import ROOT, ReferenceCase


class Reference(ReferenceCase):
    def test_every_line_is_a_row_and_what_it_names_is_there(self):
        self.assertEqual([], [line for line, row in zip(self.lines, self.rows) if not row])
        self.assertGreater(len(self.rows), 30)
        for row in self.rows:
            for path in re.findall(r"`([a-z]+/[a-z_/]+\.cpp)`", row[2]):
                self.assertTrue((ROOT / path).exists(), path)

    def test_the_steps_that_rows_name_are_there(self):
        """Also of rows that only a GPU runs."""
        named = [each for row in self.rows for each in re.findall(r"\$STEPS/(\w+\.py):(\w+)", row[3])]
        self.assertGreater(len(named), 2)
        for file, function in named:
            text = (ROOT / "tests" / "torch" / file).read_text(encoding="utf-8")
            self.assertRegex(text, rf"(?m)^(def {function}\(|{function} = )", f"{file}:{function}")

    def test_rows_on_the_host(self):
        self.run_rows("host", "host")
