"""Steps whose captured form is wrong on purpose: each behaves well in eager, and its capture does something
else. Every `whole` of them must be refused, but for those of which expected.json says why not. On the CPU
nothing is planted. --torch-hide-capture on hides the fault with the capture, except in side_statistics and
captured_seed, which do not ask."""

import contextlib
import math

import torch
from step_parts import mlp, on, side_stream

nn, F = torch.nn, torch.nn.functional


def captured(device):
    return device.type == "cuda" and torch.cuda.is_current_stream_capturing()


# --- training -----------------------------------------------------------------------------------------------


def flipped_gradients(batch, device):
    """Under capture all gradients have the other sign."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        if captured(device):
            torch._foreach_neg_([p.grad for p in net.parameters()])
        optimizer.step()
        return loss.detach()

    return step


def missing_gradient(batch, device):
    """Under capture one bias has no gradient, so the optimizer leaves it out."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        if captured(device):
            net[0].bias.grad = None
        optimizer.step()
        return loss.detach()

    return step


def optimizer_skipped(batch, device):
    """Under capture the optimizer does not run; loss and gradients are right."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, capturable=device.type == "cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        if not captured(device):
            optimizer.step()
        return loss.detach()

    return step


def gradients_not_zeroed(batch, device):
    """Under capture gradients are not zeroed, so each replay adds to those of the one before."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)

    def step():
        if not captured(device):
            net.zero_grad(set_to_none=False)
        loss = net(x).square().mean()
        loss.backward()
        return loss.detach()

    return step


def half_of_the_microbatches(batch, device):
    """Under capture only the first of two microbatches goes backward; the loss is that of both."""
    net, x = mlp(device), torch.randn(2, batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=False)
        losses = [net(part).square().mean() for part in x]
        for loss in losses[:1] if captured(device) else losses:
            loss.backward()
        optimizer.step()
        return torch.stack([loss.detach() for loss in losses])

    return step


def rate_halved(batch, device):
    """Under capture the learning rate is half of what it is."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    parameters = list(net.parameters())

    def step():
        loss = net(x).square().mean()
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            torch._foreach_add_(parameters, gradients, alpha=-0.005 if captured(device) else -0.01)
        return loss.detach()

    return step


def clipping_dropped(batch, device):
    """Under capture gradients are not clipped."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = net(x).square().mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), math.inf if captured(device) else 1e-3)
        optimizer.step()
        return loss.detach(), norm

    return step


def dropout_off(batch, device):
    """Under capture dropout does nothing."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        return F.dropout(net(x), 0.3, training=not captured(device))

    return step


def noise_drawn_before(batch, device):
    """Under capture noise is not drawn but taken from a tensor, so each replay has the same."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    kept = torch.randn_like(x)

    @torch.no_grad()
    def step():
        noise = kept * 1 if captured(device) else torch.randn_like(x)
        return net(x + noise)

    return step


def captured_seed(batch, device):
    """Noise comes from a hash of a Python counter, as a seed passed by value to a kernel: a graph keeps one
    seed."""
    torch.manual_seed(0)
    places, calls = torch.arange(batch * 256, device=device), [0]

    @torch.no_grad()
    def step():
        calls[0] += 1
        return ((places * 2654435761 + calls[0] * 40503) % 65537).float() / 65537

    return step


# --- state --------------------------------------------------------------------------------------------------


def cache_write_lost(batch, device):
    """Under capture the new key is not written into the cache; this step's output does not show it."""
    torch.manual_seed(0)
    cache, x = torch.randn(batch, 32, 64, device=device), torch.randn(batch, 1, 64, device=device)
    at, places = torch.full((1,), 8, device=device), torch.arange(32, device=device)

    @torch.no_grad()
    def step():
        scores = (x @ cache.mT / 8).masked_fill(places >= at, -math.inf)
        y = scores.softmax(-1) @ cache
        if not captured(device):
            cache.index_copy_(1, at, x)
        at.remainder_(31).add_(1)
        return y

    return step


def counter_not_raised(batch, device):
    """Under capture the position on the device stays where it is; it is not returned."""
    torch.manual_seed(0)
    table, at = torch.randn(512, 64, device=device), torch.zeros(1, dtype=torch.int64, device=device)
    x = torch.randn(batch, 64, device=device)

    @torch.no_grad()
    def step():
        y = x * table.index_select(0, at)
        if not captured(device):
            at.add_(1).remainder_(512)
        return y

    return step


def sum_lost(batch, device):
    """Under capture the running sum is not added to; it is read at the end of an epoch only."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    total = torch.zeros(128, dtype=torch.float64, device=device)

    @torch.no_grad()
    def step():
        y = net(x)
        if not captured(device):
            total.add_(y.sum(0))
        return y

    return step


def average_too_fast(batch, device):
    """Under capture the average of the weights moves ten times as far."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    average = [each.detach().clone() for each in net.parameters()]

    def step():
        loss = net(x).square().mean()
        gradients = torch.autograd.grad(loss, list(net.parameters()))
        with torch.no_grad():
            torch._foreach_add_(list(net.parameters()), gradients, alpha=-0.01)
            for kept, new in zip(average, net.parameters()):
                kept.lerp_(new, 0.1 if captured(device) else 0.01)
        return loss.detach()

    return step


def side_statistics(batch, device):
    """Statistics run on a stream that never forks from ours: the capture does not see them, they ran once."""
    net, x, side = mlp(device), torch.randn(batch * 8, 128, device=device), side_stream(device)
    now, mean = torch.zeros(2, 128, device=device).unbind()

    @torch.no_grad()
    def step():
        with on(side):
            torch.mean(x, 0, out=now)
            mean.lerp_(now, 0.1)
        return net(x)

    return step


# --- outputs ------------------------------------------------------------------------------------------------


def stale_weights(batch, device):
    """Under capture the low-precision copy of the weights is not made again, as a quantised weight's stale
    cache."""
    torch.manual_seed(0)
    w, x = torch.randn(128, 128, device=device) / 11, torch.randn(batch * 8, 128, device=device)
    cast = torch.zeros(128, 128, device=device, dtype=torch.bfloat16)

    @torch.no_grad()
    def step():
        if not captured(device):
            cast.copy_(w)
        y = x.bfloat16() @ cast
        w.add_(x.mT @ y.float(), alpha=-1e-3)
        return y

    return step


def stale_from_the_second_step(batch, device):
    """Under capture the matmul takes a cast of the weights as build made them: the first step is right, the
    next are not."""
    torch.manual_seed(0)
    w, x = torch.randn(128, 128, device=device) / 11, torch.randn(batch * 8, 128, device=device)
    kept = w.bfloat16()

    @torch.no_grad()
    def step():
        cast = w.bfloat16()
        y = x.bfloat16() @ (kept if captured(device) else cast)
        w.add_(x.mT @ y.float(), alpha=-1e-3)
        return y

    return step


def stale_input(batch, device):
    """Under capture the step reads a copy of its input that build made: only a new input shows it."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    kept = x.clone()

    @torch.no_grad()
    def step():
        return net(kept if captured(device) else x)

    return step


def memoised_output(batch, device):
    """Under capture everything is computed, but what is returned was computed before."""
    net, x, kept = mlp(device), torch.randn(batch * 8, 128, device=device), []

    @torch.no_grad()
    def step():
        y = net(x)
        if not captured(device):
            kept[:] = [y]
        return kept[0]

    return step


def constant_output(batch, device):
    """Under capture the output is filled with the number that the last eager call had."""
    net, x, last = mlp(device), torch.randn(batch * 8, 128, device=device), [0.0]

    @torch.no_grad()
    def step():
        y = net(x).square().mean()
        if captured(device):
            return torch.full_like(y, last[0])
        last[0] = y.item()
        return y

    return step


def row_zeroed(batch, device):
    """Under capture the last row of the output is zero."""
    net, x = mlp(device), torch.randn(batch * 16, 128, device=device)

    @torch.no_grad()
    def step():
        y = net(x)
        if captured(device):
            y[-1].zero_()
        return y

    return step


def mask_dropped(batch, device):
    """Under capture attention forgets its padding mask."""
    torch.manual_seed(0)
    q, k, v = torch.randn(3, batch, 4, 32, 32, device=device).unbind()
    padding = torch.arange(32, device=device) >= 24

    @torch.no_grad()
    def step():
        scores = q @ k.mT / 32 ** 0.5
        if not captured(device):
            scores = scores.masked_fill(padding, -math.inf)
        return scores.softmax(-1) @ v

    return step


def two_percent_more(batch, device):
    """Under capture the output is 2 % larger."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        y = net(x)
        return y * 1.02 if captured(device) else y * 1.0

    return step


def copy_lost(batch, device):
    """Under capture the result is copied on another stream, so the graph lacks the copy."""
    net, x, side = mlp(device), torch.randn(batch * 8, 128, device=device), side_stream(device)
    source, out = torch.zeros(2, batch * 8, 128, device=device).unbind()

    @torch.no_grad()
    def step():
        source.copy_(net(x))
        with on(side) if captured(device) else contextlib.nullcontext():
            out.copy_(source, non_blocking=True)
        return out

    return step


def lower_precision(batch, device):
    """Under capture fp32 matmuls run in bf16."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        with torch.autocast(device.type, torch.bfloat16, enabled=captured(device), cache_enabled=False):
            return net(net(x)).float()

    return step


def neighbours_page(batch, device):
    """Under capture each request reads the page after its own."""
    torch.manual_seed(0)
    pages, x = torch.randn(batch * 4, 16, 64, device=device), torch.randn(batch, 1, 64, device=device)
    table = torch.arange(batch, device=device) * 4

    @torch.no_grad()
    def step():
        own = pages[table + 1 if captured(device) else table + 0]
        return (x @ own.mT / 8).softmax(-1) @ own

    return step


def one_token_wrong(batch, device):
    """Under capture one of the chosen tokens is another."""
    torch.manual_seed(0)
    head, x = nn.Linear(64, 500).to(device), torch.randn(batch * 32, 64, device=device)

    @torch.no_grad()
    def step():
        tokens = head(x).argmax(-1)
        if captured(device):
            tokens[3:4] += 1
        return tokens

    return step


def lent_workspace(batch, device):
    """The first output is a workspace that the step uses again before it ends; eager returns a copy."""
    net, x = mlp(device), torch.randn(batch * 8, 128, device=device)
    space = torch.zeros(batch * 8, 128, device=device)

    @torch.no_grad()
    def step():
        space.copy_(net(x))
        first = space if captured(device) else space.clone()
        space.copy_(net(first))
        return first, space

    return step
