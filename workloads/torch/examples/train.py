"""A training step of a small transformer: forward, backward, and SGD with momentum."""

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, TOKENS, CLASSES = 128, 4, 4, 32, 100


def build(batch, device):
    torch.manual_seed(0)
    layers = [nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.0, batch_first=True)
              for _ in range(LAYERS)]
    model = nn.Sequential(*layers, nn.Linear(WIDTH, CLASSES)).to(device)
    # Adam counts its steps: give it capturable=True on a GPU, or a graph keeps the count of its capture.
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    x = torch.randn(batch, TOKENS, WIDTH, device=device)
    labels = torch.randint(CLASSES, (batch,), device=device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(model(x).mean(1), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step
