"""Steps under an older PyTorch, which this one plays: newer names of torch.cuda are hidden.

    graphbench --sweep --torch tests/torch/older.py:decode --mode eager,whole,torch.replay --json older.json
    python3 tests/torch/older.py older.json    # ends with an error unless all of its cells are right
"""

import json
import sys
import types

import torch


class CUDAGraph:
    """torch's own without what lends the graph to others."""
    original = torch.cuda.CUDAGraph

    def __init__(self):
        self.graph = CUDAGraph.original()

    def __getattr__(self, name):
        if name in ("graph", "raw_cuda_graph", "instantiate", "register_generator_state"):
            raise AttributeError(name)
        return getattr(self.graph, name)

    def replay(self):
        self.graph.replay()


def hide():
    for name in ("MemPool", "use_mem_pool"):
        if hasattr(torch.cuda, name):
            delattr(torch.cuda, name)
    torch.cuda.CUDAGraph = CUDAGraph
    properties = torch.cuda.get_device_properties
    torch.cuda.get_device_properties = lambda device=None: types.SimpleNamespace(**{
        name: getattr(properties(device), name) for name in dir(properties(device))
        if name[:1] != "_" and not name.startswith(("uuid", "pci_"))})


def judge(path):
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    for cell in cells:
        graphs = cell["mode"] in ("whole", "torch.replay")
        assert cell["status"] == "ok", cell
        assert not graphs or cell["graph"] is None, cell
        assert ("CUDAGraph.replay()" in str(cell["library"])) == (cell["mode"] == "whole"), cell
    assert {"eager", "whole", "torch.replay"} == {cell["mode"] for cell in cells}
    print(f"older.py: {len(cells)} cells of {path} are right")


def dropout(batch, device):
    """Draws random numbers, which only replay() moves on."""
    torch.manual_seed(1)
    layer, x = torch.nn.Linear(256, 256).to(device), torch.randn(batch, 256, device=device)

    def step():
        with torch.no_grad():
            return torch.nn.functional.dropout(layer(x), 0.5)

    return step


if __name__ == "__main__":
    judge(sys.argv[1])
else:
    from steps import decode, llama, mlp, train_mlp  # noqa: F401 - for --torch

    hide()
