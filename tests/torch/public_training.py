"""Small training steps: mixed precision, optimizers, clipping and accumulation, each written from scratch
after the public thread that its docstring names. expected.json says what a sweep must answer."""

import functools

import torch
from step_parts import mlp

nn = torch.nn


def autocast_two_microbatches(batch, device):
    """Two microbatches share autocast's cached casts of weights that SGD then changes.
    pytorch/pytorch#84289"""
    net = mlp(device)
    x = torch.randn(2, batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, torch.bfloat16):
            loss = sum(net(part).float().square().mean() for part in x)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def scaler_fused_adam(batch, device):
    """GradScaler around a fused Adam, which takes scale and found_inf as tensors, so nothing waits.
    pytorch/pytorch#55562"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    cuda = device.type == "cuda"
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, fused=True, capturable=cuda)
    scaler = torch.amp.GradScaler(device.type, init_scale=1024.0)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, torch.float16 if cuda else torch.bfloat16):
            loss = net(x).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step


def scaler_plain_sgd(batch, device):
    """GradScaler around an optimizer that cannot take found_inf: it is read on the host to skip a step.
    pytorch/pytorch#64339"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9)
    scaler = torch.amp.GradScaler(device.type, init_scale=1024.0)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device.type, torch.bfloat16):
            loss = net(x).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    return step


def adam_not_capturable(batch, device):
    """Adam as most scripts write it counts its steps on the CPU. pytorch/pytorch#76368"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def adam_rate_as_tensor(batch, device):
    """The learning rate is a tensor on the device, which the step itself lowers. pytorch/pytorch#106802"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    rate = torch.tensor(1e-2, device=device)
    optimizer = torch.optim.Adam(net.parameters(), lr=rate, capturable=device.type == "cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        rate.mul_(0.9)
        return loss.detach()

    return step


def rate_in_python(batch, device):
    """A scheduler lowers a Python number, so a graph holds the rate of its capture for ever.
    microsoft/dion#104"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        return loss.detach()

    return step


def adagrad_counts_on_cpu(batch, device):
    """Adagrad's counters are CPU tensors and its decayed rate is a Python number: both freeze.
    tracel-ai/burn#5779"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.1, lr_decay=0.5)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def adafactor(batch, device):
    """Adafactor reads the norm of each parameter with .item(). pytorch/pytorch#118018"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.Adafactor(net.parameters(), lr=1e-2)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def lbfgs_closure(batch, device):
    """LBFGS calls a closure and decides on the host whether it goes on. pytorch/pytorch#118018"""
    net, x = mlp(device, 32), torch.randn(batch * 8, 32, device=device)
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=2, history_size=3)

    def closure():
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        return loss

    return lambda: optimizer.step(closure).detach()


def sparse_adam(batch, device):
    """Sparse gradients of an embedding are coalesced, whose size depends on the ids.
    pytorch/pytorch#101370"""
    torch.manual_seed(0)
    table = nn.Embedding(1000, 32, sparse=True).to(device)
    ids = torch.randint(1000, (batch * 16,), device=device)
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=1e-2)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = table(ids).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def clip_checked(batch, device):
    """Clipping with error_if_nonfinite=True waits for the norm. pytorch/pytorch#61042"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).square().mean().backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.1, error_if_nonfinite=True)
        optimizer.step()
        return norm

    return step


def clip_on_device(batch, device):
    """The same without the check: the factor stays on the device. pytorch/pytorch#60691"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).square().mean().backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        return norm

    return step


def norm_threshold(batch, device):
    """A step with too large a norm is skipped: Python compares a tensor with a number.
    NVIDIA/Megatron-LM#5889"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    parameters = list(net.parameters())

    def step():
        gradients = torch.autograd.grad(net(x).square().mean(), parameters)
        norm = torch.stack([each.norm() for each in gradients]).norm()
        if norm > float("inf"):
            return norm
        with torch.no_grad():
            torch._foreach_add_(parameters, gradients, alpha=-0.01)
        return norm

    return step


def zeros_counted(batch, device):
    """The zeros among the gradients are counted for the log, with .item(). NVIDIA/Megatron-LM#7407"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).relu().square().mean()
        loss.backward()
        zeros = sum((p.grad == 0).sum() for p in net.parameters()).item()
        optimizer.step()
        return {"loss": loss.detach(), "zeros": zeros}

    return step


def accumulate_inside(batch, device):
    """All microbatches of a step accumulate into gradients that are zeroed in place, in one graph.
    pytorch/torchtitan#4584"""
    net, x = mlp(device), torch.randn(4, batch * 4, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=False)
        losses = []
        for part in x:
            loss = net(part).square().mean() / len(x)
            loss.backward()
            losses.append(loss.detach())
        optimizer.step()
        return torch.stack(losses).sum()

    return step


class EveryFourth:
    """One microbatch a call; the optimizer runs at each fourth call, which Python counts."""

    def __init__(self, net, x):
        self.net, self.x, self.calls = net, x, 0
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.05)

    def __call__(self):
        loss = self.net(self.x).square().mean() / 4
        loss.backward()
        self.calls += 1
        if self.calls % 4 == 0:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)
        return loss.detach()


def accumulate_by_count(batch, device):
    """Python counts microbatches and steps the optimizer at every fourth. pytorch/torchtitan#4658"""
    return EveryFourth(mlp(device), torch.randn(batch * 4, 128, device=device))


def averaged_weights(batch, device):
    """An exponential average of the weights is kept by one foreach call after SGD.
    Lightning-AI/pytorch-lightning#20545"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    average = [each.detach().clone() for each in net.parameters()]

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for kept, new in zip(average, net.parameters()):
                kept.lerp_(new, 0.01)
        return loss.detach()

    return step


def averaged_by_swa_utils(batch, device):
    """AveragedModel counts its updates in a CPU tensor and divides by it. pytorch/pytorch#94820"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    average = torch.optim.swa_utils.AveragedModel(net)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        average.update_parameters(net)
        return loss.detach()

    return step


def update_in_backward(batch, device):
    """A hook updates each parameter inside backward and drops its gradient. NVIDIA/TransformerEngine#2831"""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def update(parameter):
        parameter.add_(parameter.grad, alpha=-0.01)
        parameter.grad = None

    for each in net.parameters():
        each.register_post_accumulate_grad_hook(update)

    def step():
        loss = net(x).square().mean()
        loss.backward()
        return loss.detach()

    return step


def muon_by_hand(batch, device):
    """Momentum is made orthogonal by a batched Newton-Schulz iteration in bf16.
    ultralytics/ultralytics#25288"""
    torch.manual_seed(0)
    weights = [nn.Parameter(torch.randn(96, 96, device=device) / 10) for _ in range(3)]
    momentum = torch.zeros(3, 96, 96, device=device)
    x = torch.randn(batch * 8, 96, device=device)

    def step():
        loss = functools.reduce(lambda h, w: torch.tanh(h @ w), weights, x).square().mean()
        momentum.lerp_(torch.stack(torch.autograd.grad(loss, weights)), 0.05)
        u = momentum.bfloat16()
        u = u / (u.float().norm(dim=(1, 2), keepdim=True) + 1e-7).bfloat16()
        for _ in range(5):
            a = u @ u.mT
            u = 3.4445 * u + (-4.775 * a + 2.0315 * a @ a) @ u
        with torch.no_grad():
            torch._foreach_add_(weights, list(u.float().unbind()), alpha=-0.02)
        return loss.detach()

    return step
