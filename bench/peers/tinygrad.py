"""tinygrad for the CPU, each program captured by its JIT."""
NAME, VENV = "tinygrad", "tinygrad"
PACKAGES, DEBIAN = ["tinygrad", "numpy"], []
TARGETS = ["native"]
MOST_FLOPS = 3e8  # Larger products would take seconds to minutes each.


def environment(threads, target, folder):
    return {"CPU": "1", "DEV": "CPU", "CPU_COUNT": str(threads), "BEAM": "0"}


def version(folder):
    from importlib.metadata import version as find
    return find("tinygrad")


def function(Tensor, work):
    attributes, sizes = work.attributes, work.sizes
    groups = sizes.get("c", 1) if attributes.get("depthwise") else 1
    turn = lambda x, name: x.T if attributes.get(name) else x
    table = {
        "matmul": lambda a, b: turn(a, "transpose_a") @ turn(b, "transpose_b"),
        "matmul_gelu": lambda a, b, bias: (a @ b + bias).gelu(),
        "matmul_relu": lambda a, b, bias: (a @ b + bias).relu(),
        "conv": lambda x, w: x.conv2d(w, None, groups, attributes["stride"], 1, attributes["pad"]),
        "max_pool": lambda x: x.max_pool2d((3, 3), 2, 1, 1),
        "softmax": lambda x: x.softmax(-1),
        "layer_norm": lambda x, scale, shift: x.layernorm(-1, 1e-5) * scale + shift,
        "rms_norm": lambda x, scale: x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * scale,
        "gelu": lambda x: x * 0.5 * (1 + (x * 0.5 ** 0.5).erf()),
        "sum": lambda x: x.sum(attributes["axis"]),
        "bias_relu": lambda x, bias: (x + bias.reshape(-1, 1, 1)).relu(),
        "transpose": lambda x: x.T.contiguous(),
        "gather": lambda t, rows: t[rows],
        "cumsum": lambda x: x.cumsum(1),
        "argmax": lambda x: x.argmax(1),
        "concat": lambda a, b: a.cat(b, dim=1),
        "attention": None if attributes.get("grouped") else
                     lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=attributes.get("causal", False)),
    }
    return table.get(work.op)


def prepare(work, threads):
    from tinygrad import Tensor, TinyJit
    from harness.work import Prepared, Unsupported
    call = function(Tensor, work)
    if call is None or work.element() != "f32" or work.attributes.get("channels_last") or work.flops > MOST_FLOPS:
        raise Unsupported()
    values = [Tensor(work.arrays.pop(tensor["name"])).realize() for tensor in work.inputs]
    jitted = TinyJit(lambda *values: call(*values).realize())
    state = [None]

    def run():
        state[0] = jitted(*values)
        from tinygrad import Device
        Device[Device.DEFAULT].synchronize()

    for _ in range(3):
        run()
    return Prepared(run, lambda: [state[0].numpy().astype(work.results[0]["dtype"])])
