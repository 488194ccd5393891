"""Small steps, each for one situation that users of PyTorch described: how inputs are laid out, what a step
returns, what it writes, and how a capture of it goes wrong. expected.json says what a sweep must answer.

    graphbench --sweep --torch tests/torch/situations.py:packed_attention --batch 1,4 --mode eager,whole
"""

import dataclasses
import functools
import tempfile
import typing

import torch
from step_parts import mlp, side_stream

nn, F = torch.nn, torch.nn.functional


# --- inputs that are not free to have any value -------------------------------------------------------------


def bags_by_offsets(batch, device):
    """Bags of five words each, given by where each bag begins and where the last one ends."""
    torch.manual_seed(3)
    words = nn.EmbeddingBag(2000, 48, mode="mean", include_last_offset=True).to(device).requires_grad_(False)
    begins = 5 * torch.arange(3 * batch + 1, device=device)
    chosen = torch.randint(2000, (15 * batch,), device=device)
    return lambda: words(chosen, begins)


def packed_attention(batch, device):
    """Sequences of 40 tokens without padding: the attention kernel reads where each begins."""
    from torch.nn.attention.varlen import varlen_attn

    torch.manual_seed(3)
    tokens = 40
    begins = tokens * torch.arange(batch + 1, device=device, dtype=torch.int32)
    query, key, value = (torch.randn(tokens * batch, 4, 64, device=device, dtype=torch.bfloat16)
                         for _ in range(3))

    @torch.no_grad()
    def step():
        made = varlen_attn(query, key, value, begins, begins, tokens, tokens)
        return made if isinstance(made, torch.Tensor) else made[0]

    return step


def broadcast_inputs(batch, device):
    """Places and mask exist once and are expanded over the batch, so many elements have one address."""
    torch.manual_seed(3)
    length, width = 24, 96
    tokens, places = nn.Embedding(500, width).to(device), nn.Embedding(length, width).to(device)
    text = torch.randint(500, (batch, length), device=device)
    order = torch.arange(length, device=device).expand(batch, -1)
    allowed = (order[0, :, None] >= order[0]).expand(batch, 3, -1, -1)

    @torch.no_grad()
    def step():
        heads = (tokens(text) + places(order)).unflatten(-1, (3, 32)).transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads, heads, attn_mask=allowed).transpose(1, 2)

    return step


def sparse_weight(batch, device):
    """A weight with few elements, in compressed rows."""
    torch.manual_seed(3)
    dense = torch.randn(384, 320, device=device)
    weight = dense.masked_fill(dense < 1.5, 0).to_sparse_csr()
    columns = torch.randn(320, 2 * batch, device=device)

    @torch.no_grad()
    def step():
        return torch.relu(weight @ columns)

    return step


def positive_definite(batch, device):
    """Any other values would make the factorization fail. From batch 2 on the solver asks the host."""
    torch.manual_seed(3)
    root, goal = torch.randn(batch, 24, 24, device=device), torch.randn(batch, 24, 3, device=device)
    covariance = torch.baddbmm(24 * torch.eye(24, device=device), root, root.mT)

    def step():
        return torch.cholesky_solve(goal, torch.linalg.cholesky_ex(covariance).L)

    return step


def jagged_rows(batch, device):
    """Rows of different lengths in one nested tensor, which a network takes as it is."""
    torch.manual_seed(3)
    net = mlp(device, 32).requires_grad_(False)
    parts = [torch.randn(2 + 3 * at % 7, 32, device=device) for at in range(batch)]
    rows = torch.nested.nested_tensor(parts, layout=torch.jagged)

    @torch.no_grad()
    def step():
        return net(rows).values().tanh()

    return step


def without_rows(batch, device):
    """An expert that got no token: every shape has a zero."""
    net, tokens = mlp(device, 96).requires_grad_(False), torch.zeros(0, 96, device=device)
    return lambda: net(tokens)


# --- outputs and state --------------------------------------------------------------------------------------


@dataclasses.dataclass
class Answer:
    scores: torch.Tensor
    norms: typing.Any


def own_dataclass(batch, device):
    """Outputs are the fields of a class that the user wrote."""
    net, features = mlp(device, 64), torch.randn(batch, 64, device=device)

    @torch.no_grad()
    def step():
        scores = net(features)
        return Answer(scores, norms={"of rows": scores.norm(dim=1)})

    return step


def into_buffer(batch, device):
    """Returns None: the product is written where the caller reads it."""
    torch.manual_seed(3)
    left, right = torch.randn(batch, 256, device=device), torch.randn(256, 192, device=device)
    product = left.new_zeros(batch, 192)

    def step():
        torch.matmul(left, right, out=product)

    return step


def into_pinned_memory(batch, device):
    """The choice goes to pinned memory, and the step does not wait for it."""
    net, features = mlp(device, 64), torch.randn(batch, 64, device=device)
    chosen = torch.zeros(batch, dtype=torch.int64, pin_memory=device.type == "cuda")

    @torch.no_grad()
    def step():
        return chosen.copy_(net(features).max(dim=1).indices, non_blocking=True)

    return step


def descent_by_hand(batch, device):
    """Weights move without an optimizer, so nothing names them as state but that the step writes them."""
    net, samples = mlp(device, 64), torch.randn(4 * batch, 64, device=device)
    weights = tuple(net.parameters())

    def step():
        error = (net(samples) - samples).pow(2).mean()
        slopes = torch.autograd.grad(error, weights)
        with torch.no_grad():
            for weight, slope in zip(weights, slopes):
                weight.sub_(slope, alpha=0.02)
        return error.detach()

    return step


def static_cache(batch, device):
    """One token of decode with transformers' StaticCache, whose layers count their positions."""
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

    torch.manual_seed(3)
    settings = LlamaConfig(vocab_size=800, hidden_size=192, intermediate_size=384, num_hidden_layers=3,
                           num_attention_heads=6, num_key_value_heads=3, max_position_embeddings=128)
    llama = LlamaForCausalLM(settings).to(device, torch.bfloat16).eval()
    kept = StaticCache(config=settings, max_cache_len=96)
    call = functools.partial(llama, past_key_values=kept, use_cache=True)
    with torch.no_grad():
        call(torch.randint(800, (batch, 12), device=device))
    token, place = torch.randint(800, (batch, 1), device=device), torch.full((1,), 12, device=device)

    @torch.no_grad()
    def step():
        return call(token, cache_position=place, position_ids=place.expand(batch, 1)).logits[:, -1]

    return step


class Lazy:
    """Keeps what its first call made."""

    def __init__(self, batch, device):
        self.net = mlp(device, 96).requires_grad_(False)
        self.samples = torch.randn(batch, 96, device=device)

    @functools.cached_property
    def answer(self):
        return self.net(self.samples)

    @functools.cached_property
    def copy(self):
        return self.samples * 1


def computed_once(batch, device):
    """The second call returns the first one's result: a capture of it holds nothing."""
    lazy = Lazy(batch, device)
    return lambda: lazy.answer


def copied_once(batch, device):
    """The step reads a copy that the first call made, so no new input ever reaches an output."""
    lazy = Lazy(batch, device)
    return lambda: lazy.net(lazy.copy)


# --- random numbers -----------------------------------------------------------------------------------------


def own_generator(batch, device):
    """Samples with a generator that the user made."""
    dice = torch.Generator(device)
    dice.manual_seed(11)
    odds = torch.rand(batch, 300, device=device)
    return lambda: torch.multinomial(odds, 2, generator=dice)


def default_generator(batch, device):
    """Samples with the default generator, of whose seed a replay launches copies."""
    odds = torch.rand(batch, 300, device=device)
    return lambda: torch.multinomial(odds, 2)


# --- kernels and copies -------------------------------------------------------------------------------------


def table_gradient(batch, device):
    """The gradient of a table that many ids read: sorting them used to wait."""
    torch.manual_seed(3)
    table, chosen = nn.Embedding(700, 24).to(device), torch.randint(700, (4000 * batch,), device=device)

    def step():
        return torch.autograd.grad(table(chosen).sin().sum(), table.weight)

    return step


def shifted_windows(batch, device):
    """Attention in windows that are rolled first. In a graph, the driver runs small copies as kernels."""
    torch.manual_seed(3)
    image = torch.randn(batch, 12, 12, 48, device=device)

    def step():
        rolled = image.roll((-3, -3), dims=(1, 2)).unflatten(2, (2, 6)).unflatten(1, (2, 6))
        windows = rolled.transpose(2, 3).flatten(0, 2).flatten(1, 2)
        halves = windows.chunk(2, dim=1)
        mixed = torch.cat((halves[1], halves[0] + 1), dim=1)
        weights = (mixed @ mixed.transpose(1, 2) / 7).softmax(dim=2)
        return torch.stack((weights @ mixed, mixed.clone()), dim=1)

    return step


def scalar_from_cpu(batch, device):
    """A scalar is made on the CPU in each step: backend cudagraphs takes no graph, and a capture fails."""
    samples = torch.randn(batch, 40, device=device)
    return lambda: samples * torch.full((), 0.5).to(device) - 1


# --- steps that bring their own graphs or waits -------------------------------------------------------------


def own_graphs(batch, device):
    """The model inside is compiled with reduce-overhead, which replays graphs of its own."""
    samples = torch.randn(batch, 160, device=device)
    fast = torch.compile(mlp(device, 160), dynamic=False, mode="reduce-overhead")

    @torch.no_grad()
    def step():
        torch.compiler.cudagraph_mark_step_begin()
        return fast(samples) + 0

    return step


def own_stopwatch(batch, device):
    """The step measures itself by two events and waits for the second."""
    net, samples = mlp(device, 96), torch.randn(batch, 96, device=device)
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    @torch.no_grad()
    def step():
        first.record()
        result = net(samples)
        last.record()
        last.synchronize()
        assert first.elapsed_time(last) >= 0
        return result

    return step


packages = {}


def compiled_ahead(batch, device):
    """A package of the ahead-of-time compiler, made and loaded by build, once for each batch."""
    net, samples = mlp(device, 96).requires_grad_(False), torch.randn(batch, 96, device=device)
    if batch in packages:
        return functools.partial(packages[batch], samples)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        file = f"{folder}/net.pt2"
        torch._inductor.aoti_compile_and_package(torch.export.export(net, (samples,)), package_path=file)
        packages[batch] = torch._inductor.aoti_load_package(file)
    return functools.partial(packages[batch], samples)


def checks_in_eager(batch, device):
    """Reads its sum back in eager only, as transformers' masks do."""
    base = torch.rand(batch, 80, device=device)

    def step():
        captured = device.type == "cuda" and torch.cuda.is_current_stream_capturing()
        if not captured and base.isnan().any():
            raise ValueError("not a number")
        return base * 2

    return step


def checks_and_reads(batch, device):
    """As before, and then reads back in any case."""
    base = torch.rand(batch, 80, device=device)

    def step():
        captured = device.type == "cuda" and torch.cuda.is_current_stream_capturing()
        if not captured and base.isnan().any():
            raise ValueError("not a number")
        return base * base.sum().item()

    return step


def asks_the_driver(batch, device):
    """Reads back in eager only, and asks by a name of its own whether it is captured."""
    from torch.cuda import is_current_stream_capturing
    base = torch.rand(batch, 80, device=device)

    def step():
        captured = device.type == "cuda" and is_current_stream_capturing()
        scale = 2.0 if captured or base.sum().item() > 0 else 3.0
        return base * scale

    return step


# --- captures that are wrong --------------------------------------------------------------------------------


def gradients_lost(batch, device):
    """Under capture every gradient is zero, as where a graph lost the backward pass."""
    net, samples = mlp(device, 64), torch.randn(4 * batch, 64, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02)

    def step():
        optimizer.zero_grad(set_to_none=True)
        error = net(samples).abs().mean()
        error.backward()
        if device.type == "cuda" and torch.cuda.is_current_stream_capturing():
            torch._foreach_zero_([weight.grad for weight in net.parameters()])
        optimizer.step()
        return error.detach()

    return step


def square_lost(batch, device):
    """The square runs on a stream that never waited for ours, so the graph does not hold it."""
    base, square = torch.rand(batch, 80, device=device), torch.zeros(batch, 80, device=device)
    apart = side_stream(device)

    def step():
        with torch.cuda.stream(apart):
            torch.square(base, out=square)
        return {"shifted": base - 1, "square": square}

    return step


def never_finite(batch, device):
    """Every output is infinite or no number, so equal outputs show nothing."""
    nothing = torch.zeros(batch, 32, device=device)
    return lambda: nothing / 0
