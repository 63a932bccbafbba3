"""PyTorch, eager."""
NAME, VENV = "torch", "torch"
PACKAGES, DEBIAN = ["torch", "numpy", "setuptools"], []
TARGETS = ["native"]
ELEMENTS = {"bf16": "bfloat16"}


def environment(threads, target, folder):
    return {}


def version(folder):
    import torch
    return torch.__version__


def convolution(torch, work):
    stride, pad = work.attributes["stride"], work.attributes["pad"]
    groups = work.sizes["c"] if work.attributes.get("depthwise") else 1
    return channels_last(work, lambda x, w: torch.nn.functional.conv2d(x, w, None, stride, pad, 1, groups))


def channels_last(work, call):
    """The call on channels last, which is a layout of NCHW to PyTorch."""
    if not work.attributes.get("channels_last"):
        return call
    return lambda x, *others: call(x.permute(0, 3, 1, 2), *others).permute(0, 2, 3, 1).contiguous()


def attention(torch, work):
    causal, grouped = work.attributes.get("causal", False), work.attributes.get("grouped", False)
    if causal and work.sizes["i"] != work.sizes["j"]:
        mask = torch.ones(work.sizes["i"], work.sizes["j"], dtype=torch.bool).tril(work.sizes["j"] - work.sizes["i"])
        return lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=grouped)
    return lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)


def product(torch, work):
    transpose_a, transpose_b = work.attributes.get("transpose_a"), work.attributes.get("transpose_b")
    integers = work.element() in ("i8", "ui8")
    if integers:
        return lambda a, b: torch._int_mm(a, b)
    return lambda a, b: torch.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


def function(torch, work):
    """The operation on tensors, in the order of the program's inputs; None: there is none."""
    f, axis = torch.nn.functional, work.attributes.get("axis")
    columns = work.sizes.get("j")
    table = {
        "matmul": lambda: product(torch, work),
        "matmul_gelu": lambda: lambda a, b, bias: f.gelu(torch.addmm(bias, a, b), approximate="tanh"),
        "matmul_relu": lambda: lambda a, b, bias: f.relu(torch.addmm(bias, a, b)),
        "conv": lambda: convolution(torch, work),
        "max_pool": lambda: channels_last(work, lambda x: f.max_pool2d(x, 3, 2, 1)),
        "pool_of_conv": lambda: lambda x, w: f.max_pool2d(f.conv2d(x, w, None, 1, 1), 3, 2, 1),
        "pool_of_pad": lambda: lambda x: f.max_pool2d(f.pad(x, (1, 1, 1, 1)), 3, 2, 1),
        "softmax": lambda: lambda x: f.softmax(x, -1),
        "layer_norm": lambda: lambda x, scale, shift: f.layer_norm(x, (columns,), scale, shift, 1e-5),
        "rms_norm": lambda: lambda x, scale: f.rms_norm(x, (columns,), scale, 1e-5),
        "gelu": lambda: f.gelu,
        "sum": lambda: lambda x: torch.sum(x, axis),
        "bias_relu": lambda: lambda x, bias: f.relu(x + bias[:, None, None]),
        "transpose": lambda: lambda x: x.T.contiguous(),
        "gather": lambda: lambda t, rows: f.embedding(rows, t),
        "cumsum": lambda: lambda x: torch.cumsum(x, 1),
        "argmax": lambda: lambda x: torch.argmax(x, 1),
        "concat": lambda: lambda a, b: torch.cat([a, b], 1),
        "pad_permute": lambda: lambda x: f.relu(f.pad(x, (0, 0, 1, 1)).T.reshape(-1, work.sizes["b"])),
        "attention": lambda: attention(torch, work),
    }
    return table[work.op]() if work.op in table else None


def convert(torch, work):
    tensors = []
    for tensor in work.inputs:
        value = torch.from_numpy(work.arrays[tensor["name"]])
        tensors.append(value.view(torch.bfloat16) if tensor["element"] == "bf16" else value)
    return tensors


def compiled(torch, work, call, tensors):
    """The operation compiled, its constants as parameters of a module: those alone are frozen and packed."""
    constants = [tensor["constant"] for tensor in work.inputs]
    fixed = [value for value, constant in zip(tensors, constants) if constant]

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fixed = torch.nn.ParameterList([torch.nn.Parameter(value, requires_grad=False) for value in fixed])

        def forward(self, *values):
            return call(*values, *self.fixed)

    torch._dynamo.reset()
    return torch.compile(Module().eval(), dynamic=False), [value for value, constant in zip(tensors, constants) if not constant]


def to_numpy(torch, value):
    return (value.view(torch.uint16) if value.dtype == torch.bfloat16 else value).numpy()


def prepare(work, threads, compile=False):
    import torch
    from harness.work import Prepared, Unsupported
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    call = function(torch, work)
    if call is None:
        raise Unsupported()
    tensors = convert(torch, work)
    if compile:
        call, tensors = compiled(torch, work, call, tensors)
    state = [None]

    def run():
        state[0] = call(*tensors)

    return Prepared(run, lambda: [to_numpy(torch, state[0])])
