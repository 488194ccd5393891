"""docs/reference/reference-systems.md: its items that need a GPU."""

from reference_case import ReferenceCase


class ReferenceOnAGpu(ReferenceCase):
    def test_items_on_a_gpu(self):
        self.skip_without_gpu()
        self.run_items("gpu", "cuda")
