"""The networks of the tables, with random weights, as ONNX models with inputs and results in f64.

Run by a Python that has onnx: networks.py NAME FOLDER. Sizes are those of the published networks where a name says so;
normalisations of convolutions are folded, and norms of Llama, attention and rotary embeddings written out, as exporters do.
"""
import os
import sys

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness.network import Net


def resnet50(net):
    x = net.relu(net.conv(net.input("x", 1, 3, 224, 224), 64, 7, 2))
    x = net.max_pool(x, 3, 2, 1)
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            inner = net.relu(net.conv(x, width, 1))
            inner = net.conv(net.relu(net.conv(inner, width, 3, stride)), width * 4, 1, scale=0.3)
            x = net.relu(net.add(inner, x if block else net.conv(x, width * 4, 1, stride)))
    return net.classify(x, 1000)


def mobilenetv2(net):
    x = net.relu6(net.conv(net.input("x", 1, 3, 224, 224), 32, 3, 2))
    for expand, width, blocks, first in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            stride, channels = first if not block else 1, net.dims(x)[1]
            inner = net.relu6(net.conv(x, channels * expand, 1)) if expand > 1 else x
            inner = net.relu6(net.conv(inner, channels * expand, 3, stride, depthwise=True))
            inner = net.conv(inner, width, 1, scale=0.7)
            x = net.add(inner, x) if stride == 1 and channels == width else inner
    return net.classify(net.relu6(net.conv(x, 1280, 1)), 1000)


def mobilenetv3(net):
    """The large one."""
    x = net.hard_swish(net.conv(net.input("x", 1, 3, 224, 224), 16, 3, 2))
    for size, inside, width, squeeze, hard, stride in [
            (3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 24, 0, 2), (5, 120, 40, 32, 0, 1), (5, 120, 40, 32, 0, 1),
            (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 480, 112, 120, 1, 1),
            (3, 672, 112, 168, 1, 1), (5, 672, 160, 168, 1, 2), (5, 960, 160, 240, 1, 1), (5, 960, 160, 240, 1, 1)]:
        activate, channels = net.hard_swish if hard else net.relu, net.dims(x)[1]
        inner = activate(net.conv(x, inside, 1)) if inside != channels else x
        inner = activate(net.conv(inner, inside, size, stride, depthwise=True))
        if squeeze:
            inner = net.squeeze_excite(inner, squeeze, net.relu, net.hard_sigmoid)
        inner = net.conv(inner, width, 1, scale=0.7)
        x = net.add(inner, x) if stride == 1 and channels == width else inner
    x = net.mean_of_image(net.hard_swish(net.conv(x, 960, 1)))
    return net.linear(net.hard_swish(net.linear(net.reshape(x, 1, 960), 1280)), 1000)


def efficientnet_b0(net):
    x = net.silu(net.conv(net.input("x", 1, 3, 224, 224), 32, 3, 2))
    for expand, size, first, width, blocks in [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3),
                                               (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]:
        for block in range(blocks):
            stride, channels = first if not block else 1, net.dims(x)[1]
            inner = net.silu(net.conv(x, channels * expand, 1)) if expand > 1 else x
            inner = net.silu(net.conv(inner, channels * expand, size, stride, depthwise=True))
            inner = net.conv(net.squeeze_excite(inner, channels // 4, net.silu, net.sigmoid), width, 1, scale=0.7)
            x = net.add(inner, x) if stride == 1 and channels == width else inner
    return net.classify(net.silu(net.conv(x, 1280, 1)), 1000)


def unet(net):
    """Of four levels, 32 to 256 channels, at 128 x 128."""
    double = lambda x, width: net.relu(net.conv(net.relu(net.conv(x, width, 3)), width, 3))
    x, skips = net.input("x", 1, 3, 128, 128), []
    for width in (32, 64, 128):
        skips.append(double(x, width))
        x = net.max_pool(skips[-1], 2, 2, 0)
    x = double(x, 256)
    for width in (128, 64, 32):
        x = double(net.concat(1, net.upsample(x, width), skips.pop()), width)
    return net.conv(x, 4, 1)


def convnext_t(net):
    last = lambda x: net.transpose(x, 0, 2, 3, 1)
    first = lambda x: net.transpose(x, 0, 3, 1, 2)
    x = first(net.norm(last(net.conv(net.input("x", 1, 3, 224, 224), 96, 4, 4, pad=0))))
    for stage, (width, blocks) in enumerate([(96, 3), (192, 3), (384, 9), (768, 3)]):
        if stage:
            x = net.conv(first(net.norm(last(x))), width, 2, 2, pad=0)
        for _ in range(blocks):
            inner = net.norm(last(net.conv(x, width, 7, depthwise=True)))
            inner = net.linear(net.gelu(net.linear(inner, 4 * width)), width)
            x = net.add(first(net.mul(inner, net.weight(width, scale=0.3))), x)
    return net.linear(net.norm(net.reshape(net.mean_of_image(x), 1, 768)), 1000)


def encoder(net, x, heads, layers, before=False):
    """Layers of a transformer: norms after the sums, or before what is added."""
    width = net.dims(x)[-1]
    mix = lambda x: net.linear(net.attend(*(net.heads(net.linear(x, width), heads) for _ in range(3))), width)
    feed = lambda x: net.linear(net.gelu(net.linear(x, 4 * width)), width)
    for _ in range(layers):
        for part in (mix, feed):
            x = net.add(x, part(net.norm(x))) if before else net.norm(net.add(x, part(x)))
    return x


def bert4_seq128(net):
    return encoder(net, net.input("x", 1, 128, 768), 12, 4)


def bert4_batch8(net):
    return encoder(net, net.input("x", 8, 128, 768), 12, 4)


def vit_b16(net):
    patches = net.conv(net.input("x", 1, 3, 224, 224), 768, 16, 16, pad=0)
    x = net.transpose(net.reshape(patches, 1, 768, 196), 0, 2, 1)
    x = net.add(net.concat(1, net.weight(1, 1, 768), x), net.weight(1, 197, 768, scale=0.1))
    x = net.norm(encoder(net, x, 12, 12, before=True))
    return net.linear(net.take(net.transpose(x, 1, 0, 2), 0), 1000)


def whisper_encoder(net):
    """The tiny one: 30 s of sound, 1,500 positions."""
    x = net.gelu(net.conv_rows(net.input("x", 1, 80, 3000), 384))
    x = net.transpose(net.gelu(net.conv_rows(x, 384, 2)), 0, 2, 1)
    return net.norm(encoder(net, net.add(x, net.weight(1500, 384, scale=0.1)), 6, 4, before=True))


def swin_t(net):
    def windows(x, side):
        _, _, _, width = net.dims(x)
        x = net.transpose(net.reshape(x, side // 7, 7, side // 7, 7, width), 0, 2, 1, 3, 4)
        return net.reshape(x, (side // 7) ** 2, 49, width)

    def image(x, side):
        width = net.dims(x)[-1]
        x = net.transpose(net.reshape(x, side // 7, side // 7, 7, 7, width), 0, 2, 1, 3, 4)
        return net.reshape(x, 1, side, side, width)

    def roll(x, by):
        for axis in (1, 2):
            side = net.dims(x)[axis]
            x = net.concat(axis, net.slice(x, axis, by % side, side), net.slice(x, axis, 0, by % side))
        return x

    def mask(side):
        """What keeps apart the parts of a window that were not neighbours before the image was rolled by 3."""
        part = numpy.digitize(numpy.arange(side), [side - 7, side - 3])
        parts = (3 * part[:, None] + part).reshape(side // 7, 7, side // 7, 7).transpose(0, 2, 1, 3).reshape(-1, 49)
        return net.constant(numpy.where(parts[:, None, :, None] == parts[:, None, None, :], 0, -100).astype(numpy.float32))

    def mix(x, heads, side, shift):
        width = net.dims(x)[-1]
        x = windows(roll(x, 3) if shift else x, side)
        qkv = net.transpose(net.reshape(net.linear(x, 3 * width), (side // 7) ** 2, 49, 3, heads, width // heads), 2, 0, 3, 1, 4)
        added = [net.weight(1, heads, 49, 49, scale=0.1)] + ([mask(side)] if shift else [])
        x = image(net.linear(net.attend(*(net.take(qkv, i) for i in range(3)), *added), width), side)
        return roll(x, -3) if shift else x

    x = net.conv(net.input("x", 1, 3, 224, 224), 96, 4, 4, pad=0)
    x = net.norm(net.transpose(x, 0, 2, 3, 1))
    for stage, blocks in enumerate([2, 2, 6, 2]):
        side, heads, width = 56 >> stage, 3 << stage, 96 << stage
        if stage:
            parts = [net.slice(net.slice(x, 1, i, 2 * side, 2), 2, j, 2 * side, 2) for j in (0, 1) for i in (0, 1)]
            x = net.linear(net.norm(net.concat(-1, *parts)), width, bias=False)
        for block in range(blocks):
            x = net.add(x, mix(net.norm(x), heads, side, shift=block % 2 and side > 7))
            x = net.add(x, net.linear(net.gelu(net.linear(net.norm(x), 4 * width)), width))
    mean = net.node("ReduceMean", [net.norm(x), net.integers(1, 2)], lambda x, _: x.mean((1, 2)), keepdims=0)
    return net.linear(mean, 1000)


def gpt2_decode512(net):
    x = net.input("x", 1, 1, 768)
    for layer in range(12):
        y = net.norm(x)
        q, k, v = (net.heads(net.linear(y, 768), 12) for _ in range(3))
        k, v = (net.concat(2, net.input(f"past_{name}{layer}", 1, 12, 512, 64), new) for name, new in (("k", k), ("v", v)))
        x = net.add(x, net.linear(net.attend(q, k, v), 768))
        x = net.add(x, net.linear(net.gelu(net.linear(net.norm(x), 3072), tanh=True), 768))
    return net.linear(net.norm(x), 50257)


def llama(net, rows, past):
    """A layer of Llama 3.2 1B's shapes: 2,048 wide, 32 heads on 8, 8,192 inside."""
    x = net.input("x", 1, rows, 2048)
    y = net.rms_norm(x)
    q, k, v = (net.heads(net.linear(y, 64 * count, bias=False), count) for count in (32, 8, 8))
    q, k = net.rotate(q, past), net.rotate(k, past)
    if past:
        k, v = (net.concat(2, net.input(name, 1, 8, past, 64), new) for name, new in (("past_k", k), ("past_v", v)))
    mixed = net.attend(q, net.repeat_heads(k, 4), net.repeat_heads(v, 4), *([] if past else [net.causal(rows)]))
    x = net.add(x, net.linear(mixed, 2048, bias=False))
    y = net.rms_norm(x)
    gated = net.mul(net.silu(net.linear(y, 8192, bias=False)), net.linear(y, 8192, bias=False))
    return net.add(x, net.linear(gated, 2048, bias=False))


def llama_prefill128(net):
    return llama(net, 128, 0)


def llama_step512(net):
    return llama(net, 1, 512)


def lstm(net):
    """Two layers, 512 wide, 64 steps."""
    return net.lstm(net.lstm(net.input("x", 64, 1, 256), 512), 512)


def main():
    name, folder = sys.argv[1], sys.argv[2]
    net = Net()
    net.write(name, globals()[name](net), folder)


if __name__ == "__main__":
    main()
