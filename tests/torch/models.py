"""Ordinary models of transformers 5 and timm with random weights. Inference runs under no_grad; the last part
trains. Models are made once per process, so batches share weights."""

import functools

import torch

nn, F = torch.nn, torch.nn.functional
WORDS, TOKENS = 1000, 48


@functools.cache
def text_model(kind, head, device, dtype, **settings):
    """transformers' KIND + HEAD from KIND + Config; settings is part of the cache's key."""
    import transformers

    torch.manual_seed(1)
    config = getattr(transformers, kind + "Config")(**settings)
    return getattr(transformers, kind + head)(config).to(device, dtype).eval()


@functools.cache
def image_model(name, device, dtype, channels_last=False, **options):
    import timm

    torch.manual_seed(1)
    model = timm.create_model(name, pretrained=False, num_classes=100, **options).to(device, dtype).eval()
    return model.to(memory_format=torch.channels_last) if channels_last else model


def ids_of(rows, device):
    torch.manual_seed(2)
    return torch.randint(3, WORDS, (rows, TOKENS), device=device)


def images_of(batch, device, dtype, size=224, channels=3):
    torch.manual_seed(2)
    return torch.randn(batch, channels, size, size, device=device, dtype=dtype)


def hidden(model, batch, device, **options):
    """A step that returns the last hidden state for random ids."""
    ids = ids_of(batch, device)

    @torch.no_grad()
    def step():
        return model(ids, **options).last_hidden_state

    return step


def images(model, x, pick=lambda result: result):
    @torch.no_grad()
    def step():
        return pick(model(x))

    return step


LAYERS = dict(hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=512)
SMALL = dict(LAYERS, vocab_size=WORDS)
# Configurations refuse ids beyond their vocabulary.
SPECIAL = dict(bos_token_id=1, eos_token_id=2, pad_token_id=0)
DECODER = dict(SMALL, num_key_value_heads=2, max_position_embeddings=256, **SPECIAL)
GPT2 = dict(vocab_size=WORDS, n_embd=256, n_layer=4, n_head=4, n_positions=128, bos_token_id=1,
            eos_token_id=2)


# --- transformers: text -------------------------------------------------------------------------------------


def bert(batch, device):
    return hidden(text_model("Bert", "Model", device, torch.bfloat16, **SMALL), batch, device)


def bert_padded(batch, device):
    """With an attention mask whose rows have different lengths; returns the whole ModelOutput."""
    model, ids = text_model("Bert", "Model", device, torch.float32, **SMALL), ids_of(batch, device)
    lengths = TOKENS - torch.arange(batch, device=device) % 8 * 4
    mask = (torch.arange(TOKENS, device=device) < lengths[:, None]).long()

    @torch.no_grad()
    def step():
        return model(ids, attention_mask=mask)

    return step


def roberta(batch, device):
    settings = dict(SMALL, max_position_embeddings=130, pad_token_id=1)
    return hidden(text_model("Roberta", "Model", device, torch.float16, **settings), batch, device)


def distilbert(batch, device):
    settings = dict(vocab_size=WORDS, dim=256, n_layers=4, n_heads=4, hidden_dim=512)
    return hidden(text_model("DistilBert", "Model", device, torch.float32, **settings), batch, device)


def albert(batch, device):
    model = text_model("Albert", "Model", device, torch.float32, embedding_size=64, **SMALL)
    return hidden(model, batch, device)


def electra(batch, device):
    model = text_model("Electra", "Model", device, torch.float32, embedding_size=64, **SMALL)
    return hidden(model, batch, device)


def deberta(batch, device):
    settings = dict(SMALL, relative_attention=True, pos_att_type="p2c|c2p", position_buckets=32,
                    share_att_key=True, norm_rel_ebd="layer_norm", position_biased_input=False,
                    max_position_embeddings=128, type_vocab_size=0)
    model, ids = text_model("DebertaV2", "Model", device, torch.float32, **settings), ids_of(batch, device)
    mask = torch.ones_like(ids)

    @torch.no_grad()
    def step():
        return model(ids, attention_mask=mask).last_hidden_state

    return step


def gpt2(batch, device):
    return hidden(text_model("GPT2", "Model", device, torch.bfloat16, **GPT2), batch, device, use_cache=False)


def llama(batch, device):
    model = text_model("Llama", "Model", device, torch.bfloat16, **DECODER)
    return hidden(model, batch, device, use_cache=False)


def mistral(batch, device):
    """A sliding window shorter than the prompt."""
    model = text_model("Mistral", "Model", device, torch.bfloat16, sliding_window=16, **DECODER)
    return hidden(model, batch, device, use_cache=False)


def qwen2(batch, device):
    model = text_model("Qwen2", "Model", device, torch.bfloat16, **DECODER)
    return hidden(model, batch, device, use_cache=False)


def qwen3(batch, device):
    """Logits of the last token only."""
    model = text_model("Qwen3", "ForCausalLM", device, torch.bfloat16, head_dim=64, **DECODER)
    ids = ids_of(batch, device)

    @torch.no_grad()
    def step():
        return model(ids, use_cache=False, logits_to_keep=1).logits

    return step


def mixtral_of(experts, batch, device):
    """Experts: `batched_mm`, `grouped_mm` or `eager`, which is a loop over the experts that got a token."""
    model = text_model("Mixtral", "Model", device, torch.bfloat16, num_local_experts=4, num_experts_per_tok=2,
                       **DECODER)
    model.set_experts_implementation(experts)
    ids = ids_of(batch, device)

    @torch.no_grad()
    def step():
        return model(ids, use_cache=False).last_hidden_state

    return step


def mixtral(batch, device):
    return mixtral_of("batched_mm", batch, device)


def mixtral_grouped(batch, device):
    return mixtral_of("grouped_mm", batch, device)


def mixtral_in_loop(batch, device):
    return mixtral_of("eager", batch, device)


def t5_encoder(batch, device):
    settings = dict(vocab_size=WORDS, d_model=256, d_kv=64, d_ff=512, num_layers=4, num_heads=4)
    return hidden(text_model("T5", "EncoderModel", device, torch.float32, **settings), batch, device)


def mamba(batch, device):
    """Without the kernels of its authors: a loop over tokens."""
    settings = dict(vocab_size=WORDS, hidden_size=128, num_hidden_layers=2, state_size=8)
    model = text_model("Mamba", "Model", device, torch.float32, **settings)
    return hidden(model, batch, device, use_cache=False)


def clip_text(batch, device):
    """Returns a dict of two outputs."""
    settings = dict(SMALL, max_position_embeddings=TOKENS, **SPECIAL)
    model, ids = text_model("CLIPText", "Model", device, torch.float32, **settings), ids_of(batch, device)

    @torch.no_grad()
    def step():
        made = model(ids)
        return {"hidden": made.last_hidden_state, "pooled": made.pooler_output}

    return step


# --- transformers: images and sound -------------------------------------------------------------------------


def clip_vision(batch, device):
    settings = dict(LAYERS, image_size=64, patch_size=8)
    model = text_model("CLIPVision", "Model", device, torch.bfloat16, **settings)
    return images(model, images_of(batch, device, torch.bfloat16, 64), lambda made: made.pooler_output)


def vit(batch, device):
    settings = dict(LAYERS, image_size=64, patch_size=8)
    model = text_model("ViT", "Model", device, torch.float32, **settings)
    return images(model, images_of(batch, device, torch.float32, 64), lambda made: made.last_hidden_state)


def swin(batch, device):
    """Shifted windows: rolls and small copies."""
    settings = dict(image_size=64, patch_size=4, embed_dim=48, depths=(2, 2), num_heads=(3, 6), window_size=4)
    model = text_model("Swin", "Model", device, torch.float32, **settings)
    return images(model, images_of(batch, device, torch.float32, 64), lambda made: made.last_hidden_state)


def convnext(batch, device):
    settings = dict(hidden_sizes=(32, 64, 96, 128), depths=(2, 2, 2, 2))
    model = text_model("ConvNext", "Model", device, torch.float32, **settings)
    return images(model, images_of(batch, device, torch.float32, 64), lambda made: made.pooler_output)


def whisper_encoder(batch, device):
    settings = dict(vocab_size=WORDS, d_model=256, encoder_layers=4, decoder_layers=1,
                    encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512,
                    decoder_ffn_dim=512, max_source_positions=100, num_mel_bins=80, decoder_start_token_id=1,
                    **SPECIAL)
    encoder = text_model("Whisper", "Model", device, torch.float16, **settings).get_encoder()
    sound = images_of(batch, device, torch.float16, 200)[:, 0, :80].contiguous()
    return images(encoder, sound, lambda made: made.last_hidden_state)


# --- timm ---------------------------------------------------------------------------------------------------


def timm_step(name, batch, device, dtype=torch.float32, channels_last=False):
    x = images_of(batch, device, dtype)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    return images(image_model(name, device, dtype, channels_last), x)


def timm_resnet50(batch, device):
    return timm_step("resnet50", batch, device, torch.bfloat16, channels_last=True)


def timm_efficientnet_b0(batch, device):
    return timm_step("efficientnet_b0", batch, device)


def timm_mobilenetv3(batch, device):
    return timm_step("mobilenetv3_large_100", batch, device, torch.float16, channels_last=True)


def timm_regnet(batch, device):
    return timm_step("regnety_008", batch, device)


def timm_densenet(batch, device):
    return timm_step("densenet121", batch, device)


def timm_vit_small(batch, device):
    return timm_step("vit_small_patch16_224", batch, device, torch.bfloat16)


def timm_deit_tiny(batch, device):
    return timm_step("deit_tiny_patch16_224", batch, device)


def timm_swin_tiny(batch, device):
    return timm_step("swin_tiny_patch4_window7_224", batch, device)


def timm_convnext_tiny(batch, device):
    return timm_step("convnext_tiny", batch, device, torch.bfloat16)


def timm_mixer(batch, device):
    return timm_step("mixer_b16_224", batch, device, torch.bfloat16)


def timm_features(batch, device):
    """Five maps of features in a list."""
    return images(features(device), images_of(batch, device, torch.float32, 96))


@functools.cache
def features(device):
    import timm

    torch.manual_seed(1)
    return timm.create_model("resnet18", pretrained=False, features_only=True).to(device).eval()


# --- training -----------------------------------------------------------------------------------------------


def training(model, optimizer, loss_of):
    """Gradients away, loss, backward, clipping on the device, optimizer: what most loops do."""
    parameters = [each for each in model.parameters() if each.requires_grad]

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        return loss.detach()

    return step


def adamw(model, device, **options):
    return torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=device.type == "cuda", **options)


def train_resnet18(batch, device):
    """SGD with momentum, channels_last; batch norm keeps statistics."""
    import timm

    torch.manual_seed(1)
    model = timm.create_model("resnet18", pretrained=False, num_classes=100)
    model = model.to(device, memory_format=torch.channels_last)
    x = images_of(batch * 2, device, torch.float32, 96).to(memory_format=torch.channels_last)
    goal = torch.randint(100, (batch * 2,), device=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    return training(model.train(), optimizer, lambda: F.cross_entropy(model(x), goal))


def train_vit_tiny(batch, device):
    """AdamW, bf16 by autocast, label smoothing."""
    import timm

    torch.manual_seed(1)
    model = timm.create_model("vit_tiny_patch16_224", pretrained=False, num_classes=100, depth=4)
    model = model.to(device).train()
    x, goal = images_of(batch * 2, device, torch.float32), torch.randint(100, (batch * 2,), device=device)

    def loss():
        with torch.autocast(device.type, torch.bfloat16):
            return F.cross_entropy(model(x), goal, label_smoothing=0.1)

    return training(model, adamw(model, device), loss)


def train_efficientnet(batch, device):
    """RMSprop, dropout and drop path draw random numbers, batch norm keeps statistics."""
    import timm

    torch.manual_seed(1)
    model = timm.create_model("efficientnet_b0", pretrained=False, num_classes=100, drop_rate=0.2,
                              drop_path_rate=0.2)
    model = model.to(device).train()
    x, goal = images_of(batch * 2, device, torch.float32, 96), torch.randint(100, (batch * 2,), device=device)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9,
                                    capturable=device.type == "cuda")
    return training(model, optimizer, lambda: F.cross_entropy(model(x), goal))


def causal_training(kind, batch, device, fused=None, **settings):
    import transformers

    torch.manual_seed(1)
    config = getattr(transformers, kind + "Config")(**settings)
    name = kind + ("LMHeadModel" if kind == "GPT2" else "ForCausalLM")
    model = getattr(transformers, name)(config).to(device).train()
    ids = ids_of(batch, device)

    def loss():
        logits = model(ids, use_cache=False).logits
        return F.cross_entropy(logits[:, :-1].reshape(-1, WORDS).float(), ids[:, 1:].reshape(-1))

    return training(model, adamw(model, device, fused=fused), loss)


def train_gpt2(batch, device):
    """Dropout of 0.1 in embeddings, attention and blocks."""
    return causal_training("GPT2", batch, device, **GPT2)


def train_llama(batch, device):
    """A fused AdamW."""
    return causal_training("Llama", batch, device, fused=device.type == "cuda" or None, **DECODER)


def train_bert_classifier(batch, device):
    """Sequence classification with labels, whose loss the model computes; only the head and the last layer
    learn."""
    import transformers

    torch.manual_seed(1)
    config = transformers.BertConfig(num_labels=3, **SMALL)
    model = transformers.BertForSequenceClassification(config).to(device).train()
    for name, each in model.named_parameters():
        each.requires_grad_("layer.3" in name or "classifier" in name or "pooler" in name)
    ids, goal = ids_of(batch, device), torch.randint(3, (batch,), device=device)
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=1e-4,
                                  capturable=device.type == "cuda")
    return training(model, optimizer, lambda: model(ids, labels=goal).loss)
