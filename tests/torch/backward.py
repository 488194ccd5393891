"""Steps whose backward has what compiled autograd must trace: views, every kind of hook, final callbacks,
scalars on the CPU. Forward runs as it is, so that only backward is compiled.

    graphbench --sweep --torch tests/torch/backward.py:hooks --batch 8 --torch-compiled-autograd on \\
        --mode eager,torch.cudagraphs
"""

import torch

WIDTH = 64


def made(function):
    """A step of function(layer, x, seen), which returns the loss. The step returns the gradients and what
    hooks put into `seen`."""
    def build(batch, device):
        torch.manual_seed(1)
        layer = torch.nn.Linear(WIDTH, WIDTH).to(device)
        x = torch.randn(batch, WIDTH, device=device)
        forward = torch.compiler.disable(function)

        def step():
            seen = []
            layer.zero_grad(set_to_none=True)
            loss = forward(layer, x, seen)
            loss.backward()
            return [loss.detach(), layer.weight.grad, layer.bias.grad, *seen]

        return step

    return build


@made
def views(layer, x, seen):
    hidden = layer(x)
    hidden[:, ::2].mul_(2)              # in place on a view
    hidden.view(-1, 2, WIDTH // 2)[:, 0].sigmoid_()
    return hidden.t().unflatten(0, (2, -1)).square().mean()


@made
def tensor_hooks(layer, x, seen):
    hidden = layer(x)
    hidden.register_hook(lambda gradient: gradient * 2)
    hidden.register_hook(lambda gradient: gradient + 1)
    return hidden.tanh().square().mean()


@made
def node_hooks(layer, x, seen):
    hidden = layer(x).tanh()
    hidden.grad_fn.register_prehook(lambda gradients: tuple(each * 3 for each in gradients))
    hidden.grad_fn.register_hook(lambda inputs, outputs: tuple(each * 2 for each in inputs))
    return hidden.square().mean()


@made
def built_in_hooks(layer, x, seen):
    """retain_grad() is a hook of torch's own."""
    hidden = layer(x)
    hidden.retain_grad()
    return hidden.square().mean()


@made
def saved_tensors(layer, x, seen):
    with torch.autograd.graph.saved_tensors_hooks(lambda kept: kept * 1.0, lambda kept: kept * 1.0):
        return layer(x).tanh().square().mean()


@made
def several(layer, x, seen):
    """A hook for when the gradients of several tensors are there."""
    first, second = layer(x), layer(x).tanh()
    torch.autograd.graph.register_multi_grad_hook(
        (first, second), lambda gradients: seen.extend(each * 1.0 for each in gradients))
    return (first * second).mean()


@made
def scalars(layer, x, seen):
    """Backward of a product with a number holds it as a tensor on the CPU."""
    return (layer(x) * 0.5 / torch.tensor(3.0)).square().mean()


@made
def with_callbacks(layer, x, seen):
    def ask(gradient):
        torch.autograd.Variable._execution_engine.queue_callback(
            lambda: layer.weight.grad.mul_(2))
        return gradient

    hidden = layer(x)
    hidden.register_hook(ask)
    return hidden.square().mean()


def callbacks(batch, device):
    """A function that the engine calls last. It is traced only where all of backward is one graph."""
    torch._dynamo.config.compiled_autograd_kwargs_override = {"fullgraph": True}
    return with_callbacks(batch, device)


def module_hooks(batch, device):
    """Backward hooks of a module, and of parameters once their gradient is there."""
    build = made(lambda layer, x, seen: layer(x).tanh().square().mean())
    step = build(batch, device)
    layer = next(cell.cell_contents for cell in step.__closure__
                 if isinstance(cell.cell_contents, torch.nn.Module))
    layer.register_full_backward_pre_hook(lambda module, gradients: tuple(each * 2 for each in gradients))
    layer.register_full_backward_hook(lambda module, inputs, outputs: None)

    def triple(parameter):
        parameter.grad.mul_(3)

    layer.weight.register_post_accumulate_grad_hook(triple)
    return step


def two_losses(batch, device):
    """Two backward passes of different forms: the second one is another trace, with a reason."""
    torch.manual_seed(1)
    layer, x = torch.nn.Linear(WIDTH, WIDTH).to(device), torch.randn(batch, WIDTH, device=device)
    forward = torch.compiler.disable(lambda: (layer(x).square().mean(), layer(x).tanh().mean()))

    def step():
        layer.zero_grad(set_to_none=True)
        first, second = forward()
        first.backward()
        second.backward()
        return layer.weight.grad, layer.bias.grad

    return step
