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

    def test_rows_on_the_host(self):
        self.run_rows("host", "host")
