"""A program's training step as PyTorch has it: forward, mse loss, backward, and AdamW where asked for, its
state in the dtype of the parameters. Workloads are in programs.py, semantics in docs/training.md. It is a
program to the executors: its output is the loss, and its written state the gradients and the parameters."""

import torch
import torch.nn.functional as F

from executors import Captured, WeakAlias


class Layer(torch.nn.Module):
    """One layer as a module, which is what graphed callables are made of."""

    def __init__(self, program, weights):
        super().__init__()
        self.weights = torch.nn.ParameterList(weights)
        self.program = [program]  # in a list: no module of this one

    def forward(self, x):
        return self.program[0].layer(x, *self.weights)


class Training:
    def __init__(self, program, optimizer, seed):
        self.program = program
        parameters = {id(values): torch.nn.Parameter(values) for values in program.weights}
        program.layers = [tuple(parameters[id(values)] for values in layer) for layer in program.layers]
        self.parameters = list(parameters.values())
        self.layers = [Layer(program, layer) for layer in program.layers]
        program.generator.manual_seed(seed + 1)
        self.targets = torch.empty_like(program.x).uniform_(-1.0, 1.0, generator=program.generator)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-3, weight_decay=0.01, fused=True,
                                           capturable=True) if optimizer == "adamw" else None
        self.start = [values.detach().clone() for values in self.parameters]

    def weights_bytes(self):
        return self.program.weights_bytes()

    def fill_inputs(self, seed):
        self.program.fill_inputs(seed)

    def io(self, batch):
        x = self.program.io(batch)["x"]
        return {"x": x, "targets": self.targets[:len(x)], "gradients": None}

    def step(self, io, layers=None):
        for values in self.parameters:
            values.grad = None
        x = io["x"]
        for layer in layers or self.layers:
            x = layer(x)
        loss = F.mse_loss(x, io["targets"])
        loss.backward()
        # A capture's are the pool's, and later captures may take their memory.
        alias = WeakAlias.of if torch.cuda.is_current_stream_capturing() else lambda values: values
        io["gradients"] = [alias(values.grad) for values in self.parameters]
        if self.optimizer is not None:
            self.optimizer.step()
        return loss.detach()

    @torch.no_grad()
    def poison_state(self):
        """Every check begins with the same parameters, and with an optimizer that has taken no step."""
        for values, first in zip(self.parameters, self.start):
            values.copy_(first)
        if self.optimizer is not None:
            for state in self.optimizer.state.values():
                for values in state.values():
                    values.zero_()

    def written_state(self, io):
        return [values.detach().clone() for values in [*io["gradients"], *self.parameters]]


class Callables(Captured):
    """torch.cuda.make_graphed_callables over the layers; loss and optimizer are eager, as its users
    have them. Its own warmup, of one step, is inside the capture's time: torch offers no way around it."""

    def capture(self):
        sample = self.io["x"]
        samples = [(sample.detach().clone().requires_grad_(at > 0),)
                   for at in range(len(self.program.layers))]
        # A layer's parameters serve every batch: the modules that are graphed are this batch's own.
        layers = tuple(Layer(layer.program[0], list(layer.weights)) for layer in self.program.layers)
        self.layers = torch.cuda.make_graphed_callables(layers, samples, num_warmup_iters=1, pool=self.pool)
        self.submit = lambda: self.program.step(self.io, self.layers)

    def output(self, submitted):
        return submitted
