"""The rows of the tables: a kernel file at some sizes, in groups."""
import re

from harness import exported, kernels


class Workload:
    """A row; of a network, `kernel` is None."""

    def __init__(self, group, name, kernel, sizes, most=None):
        """`most`: the sizes that a call settles, and the most that each comes to."""
        self.group, self.name, self.kernel, self.sizes, self.most = group, name, kernel, sizes, most

    def beside(self):
        """The peer that is the kernel file itself, or None."""
        return BESIDE.get(self.group)


def gemm(sizes, kernel="gemm", prefix="gemm"):
    return [(f"{prefix}_{'x'.join(map(str, mnk)) if len(set(mnk)) > 1 else mnk[0]}", kernel, dict(zip("mnk", mnk))) for mnk in sizes]


def cube(*sizes):
    return [(size, size, size) for size in sizes]


def conv(kernel, *shapes):
    """Shapes are (channels, side, filters) or, for depthwise kernels, (channels, side)."""
    rows = []
    for c, h, *f in shapes:
        sizes = {"c": c, "h": h, "w": h, **({"f": f[0]} if f else {})}
        rows.append((f"{kernel}_{c}_{h}" + (f"_{f[0]}" if f else ""), kernel, sizes))
    return rows


def plain(kernel, **sizes):
    return [(kernel + "".join(f"_{size}" for size in sizes.values()), kernel, sizes)]


# In the order in which tables print them. GEMM names give m x n x k.
TABLE = {
    "gemm": gemm(cube(128, 256, 384, 512, 1000, 1024, 2048)
                 + [(127, 257, 509), (4096, 64, 4096), (4096, 4096, 64), (64, 4096, 64), (64, 64, 4096)])
    + gemm(cube(512, 1024), "gemm_constant", "gemm_constant")
    + gemm(cube(1024), "gemm_nt", "gemm_nt") + gemm(cube(1024), "gemm_tn", "gemm_tn")
    + gemm(cube(1024), "gemm_gelu", "gemm_gelu")
    + plain("gemm_batched", b=96, m=128, n=128, k=64) + plain("gemv", n=4096, k=4096),
    "narrow": gemm(cube(512, 1000, 1024, 2048), "gemm_bf16", "gemm_bf16")
    + gemm(cube(512, 1024), "gemm_constant_bf16", "gemm_constant_bf16") + gemm(cube(1024), "gemm_f16", "gemm_f16")
    + gemm(cube(1024), "gemm_i8", "gemm_i8") + gemm(cube(1024), "gemm_constant_i8", "gemm_constant_i8")
    + gemm([(127, 257, 509), (1, 4096, 1000)], "gemm_bf16", "gemm_bf16") + gemm([(127, 257, 509)], "gemm_i8", "gemm_i8")
    + plain("softmax_bf16", i=4096, j=1024)
    + conv("conv_k3_bf16", (64, 56, 64), (256, 14, 256)) + conv("conv_k3_f16", (64, 56, 64)),
    "conv": conv("conv_k7s2", (3, 224, 64)) + conv("conv_k3", (64, 56, 64)) + conv("conv_k1", (64, 56, 256))
    + conv("conv_k3", (128, 28, 128), (256, 14, 256), (512, 7, 512))
    + conv("depthwise_k3", (96, 112)) + conv("depthwise_k5", (576, 14)),
    "rowops": plain("softmax", i=4096, j=1024) + plain("layer_norm", i=4096, j=768) + plain("rms_norm", i=4096, j=1024)
    + plain("gelu", i=4194304) + plain("sum_axis0", i=4096, j=4096) + plain("sum_axis1", i=4096, j=4096)
    + plain("bias_relu", n=64, c=256, h=28, w=28) + plain("transpose", i=2048, j=2048)
    + plain("gather", i=4096, j=768, t=32000) + plain("cumsum", i=4096, j=1024) + plain("argmax", i=4096, j=32000)
    + plain("max_pool", c=64, h=112, w=112),
    "attention": plain("attention", h=12, i=512, j=512) + plain("attention_causal", h=8, i=2048, j=2048),
    "odd": gemm([(97, 101, 103), (509, 521, 523), (1, 4096, 1000), (4096, 1, 1000), (5, 1000, 1000), (1009, 7, 1013),
                 (31, 4096, 77), (2053, 33, 65), (333, 333, 333), (3, 3, 65537), (1999, 5, 100),
                 (46, 9, 770), (2050, 2, 126), (879, 21, 58)])
    + gemm([(511, 513, 515), (5, 1000, 1000), (3, 3, 65537), (16, 10, 768)], "gemm_nt", "gemm_nt") + gemm([(511, 513, 515)], "gemm_tn", "gemm_tn")
    + gemm([(97, 101, 103), (509, 521, 523), (5, 1000, 1000), (31, 4096, 77), (2053, 33, 65), (1009, 7, 1013), (4096, 64, 4096),
            (64, 4096, 64), (64, 64, 4096), (5003, 13, 333), (255, 257, 3)], "gemm_bf16", "gemm_bf16")
    + gemm([(333, 333, 333), (5, 1000, 1000), (1, 4096, 1000), (31, 4096, 77), (4096, 64, 4096), (5003, 13, 333)], "gemm_i8", "gemm_i8")
    + plain("gemm_batched", b=7, m=33, n=65, k=17) + plain("gemm_batched", b=500, m=8, n=8, k=8)
    + plain("gemm_batched", b=33, m=36, n=18, k=154) + plain("gemm_batched", b=38, m=112, n=36, k=80) + plain("gemv", n=1003, k=5001)
    + conv("conv_k3", (17, 31, 23), (3, 65, 5)) + conv("conv_k3s2", (64, 56, 128), (33, 35, 70)) + conv("conv_k1", (37, 29, 91))
    + [("conv_k3_8x24_28_40", "conv_k3", {"n": 8, "c": 24, "h": 28, "w": 28, "f": 40})]
    + conv("conv_k3_bf16", (17, 31, 23)) + conv("conv_k3_nhwc", (64, 56, 64), (17, 31, 23)) + conv("depthwise_k3_nhwc", (96, 112), (37, 45))
    + conv("depthwise_k3", (37, 45)) + conv("depthwise_k3s2", (96, 112)) + conv("depthwise_k5", (19, 23))
    + plain("softmax", i=1000, j=1) + plain("softmax", i=1, j=50257) + plain("softmax", i=3333, j=77) + plain("softmax", i=37, j=100003)
    + plain("layer_norm", i=1009, j=769) + plain("layer_norm", i=1, j=4096) + plain("rms_norm", i=77, j=4099) + plain("gelu", i=1000003)
    + plain("sum_axis0", i=10007, j=37) + plain("sum_axis1", i=37, j=10007) + plain("sum_all", i=4194304)
    + plain("transpose", i=1999, j=2003) + plain("transpose", i=100003, j=3) + plain("transpose", i=7, j=100003)
    + plain("transpose", i=3, j=50176) + plain("gather", i=1009, j=63, t=5003)
    + plain("cumsum", i=37, j=100003) + plain("cumsum", i=5003, j=33) + plain("argmax", i=1009, j=1013) + plain("argmax", i=1, j=1000003)
    + plain("concat", i=1024, j=1024, left=448) + plain("concat", i=3, j=100003, left=5003) + plain("pad_permute_reshape_relu", a0=1024, a1=64, b=16)
    + plain("pool_of_pad", c=64, h=54, w=54) + plain("pool_of_conv", c=8, f=16, h=28, w=28) + plain("max_pool", c=37, h=55, w=57)
    + plain("max_pool_nhwc", c=64, h=112, w=112) + plain("max_pool_nhwc", c=37, h=55, w=57)
    + plain("split_k", m=64, n=64, k=1024, parts=4)
    + plain("attention", h=3, i=197, j=197) + plain("attention", h=16, i=1, j=1023) + plain("attention", h=1, i=5, j=4000)
    + plain("attention_causal", h=2, i=333, j=333)
    + plain("attention_grouped", h=2, g=4, i=128, j=640),
}
# Kernels of several reductions: a graph becomes one by joining (bench/graphs has them as ops).
BY_HAND = {"softmax", "softmax_bf16", "layer_norm", "rms_norm", "attention", "attention_causal", "attention_grouped", "pool_of_conv"}
NETWORKS = ["resnet50", "mobilenetv2", "mobilenetv3", "efficientnet_b0", "convnext_t", "unet", "bert4_seq128", "bert4_batch8", "vit_b16", "swin_t",
            "whisper_encoder", "gpt2_decode512", "llama_prefill128", "llama_step512", "lstm"]
# Rows of other groups whose sizes a call settles, up to so many: beside the peers there is one more, the same program
# compiled for the row's sizes (peers/fixed.py).
SYMBOLS = {
    **{f"gemm_{name}": {"m": 4096} for name in (128, 512, 1000, 1024, "127x257x509", "5x1000x1000", "31x4096x77")},
    "gemm_constant_512": {"m": 4096}, "gemm_nt_1024": {"m": 4096}, "gemm_gelu_1024": {"m": 4096}, "gemm_bf16_1024": {"m": 4096},
    "gemm_batched_96_128_128_64": {"b": 128, "m": 512, "n": 512}, "gemm_batched_7_33_65_17": {"b": 128, "m": 512, "n": 512},
    "softmax_4096_1024": {"i": 8192, "j": 2048}, "softmax_3333_77": {"i": 8192, "j": 2048}, "softmax_1_50257": {"i": 64, "j": 65536},
    "layer_norm_4096_768": {"i": 8192}, "layer_norm_1009_769": {"i": 8192}, "rms_norm_4096_1024": {"i": 8192}, "rms_norm_77_4099": {"i": 8192},
    "attention_12_512_512": {"i": 1024, "j": 1024}, "attention_causal_8_2048_2048": {"i": 4096, "j": 4096},
    "attention_3_197_197": {"i": 1024, "j": 1024}, "attention_16_1_1023": {"i": 1024, "j": 1024}, "attention_causal_2_333_333": {"i": 4096, "j": 4096},
}
# Groups whose rows are rows of other groups in another form, and the peer that is the kernel file itself.
BESIDE = {"symbols": "fixed", "graphs": "by_hand"}
GROUPS = [*TABLE, *BESIDE, "networks", "exported"]
# Small sizes of every kernel file: to see that everything starts, and that results are right.
TINY = {
    "gemm": {"m": 13, "n": 37, "k": 11}, "gemm_nt": {"m": 13, "n": 37, "k": 11}, "gemm_tn": {"m": 13, "n": 37, "k": 11},
    "gemm_constant": {"m": 13, "n": 37, "k": 11}, "gemm_gelu": {"m": 13, "n": 37, "k": 11},
    "gemm_batched": {"b": 3, "m": 5, "n": 18, "k": 7}, "gemv": {"n": 67, "k": 45}, "split_k": {"m": 5, "n": 19, "k": 8, "parts": 3},
    "conv_k7s2": {"c": 3, "h": 13, "w": 15, "f": 5}, "conv_k3": {"n": 2, "c": 3, "h": 7, "w": 19, "f": 5},
    "conv_k3s2": {"c": 3, "h": 9, "w": 11, "f": 5}, "conv_k1": {"c": 5, "h": 5, "w": 7, "f": 9},
    "depthwise_k3": {"c": 3, "h": 7, "w": 18}, "depthwise_k3s2": {"c": 3, "h": 9, "w": 11}, "depthwise_k5": {"c": 3, "h": 7, "w": 9},
    "conv_k3_bf16": {"n": 2, "c": 3, "h": 7, "w": 19, "f": 5}, "conv_k3_f16": {"n": 2, "c": 3, "h": 7, "w": 19, "f": 5},
    "conv_k3_nhwc": {"n": 2, "c": 3, "h": 7, "w": 19, "f": 5}, "depthwise_k3_nhwc": {"c": 18, "h": 7, "w": 9},
    "max_pool_nhwc": {"c": 3, "h": 11, "w": 13}, "max_pool": {"c": 3, "h": 11, "w": 13}, "pool_of_conv": {"c": 3, "f": 5, "h": 9, "w": 11}, "pool_of_pad": {"c": 3, "h": 8, "w": 10},
    "gemm_bf16": {"m": 13, "n": 37, "k": 11}, "gemm_f16": {"m": 13, "n": 37, "k": 11}, "gemm_i8": {"m": 13, "n": 37, "k": 11},
    "gemm_constant_bf16": {"m": 13, "n": 37, "k": 11}, "gemm_constant_i8": {"m": 13, "n": 37, "k": 11}, "softmax_bf16": {"i": 5, "j": 37},
    "softmax": {"i": 5, "j": 37}, "layer_norm": {"i": 5, "j": 37}, "rms_norm": {"i": 5, "j": 37}, "gelu": {"i": 1003},
    "sum_axis0": {"i": 37, "j": 19}, "sum_axis1": {"i": 19, "j": 37}, "sum_all": {"i": 1003},
    "bias_relu": {"n": 2, "c": 3, "h": 5, "w": 7}, "transpose": {"i": 19, "j": 37}, "gather": {"i": 7, "j": 19, "t": 13},
    "cumsum": {"i": 5, "j": 37}, "argmax": {"i": 5, "j": 37}, "concat": {"i": 5, "j": 37, "left": 11},
    "pad_permute_reshape_relu": {"a0": 5, "a1": 3, "b": 4}, "attention": {"h": 2, "i": 9, "j": 19, "d": 8, "e": 8},
    "attention_causal": {"h": 2, "i": 11, "j": 11, "d": 8, "e": 8}, "attention_grouped": {"h": 2, "g": 2, "i": 5, "j": 11, "d": 8, "e": 8},
}


def by_hand(name):
    """The kernel of BY_HAND that the row of that name is of, or None."""
    return next((kernel for group in TABLE.values() for row, kernel, _ in group if row == name and kernel in BY_HAND), None)


def choose(groups, pattern="", tiny=False):
    """The workloads of the groups whose names match; with `tiny`, each of their kernels once and small."""
    listed = {kernel for rows in TABLE.values() for _, kernel, _ in rows}
    if set(kernels.names()) != listed:
        raise ValueError(f"kernel files and rows differ: {sorted(set(kernels.names()) ^ listed)}")
    chosen, seen = [], set()
    for group in groups:
        for name, kernel, sizes in TABLE.get(group, []):
            if tiny:
                name, sizes = kernel, TINY[kernel]
            if name not in seen and re.search(pattern, name):
                seen.add(name)
                chosen.append(Workload(group, name, kernel, sizes))
    rows = {name: (kernel, sizes) for listed in TABLE.values() for name, kernel, sizes in listed}
    forms = {"symbols": ("_open", SYMBOLS), "graphs": ("_graph", {name: None for name, (kernel, _) in rows.items() if kernel in BY_HAND})}
    for group, (suffix, others) in forms.items():
        for name, most in others.items() if group in groups else ():
            kernel, sizes = rows[name]
            if tiny:
                name, sizes = kernel, TINY[kernel]
            if name + suffix not in seen and re.search(pattern, name):
                seen.add(name + suffix)
                chosen.append(Workload(group, name + suffix, kernel, sizes, most))
    for group, names in (("networks", NETWORKS), ("exported", exported.NAMES)):
        if group in groups and not tiny:
            chosen += [Workload(group, name, None, {}) for name in names if re.search(pattern, name)]
    return chosen
