"""Writes a small Llama or Phi-3 checkpoint of random weights: make-checkpoint.py FOLDER [llama|phi3] [BF16|F32]"""
import json
import os
import random
import struct
import sys

folder, kind, dtype = (sys.argv[1:] + ["llama", "BF16"][len(sys.argv) - 2:])[:3]
width, layers, heads, groups, inner, vocabulary = 64, 2, 4, 2, 96, 101
size = width // heads
os.makedirs(folder, exist_ok=True)
json.dump({"model_type": kind, "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
           "num_key_value_heads": groups, "intermediate_size": inner, "vocab_size": vocabulary,
           "max_position_embeddings": 128, "rms_norm_eps": 1e-5, "rope_theta": 10000.0},
          open(os.path.join(folder, "config.json"), "w"))

shapes = {"model.embed_tokens.weight": [vocabulary, width], "model.norm.weight": [width],
          "lm_head.weight": [vocabulary, width]}
for i in range(layers):
    layer = f"model.layers.{i}."
    shapes[layer + "input_layernorm.weight"] = [width]
    shapes[layer + "post_attention_layernorm.weight"] = [width]
    shapes[layer + "self_attn.o_proj.weight"] = [width, heads * size]
    shapes[layer + "mlp.down_proj.weight"] = [width, inner]
    if kind == "phi3":
        shapes[layer + "self_attn.qkv_proj.weight"] = [(heads + 2 * groups) * size, width]
        shapes[layer + "mlp.gate_up_proj.weight"] = [2 * inner, width]
    else:
        for name, rows in (("q", heads), ("k", groups), ("v", groups)):
            shapes[layer + f"self_attn.{name}_proj.weight"] = [rows * size, width]
        for name in ("gate", "up"):
            shapes[layer + f"mlp.{name}_proj.weight"] = [inner, width]

rng = random.Random(5)
header, data = {}, bytearray()
for name, shape in shapes.items():
    count = shape[0] * (shape[1] if len(shape) == 2 else 1)
    begin = len(data)
    for _ in range(count):
        value = 1.0 if len(shape) == 1 else rng.gauss(0, 1.5 * shape[1] ** -0.5)
        bits = struct.pack("<f", value)
        data += bits if dtype == "F32" else bits[2:]
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(folder, "model.safetensors"), "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
