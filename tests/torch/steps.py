"""Steps of models that people serve and train, with random weights: what docs/torch.md measures.

    graphbench --sweep --torch tests/torch/steps.py:bert --batch 1,8,32

transformers and timm are asked for by the steps that use them.
"""

import functools

import torch


@functools.cache
def once(make):
    """A model of the process: batches share it."""
    torch.manual_seed(1)
    return make()


def inference(model, *args):
    """The form that make_graphed_callables takes, which captures a backward pass where gradients are on."""
    return model.requires_grad_(False), args


class LastHidden(torch.nn.Module):
    """A model of transformers without the rest of what it returns."""

    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, ids):
        return self.model(ids, **self.options).last_hidden_state


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(width) for _ in range(2))
        self.qkv = torch.nn.Linear(width, 3 * width, bias=False)
        self.out = torch.nn.Linear(width, width, bias=False)
        self.gate = torch.nn.Linear(width, 11 * width // 4, bias=False)
        self.up = torch.nn.Linear(width, 11 * width // 4, bias=False)
        self.down = torch.nn.Linear(11 * width // 4, width, bias=False)

    def forward(self, x, cache=None, at=None):
        batch, tokens, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, tokens, 3, self.heads, -1).unbind(2)
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        if cache is not None:
            k, v = (kept.index_copy_(2, at, new) for kept, new in zip(cache, (k, v)))
        attention = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
        x = x + self.out(attention.transpose(1, 2).reshape(batch, tokens, width))
        h = self.norms[1](x)
        return x + self.down(torch.nn.functional.silu(self.gate(h)) * self.up(h))


class Llama(torch.nn.Module):
    def __init__(self, layers=16, width=2048, heads=16, words=32000):
        super().__init__()
        self.embed = torch.nn.Embedding(words, width)
        self.layers = torch.nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = torch.nn.RMSNorm(width)
        self.head = torch.nn.Linear(width, words, bias=False)

    def forward(self, ids, caches=None, at=None):
        x = self.embed(ids)
        for layer, cache in zip(self.layers, caches or [None] * len(self.layers)):
            x = layer(x, cache, at)
        return self.head(self.norm(x)[:, -1])


def llama(batch, device):
    """16 layers of width 2048, prefill of 64 tokens."""
    model = once(lambda_of(Llama, device))
    return inference(model, torch.randint(32000, (batch, 64), device=device))


def decode(batch, device):
    """The same, one token behind a static cache of 511."""
    model = once(lambda_of(Llama, device))
    ids, at = torch.randint(32000, (batch, 1), device=device), torch.tensor([511], device=device)
    caches = [[torch.randn(batch, 16, 512, 128, device=device, dtype=torch.bfloat16) for _ in range(2)]
              for _ in model.layers]
    return inference(model, ids, caches, at)


def static_cache(batch, device):
    """One token by Llama of transformers, as wide and deep, behind 480 in its StaticCache of 512."""
    from transformers import StaticCache

    model = once(lambda_of(transformers_model(
        "Llama", "ForCausalLM", vocab_size=32000, hidden_size=2048, intermediate_size=5632,
        num_hidden_layers=16, num_attention_heads=16, num_key_value_heads=16), device)).requires_grad_(False)
    call = functools.partial(model, use_cache=True,
                             past_key_values=StaticCache(config=model.config, max_cache_len=512))
    with torch.no_grad():
        call(torch.randint(32000, (batch, 480), device=device))
    token, at = torch.randint(32000, (batch, 1), device=device), torch.full((1,), 480, device=device)

    @torch.no_grad()
    def step():
        return call(token, cache_position=at, position_ids=at.expand(batch, 1)).logits[:, -1]

    return step


@functools.cache
def lambda_of(make, device):
    def made():
        with torch.device(device):  # random weights of a large model take a CPU half a minute
            model = make()
        return model.to(device=device, dtype=torch.bfloat16).eval()

    return made


@functools.cache
def transformers_model(kind, name="Model", **settings):
    import transformers

    config = getattr(transformers, f"{kind}Config")(**settings)
    return functools.partial(getattr(transformers, f"{kind}{name}"), config)


def bert(batch, device):
    """BERT-base, 128 tokens."""
    model = once(lambda_of(transformers_model("Bert"), device))
    ids = torch.randint(30000, (batch, 128), device=device)
    return inference(LastHidden(model), ids)


def gpt2(batch, device):
    """GPT-2, prefill of 128 tokens."""
    model = once(lambda_of(transformers_model("GPT2"), device))
    ids = torch.randint(50000, (batch, 128), device=device)
    return inference(LastHidden(model, use_cache=False), ids)


def whisper(batch, device):
    """Whisper's encoder, base."""
    model = once(lambda_of(transformers_model("Whisper"), device)).get_encoder()
    sound = torch.randn(batch, model.config.num_mel_bins, 3000, device=device, dtype=torch.bfloat16)
    return inference(LastHidden(model), sound)


@functools.cache
def timm_model(name, use="inference"):
    """A model for each use: training changes its weights."""
    import timm

    return functools.partial(timm.create_model, name)


def resnet50(batch, device):
    """ResNet-50, channels last."""
    model = once(lambda_of(timm_model("resnet50"), device)).to(memory_format=torch.channels_last)
    images = torch.randn(batch, 3, 224, 224, device=device, dtype=torch.bfloat16)
    return inference(model, images.to(memory_format=torch.channels_last))


def vit(batch, device):
    """ViT-B/16."""
    model = once(lambda_of(timm_model("vit_base_patch16_224"), device))
    return inference(model, torch.randn(batch, 3, 224, 224, device=device, dtype=torch.bfloat16))


def convnext(batch, device):
    """ConvNeXt-T, channels last."""
    model = once(lambda_of(timm_model("convnext_tiny"), device)).to(memory_format=torch.channels_last)
    images = torch.randn(batch, 3, 224, 224, device=device, dtype=torch.bfloat16)
    return inference(model, images.to(memory_format=torch.channels_last))


def mixture(batch, device):
    """Mixtral of 8 layers of width 1024, two of eight experts a token, prefill of 64 tokens."""
    model = once(lambda_of(transformers_model(
        "Mixtral", vocab_size=32000, hidden_size=1024, intermediate_size=2048, num_hidden_layers=8,
        num_attention_heads=16, num_key_value_heads=8, num_local_experts=8, num_experts_per_tok=2), device))
    model.set_experts_implementation("batched_mm")  # its shapes do not depend on the routing
    return inference(LastHidden(model, use_cache=False), torch.randint(32000, (batch, 64), device=device))


def training(model, optimizer, loss_of):
    """Forward, backward and an optimizer that a graph can hold."""
    optimizer = optimizer(model.parameters(), capturable=next(model.parameters()).is_cuda)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def train_mlp(batch, device):
    """A small MLP with AdamW, fp32."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(layer for _ in range(4)
                                  for layer in (torch.nn.Linear(1024, 1024), torch.nn.GELU()))).to(device)
    x, y = torch.randn(2, batch, 1024, device=device).unbind()
    return training(model, torch.optim.AdamW, lambda model: torch.nn.functional.mse_loss(model(x), y))


def mlp(batch, device):
    """The same MLP without training: what docs/reference/reference-systems.md runs in torch's own modes."""
    torch.manual_seed(1)
    model = torch.nn.Sequential(*(layer for _ in range(4)
                                  for layer in (torch.nn.Linear(1024, 1024), torch.nn.GELU()))).to(device)
    return inference(model, torch.randn(batch, 1024, device=device))


def train_vit(batch, device):
    """ViT-B/16 with AdamW."""
    model = once(lambda_of(timm_model("vit_base_patch16_224", "training"), device)).train()
    images = torch.randn(batch, 3, 224, 224, device=device, dtype=torch.bfloat16)
    labels = torch.randint(1000, (batch,), device=device)
    return training(model, torch.optim.AdamW,
                    lambda model: torch.nn.functional.cross_entropy(model(images), labels))


def train_bert(batch, device):
    """BERT-base with AdamW, 128 tokens, and dropout: the step draws random numbers. Take --torch-hide-capture
    on: captured as it is, the model takes another branch, and AdamW's first steps magnify any difference."""
    model = once(lambda_of(transformers_model("Bert", "ForMaskedLM"), device)).train()
    ids = torch.randint(30000, (batch, 128), device=device)
    return training(model, torch.optim.AdamW, lambda model: model(ids, labels=ids).loss)


def marked(batch, device):
    """One callable: piecewise splits at the function marked eager, which is called with tensors."""
    import graphbench

    torch.manual_seed(1)
    first, last = (torch.nn.Linear(512, 512, device=device) for _ in range(2))

    @graphbench.eager
    def between(hidden):
        return hidden.sort(dim=-1).values

    x = torch.randn(batch, 512, device=device)

    def step():
        with torch.no_grad():
            return last(between(torch.relu(first(x))))

    return step


def layers(batch, device):
    """A list of callables: piecewise captures all but those marked eager."""
    import graphbench

    torch.manual_seed(1)
    first, last = (torch.nn.Linear(512, 512, device=device) for _ in range(2))
    x = torch.randn(batch, 512, device=device)
    hidden, sorted_ = torch.empty_like(x), torch.empty_like(x)

    def before():
        with torch.no_grad():
            hidden.copy_(torch.relu(first(x)))

    @graphbench.eager
    def between():
        with torch.no_grad():
            sorted_.copy_(hidden.sort(dim=-1).values)

    def after():
        with torch.no_grad():
            return last(sorted_)

    return [before, between, after]
