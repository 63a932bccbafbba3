"""Draws of attention and rotary embeddings."""
import numpy as np

from draws import Case, rule


def join(x):
    """[batch, heads, tokens, width] -> [batch, tokens, heads * width]"""
    return np.moveaxis(x, 1, 2).reshape(x.shape[0], x.shape[2], -1)


@rule("Attention")
def attention(d):
    d.opset = 23
    batch, heads, group = d.between(1, 2), d.between(1, 2), d.between(1, 2)
    queries, keys, width, values = (d.between(1, 4) for _ in range(4))
    past, joined = d.among(0, 0, 2), d.chance(0.5)
    total = past + keys
    q = d.tensor([batch, heads * group, queries, width], low=-1, high=1)
    k, v = d.tensor([batch, heads, keys, width], low=-1, high=1), d.tensor([batch, heads, keys, values])
    inputs = [join(x) for x in (q, k, v)] if joined else [q, k, v]
    mask, causal = None, d.maybe(1)
    if d.chance(0.5) and not causal:
        mask = d.tensor([queries, total], d.among("f32", "bool"))
        if mask.dtype == np.bool_:
            mask[:, 0] = True
    inputs += [mask, *([d.tensor([batch, heads, past, n], low=-1, high=1) for n in (width, values)] if past else [None, None])]
    attributes = {"is_causal": causal, "scale": d.maybe(0.5)}
    if joined:
        attributes |= {"q_num_heads": heads * group, "kv_num_heads": heads}
    why = "one causal query" if causal and queries == 1 and keys > 1 else ""
    return Case(d, inputs, attributes, 3 if past else 1, why)


@rule("RotaryEmbedding")
def rotary_embedding(d):
    d.opset = 23
    batch, heads, tokens, half = d.between(1, 2), d.between(1, 3), d.between(1, 4), d.between(1, 3)
    positions, joined = d.chance(0.5), d.chance(0.5)
    x = d.tensor([batch, heads, tokens, 2 * half])
    table = [6, half] if positions else [batch, tokens, half]
    places = d.tensor([batch, tokens], "i64", 0, 5) if positions else None
    return Case(d, [join(x) if joined else x, d.tensor(table), d.tensor(table), places],
                {"interleaved": d.maybe(0, 1), "num_heads": heads if joined else None})
