"""Loops of training and evaluation over several callables, in the form that mode torch.callables graphs with
their backward: what torch.cuda.make_graphed_callables takes, and what it refuses.

    graphbench --sweep --torch tests/torch/callables.py:loop --batch 8 --mode eager,whole,torch.callables
"""

import torch

import graphbench

WIDTH = 64


def modules(device, count=2):
    torch.manual_seed(1)
    return [torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.BatchNorm1d(WIDTH),
                                torch.nn.GELU()).to(device) for _ in range(count)]


def samples(batch, device, count):
    """What each module gets: only the first one's input needs no gradient."""
    return [(torch.randn(batch, WIDTH, device=device, requires_grad=index > 0),) for index in range(count)]


def trained(made, x, y, run):
    """A step of training with SGD, whose state is the parameters' alone."""
    optimizer = torch.optim.SGD([each for module in made for each in module.parameters()], lr=0.01)

    def step(given):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(run(given, x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def in_turn(given, x):
    for module in given:
        x = module(x)
    return x


def data(batch, device):
    return torch.randn(2, batch, WIDTH, device=device).unbind()


def one(batch, device):
    """One module, forward alone."""
    (module,) = modules(device, 1)
    return module.eval(), (torch.randn(batch, WIDTH, device=device),)


def loop(batch, device):
    """Three callables in a training loop, with statistics that each step moves on, and eager code between."""
    made, (x, y) = modules(device, 3), data(batch, device)

    def run(given, x):
        first, second, third = given
        return third(second(first(x)) * 2)

    return graphbench.callables(made, samples(batch, device, 3), trained(made, x, y, run))


def functions(batch, device):
    """A function among the callables: it has no parameters, so only its input gets a gradient."""
    (module,), (x, y) = modules(device, 1), data(batch, device)
    made = [module, lambda hidden: torch.tanh(hidden) * hidden]
    return graphbench.callables(made, samples(batch, device, 2), trained(made[:1], x, y, in_turn))


def evaluation(batch, device):
    """In eval: statistics stay."""
    made, x = [module.eval() for module in modules(device)], torch.randn(batch, WIDTH, device=device)
    return graphbench.callables(made, samples(batch, device, 2), lambda given: in_turn(given, x))


def train_graphed_eval_run(batch, device):
    """Graphed in train and run in eval: the API runs the originals, and its warm-ups must leave no mark."""
    made, x = modules(device), torch.randn(batch, WIDTH, device=device)

    def step(given):
        for module in given:
            module.eval()
        out = in_turn(given, x)
        for module in given:
            module.train()
        return out

    return graphbench.callables(made, samples(batch, device, 2), step)


def train_and_eval(batch, device):
    """Trains and evaluates in one step: the first half replays graphs, the second half runs eagerly."""
    made, (x, y) = modules(device), data(batch, device)
    train = trained(made, x, y, in_turn)

    def step(given):
        loss = train(given)
        for module in given:
            module.eval()
        with torch.no_grad():
            out = in_turn(given, x)
        for module in given:
            module.train()
        return loss, out

    return graphbench.callables(made, samples(batch, device, 2), step)


def input_gradients(batch, device):
    """The gradient of the input itself is a result too."""
    made, x = modules(device), torch.randn(batch, WIDTH, device=device, requires_grad=True)
    given = [(torch.randn(batch, WIDTH, device=device, requires_grad=True),) for _ in made]

    def step(callables):
        out = in_turn(callables, x)
        return out.detach(), *torch.autograd.grad(out.square().sum(), x)

    return graphbench.callables(made, given, step)


def unasked_gradients(batch, device):
    """The second callable's sample asks for no gradient, so the first one silently gets none."""
    made, (x, y) = modules(device), data(batch, device)
    given = [(torch.randn(batch, WIDTH, device=device),) for _ in made]
    return graphbench.callables(made, given, trained(made, x, y, in_turn))


def hooked(batch, device):
    made, (x, y) = modules(device), data(batch, device)
    made[0].register_forward_hook(lambda module, args, out: out * 2)
    return graphbench.callables(made, samples(batch, device, 2), trained(made, x, y, in_turn))


def trained_buffer(batch, device):
    made, (x, y) = modules(device), data(batch, device)
    made[0].register_buffer("scale", torch.ones(WIDTH, device=device, requires_grad=True))
    return graphbench.callables(made, samples(batch, device, 2), trained(made, x, y, in_turn))


def twice(batch, device):
    """The gradient of a gradient."""
    made = [torch.nn.Tanh() for _ in range(2)]
    x = torch.randn(batch, WIDTH, device=device, requires_grad=True)
    given = [(torch.randn(batch, WIDTH, device=device, requires_grad=True),) for _ in made]

    def step(callables):
        first, = torch.autograd.grad(in_turn(callables, x).square().sum(), x, create_graph=True)
        x.grad = None
        first.square().sum().backward()
        return x.grad

    return graphbench.callables(made, given, step)


class Unused(torch.nn.Linear):
    def __init__(self):
        super().__init__(WIDTH, WIDTH)
        self.idle = torch.nn.Parameter(torch.ones(1))


def unused(batch, device):
    """A parameter that the module does not use: the API wants allow_unused_input=True."""
    torch.manual_seed(1)
    made, (x, y) = [Unused().to(device)], data(batch, device)
    return graphbench.callables(made, samples(batch, device, 1), trained(made, x, y, in_turn))


def unused_allowed(batch, device):
    made = unused(batch, device)
    made.options["allow_unused_input"] = True
    return made
