"""docs/reference/reference-systems.md: its rows that need a GPU."""

from reference_case import ReferenceCase


class ReferenceOnAGpu(ReferenceCase):
    def test_rows_on_a_gpu(self):
        self.skip_without_gpu()
        self.run_rows("gpu", "cuda")
