"""Steps that a capture cannot hold, each for one reason, and `other_stream`, whose work it misses silently.

    graphbench doctor --torch tests/torch/breakers.py:item --batch 4
"""

import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def step_of(breaker):
    def build(batch, device):
        x = torch.rand(batch, 64, device=device) - 0.5
        return lambda: breaker(x.relu()) + 1

    return build


item = step_of(lambda x: x * x.sum().item())
cpu = step_of(lambda x: x * x.sum().cpu().numpy().item())
unique = step_of(lambda x: torch.unique(x))
nonzero = step_of(lambda x: x.nonzero())
mask = step_of(lambda x: x[x > 0.25])


@step_of
def printing(x):
    print(x)
    return x


def cublas(batch, device):
    """The process's first product."""
    x = torch.rand(batch, 64, device=device)
    return lambda: x @ x.T


def pageable(batch, device):
    x, host = torch.rand(batch, 64, device=device), torch.rand(batch, 64)
    return lambda: x + host.to(device)


def first_triton(batch, device):
    """A kernel of Triton's that is compiled and loaded at its first launch. A capture holds it since driver
    580, so the doctor finds nothing."""
    x = torch.rand(batch, 64, device=device)

    def step():
        y = torch.empty_like(x)
        double[(x.numel() // 64,)](x, y)
        return y + 1

    return step


if triton is not None:

    @triton.jit
    def double(x, y):
        at = tl.program_id(0) * 64 + tl.arange(0, 64)
        tl.store(y + at, tl.load(x + at) * 2)


def other_stream(batch, device):
    """Nothing fails: the square runs on a stream that does not join the capture."""
    x, y = torch.rand(2, batch, 64, device=device).unbind()
    stream = torch.cuda.Stream(device)

    def step():
        with torch.cuda.stream(stream):
            torch.mul(x, x, out=y)
        return x + 1, y

    return step
