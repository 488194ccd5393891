"""Models of transformers 5 and timm for mode piecewise: what in_pieces.py runs. Inference, with random
weights."""

import torch
from models import (DECODER, LAYERS, SMALL, SPECIAL, WORDS, hidden, ids_of, images, images_of, text_model,
                    timm_step)

BF16 = torch.bfloat16


def decoder(kind, batch, device, **settings):
    return hidden(text_model(kind, "Model", device, BF16, **settings), batch, device, use_cache=False)


def phi3(batch, device):
    return decoder("Phi3", batch, device, **DECODER)


def opt(batch, device):
    return decoder("OPT", batch, device, vocab_size=WORDS, hidden_size=256, num_hidden_layers=4, ffn_dim=512,
                   num_attention_heads=4, word_embed_proj_dim=256, max_position_embeddings=256, **SPECIAL)


def gpt_neox(batch, device):
    return decoder("GPTNeoX", batch, device, **SMALL, max_position_embeddings=256)


def falcon(batch, device):
    return decoder("Falcon", batch, device, vocab_size=WORDS, hidden_size=256, num_hidden_layers=4,
                   num_attention_heads=4, **SPECIAL)


def bloom(batch, device):
    """Attention from products, with positions by alibi."""
    return decoder("Bloom", batch, device, vocab_size=WORDS, hidden_size=256, n_layer=4, n_head=4, **SPECIAL)


def gemma2(batch, device):
    """Every second layer looks at a window."""
    return decoder("Gemma2", batch, device, head_dim=64, sliding_window=16, **DECODER)


def olmo2(batch, device):
    return decoder("Olmo2", batch, device, **DECODER)


def stablelm(batch, device):
    return decoder("StableLm", batch, device, **DECODER)


def gptj(batch, device):
    return decoder("GPTJ", batch, device, vocab_size=WORDS, n_embd=256, n_layer=4, n_head=4, n_positions=128,
                   rotary_dim=32)


def granite(batch, device):
    return decoder("Granite", batch, device, **DECODER)


def starcoder2(batch, device):
    return decoder("Starcoder2", batch, device, sliding_window=16, **DECODER)


def mpnet(batch, device):
    """Attention from products, with a table of relative positions."""
    return hidden(text_model("MPNet", "Model", device, BF16, **SMALL), batch, device)


def siglip_vision(batch, device):
    model = text_model("SiglipVision", "Model", device, BF16, **LAYERS, image_size=64, patch_size=8)
    return images(model, images_of(batch, device, BF16, 64), lambda made: made.pooler_output)


def dinov2(batch, device):
    model = text_model("Dinov2", "Model", device, torch.float32, hidden_size=256, num_hidden_layers=4,
                       num_attention_heads=4, image_size=56, patch_size=14)
    return images(model, images_of(batch, device, torch.float32, 56), lambda made: made.last_hidden_state)


def wav2vec2(batch, device):
    """Convolutions over sound, then a transformer."""
    model = text_model("Wav2Vec2", "Model", device, torch.float32, **SMALL)
    sound = images_of(batch, device, torch.float32, 90)[:, 0].reshape(batch, -1)
    return images(model, sound, lambda made: made.last_hidden_state)


def hubert(batch, device):
    """The same, with other normalisation."""
    model = text_model("Hubert", "Model", device, torch.float32, **SMALL)
    sound = images_of(batch, device, torch.float32, 90)[:, 0].reshape(batch, -1)
    return images(model, sound, lambda made: made.last_hidden_state)


def bart(batch, device):
    """An encoder, and a decoder with attention over the encoder's states."""
    settings = dict(vocab_size=WORDS, d_model=256, encoder_layers=3, decoder_layers=3,
                    encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=512,
                    decoder_ffn_dim=512, max_position_embeddings=128, decoder_start_token_id=2, **SPECIAL)
    model = text_model("Bart", "Model", device, BF16, **settings)
    ids = ids_of(batch, device)
    return hidden(model, batch, device, decoder_input_ids=ids, use_cache=False)


def timm_beit(batch, device):
    return timm_step("beit_base_patch16_224", batch, device, BF16)


def timm_cait(batch, device):
    """Talking heads: attention from products, and two lists of blocks."""
    return timm_step("cait_xxs24_224", batch, device)


def timm_xcit(batch, device):
    """Attention over channels, from products."""
    return timm_step("xcit_nano_12_p16_224", batch, device)


def timm_resnext50(batch, device):
    return timm_step("resnext50_32x4d", batch, device, BF16, channels_last=True)


def timm_poolformer(batch, device):
    return timm_step("poolformer_s12", batch, device)


def timm_coatnet(batch, device):
    """Stages of convolutions, then of attention."""
    return timm_step("coatnet_nano_rw_224", batch, device)


def timm_repvgg(batch, device):
    return timm_step("repvgg_a2", batch, device)
