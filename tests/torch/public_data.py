"""Small steps whose shapes, branches or copies depend on data or on the host, each written from scratch
after the public thread that its docstring names. expected.json says what a sweep must answer."""

import math

import torch
from step_parts import mlp

nn, F = torch.nn, torch.nn.functional


def rows_by_mask(batch, device):
    """Rows are chosen by a mask, whose count the host must know. vllm-project/vllm-omni#4562"""
    net, x = mlp(device).eval(), torch.randn(batch * 16, 128, device=device)

    @torch.no_grad()
    def step():
        return net(x[x.mean(-1) > 0])

    return step


def where_instead_of_mask(batch, device):
    """States of finished rows are kept by torch.where and masked assignment: every shape stays.
    NVIDIA-NeMo/Speech#8191"""
    torch.manual_seed(0)
    cell, x = nn.GRUCell(32, 64).to(device), torch.randn(batch * 8, 32, device=device)
    state, left = torch.zeros(batch * 8, 64, device=device), torch.arange(batch * 8, device=device)

    @torch.no_grad()
    def step():
        active = left > 0
        state.copy_(torch.where(active[:, None], cell(x, state), state))
        left.sub_(active.long())
        out = state.clone()
        out[~active] = 0
        return out, active

    return step


def counted_by_bincount(batch, device):
    """Tokens of each expert are counted by bincount, which waits even with minlength.
    pytorch/pytorch#192343"""
    torch.manual_seed(0)
    router, x = nn.Linear(32, 8).to(device), torch.randn(batch * 16, 32, device=device)

    @torch.no_grad()
    def step():
        return torch.bincount(router(x).argmax(-1), minlength=8)

    return step


def repeated_unknown(batch, device):
    """repeat_interleave without output_size reads the sum of the counts. huggingface/diffusers#11030"""
    torch.manual_seed(0)
    x = torch.randn(batch * 4, 32, device=device)
    counts = torch.tensor([1, 2, 3, 2], device=device).repeat(batch)
    return lambda: x.repeat_interleave(counts, 0).cumsum(0)


def repeated_known(batch, device):
    """The same with output_size: the host knows the sum. pytorch/torchtitan#3274"""
    torch.manual_seed(0)
    x = torch.randn(batch * 4, 32, device=device)
    counts = torch.tensor([1, 2, 3, 2], device=device).repeat(batch)
    return lambda: x.repeat_interleave(counts, 0, output_size=8 * batch) * 2


def experts_in_loop(batch, device):
    """Each expert takes its tokens by a torch.where of one argument. huggingface/transformers#30793"""
    torch.manual_seed(0)
    router, experts = nn.Linear(64, 4).to(device), [mlp(device, 64) for _ in range(4)]
    x = torch.randn(batch * 16, 64, device=device)

    @torch.no_grad()
    def step():
        weights, chosen = router(x).softmax(-1).topk(2)
        y = torch.zeros_like(x)
        for i, expert in enumerate(experts):
            rows, which = torch.where(chosen == i)
            y.index_add_(0, rows, expert(x[rows]) * weights[rows, which, None])
        return y

    return step


def experts_grouped(batch, device):
    """Tokens sorted by expert go through one grouped matmul with offsets on the device.
    pytorch/pytorch#169970"""
    torch.manual_seed(0)
    router = nn.Linear(64, 4).to(device, torch.bfloat16)
    w = torch.randn(4, 128, 64, device=device, dtype=torch.bfloat16) / 8
    x = torch.randn(batch * 16, 64, device=device, dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        chosen, order = router(x).argmax(-1).sort(stable=True)
        offsets = torch.histc(chosen.float(), bins=4, min=0, max=3).cumsum(0).int()
        y = torch._grouped_mm(x[order], w.transpose(-2, -1), offs=offsets)
        return torch.zeros_like(y).index_copy_(0, order, y)

    return step


def experts_with_capacity(batch, device):
    """argsort of the routing map instead of masked_select gives a fixed shape; what is over capacity drops.
    NVIDIA/Megatron-LM#3373"""
    torch.manual_seed(0)
    router, w = nn.Linear(64, 4).to(device), torch.randn(4, 64, 64, device=device) / 8
    x, capacity = torch.randn(batch * 16, 64, device=device), batch * 6

    @torch.no_grad()
    def step():
        scores = router(x).softmax(-1)
        routed = F.one_hot(scores.argmax(-1), 4).bool().t()
        tokens = routed.long().argsort(dim=1, descending=True, stable=True)[:, :capacity]
        kept = routed.gather(1, tokens)
        y = torch.bmm(x[tokens], w) * (scores.t().gather(1, tokens) * kept)[..., None]
        return torch.zeros_like(x).index_add_(0, tokens.flatten(), y.flatten(0, 1)), kept

    return step


def inverse_checked(batch, device):
    """An image is warped by the inverse of a matrix, and linalg.inv looks whether there is one.
    kornia/kornia#3834"""
    torch.manual_seed(0)
    images = torch.rand(batch, 3, 32, 32, device=device)
    turn = torch.eye(3, device=device) + torch.randn(batch, 3, 3, device=device) / 20

    @torch.no_grad()
    def step():
        grid = F.affine_grid(torch.linalg.inv(turn)[:, :2], list(images.shape), align_corners=False)
        return F.grid_sample(images, grid, align_corners=False)

    return step


def branch_on_nan(batch, device):
    """Python asks whether a result is finite. NVIDIA/TransformerEngine#1997"""
    net, x = mlp(device).eval(), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        y = net(x)
        if not torch.isfinite(y).all():
            y = torch.zeros_like(y)
        return y * 2

    return step


def branch_by_cond(batch, device):
    """torch.cond chooses a branch by a value on the device. pytorch/pytorch#168912"""
    torch.manual_seed(0)
    x = torch.randn(batch, 64, device=device)

    @torch.no_grad()
    def step():
        return torch.cond(x.sum() > 0, lambda x: x.sin() * 2, lambda x: x.cos() + 1, (x,))

    return step


def repr_asked(batch, device):
    """A library looks for a word in repr(x), which prints the tensor. pytorch/ao#4872"""
    torch.manual_seed(0)
    x = torch.randint(-127, 127, (32 * batch, 64), device=device).to(torch.int8)
    w = torch.randint(-127, 127, (64, 64), device=device).to(torch.int8)

    @torch.no_grad()
    def step():
        if "FakeTensor" in repr(x):
            return x
        return torch._int_mm(x, w.t()).float() / 127

    return step


def int8_dynamic(batch, device):
    """Activations are quantised by row on the device, then an int8 matmul. huggingface/optimum-quanto#43"""
    torch.manual_seed(0)
    x, w = torch.randn(32 * batch, 64, device=device), torch.randn(64, 64, device=device)
    of_w = w.abs().amax(1, keepdim=True) / 127
    w8 = (w / of_w).round().to(torch.int8)

    @torch.no_grad()
    def step():
        of_x = x.abs().amax(1, keepdim=True) / 127
        return torch._int_mm((x / of_x).round().to(torch.int8), w8.t()) * of_x * of_w.t()

    return step


def frequencies_on_cpu(batch, device):
    """A timestep's embedding makes its frequencies on the CPU at every call. pytorch/pytorch#91302"""
    net, at = mlp(device, 64).eval(), torch.arange(batch, device=device)

    @torch.no_grad()
    def step():
        frequencies = torch.exp(-math.log(10000) * torch.arange(32) / 32).to(at.device)
        angles = at[:, None] * frequencies
        return net(torch.cat([angles.sin(), angles.cos()], -1))

    return step


def boxes_by_nms(batch, device):
    """Detection ends with non-maximum suppression, which keeps as many boxes as there are.
    pytorch/vision#8713"""
    import torchvision

    torch.manual_seed(0)
    corner = torch.rand(batch * 50, 2, device=device) * 50
    boxes = torch.cat([corner, corner + 5 + torch.rand(batch * 50, 2, device=device) * 20], 1)
    scores = torch.rand(batch * 50, device=device)
    return lambda: boxes[torchvision.ops.nms(boxes, scores, 0.5)]


def staged_in_pinned(batch, device):
    """The step begins with an asynchronous copy from pinned memory. pytorch/pytorch#166765"""
    net = mlp(device).eval()
    staged = torch.randn(batch * 8, 128, pin_memory=device.type == "cuda")
    x = torch.empty(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        x.copy_(staged, non_blocking=True)
        return net(x)

    return step


def counted_on_host(batch, device):
    """A counter in pinned memory is raised by the CPU and copied to the device by each step.
    pytorch/pytorch#167508"""
    net, x = mlp(device).eval(), torch.randn(batch * 8, 128, device=device)
    calls, seen = torch.zeros(1, pin_memory=device.type == "cuda"), torch.zeros(1, device=device)

    @torch.no_grad()
    def step():
        calls.add_(1)
        seen.copy_(calls, non_blocking=True)
        return net(x / seen)

    return step


def pooled_without_size(batch, device):
    """A graph network's pooling asks the largest index how many graphs there are. torchmd/torchmd-net#195"""
    from torch_geometric.nn import global_mean_pool

    torch.manual_seed(0)
    x = torch.randn(batch * 12, 32, device=device)
    of = torch.arange(batch, device=device).repeat_interleave(12)
    return lambda: global_mean_pool(x, of)


def convolution_cached(batch, device):
    """GCNConv(cached=True) norms its edges at the first call, with waits, and never again.
    rusty1s/pytorch_scatter#244"""
    from torch_geometric.nn import GCNConv

    torch.manual_seed(0)
    net = GCNConv(32, 32, cached=True).to(device)
    x = torch.randn(batch * 12, 32, device=device)
    edges = torch.randint(batch * 12, (2, batch * 60), device=device)

    @torch.no_grad()
    def step():
        return net(x, edges).relu()

    return step


class Sampler:
    """A diffusion sampler that holds the index of its step as a Python int, as schedulers do."""

    def __init__(self, net, x, sigmas):
        self.net, self.x, self.sigmas, self.index = net, x, sigmas, 0

    @torch.no_grad()
    def step(self):
        now, then = self.sigmas[self.index], self.sigmas[self.index + 1]
        self.x.add_(self.net(self.x / (1 + now)), alpha=float(then - now))
        self.index = (self.index + 1) % (len(self.sigmas) - 1)
        return self.x


def sampler_index_in_python(batch, device):
    """The sampler takes its noise level from a list on the CPU by a Python index.
    huggingface/diffusers#4347"""
    net, x = mlp(device).eval(), torch.randn(batch * 8, 128, device=device)
    return Sampler(net, x, torch.linspace(10, 0, 31)).step


def sampler_index_on_device(batch, device):
    """Index and noise levels are tensors, so each replay takes the next level. jcelerier/librediffusion#20"""
    net, x = mlp(device).eval(), torch.randn(batch * 8, 128, device=device)
    sigmas, index = torch.linspace(10, 0, 31, device=device), torch.zeros(1, dtype=torch.int64, device=device)

    @torch.no_grad()
    def step():
        now, then = sigmas.index_select(0, index), sigmas.index_select(0, index + 1)
        x.add_(net(x / (1 + now)) * (then - now))
        index.add_(1).remainder_(30)
        return x

    return step
