"""JAX: XLA for the CPU."""
NAME, VENV = "jax", "jax"
PACKAGES, DEBIAN = ["jax", "numpy", "ml_dtypes"], []
TARGETS = ["native"]


def environment(threads, target, folder):
    return {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}


def version(folder):
    import jax
    return jax.__version__


def convolution(jax, work):
    stride, pad = work.attributes["stride"], work.attributes["pad"]
    groups = work.sizes["c"] if work.attributes.get("depthwise") else 1
    layout = "NHWC" if work.attributes.get("channels_last") else "NCHW"
    return lambda x, w: jax.lax.conv_general_dilated(x, w, (stride, stride), [(pad, pad)] * 2, feature_group_count=groups,
                                                     dimension_numbers=(layout, "OIHW", layout))


def pool(jax, x, channels_last=False):
    import numpy
    place = lambda rows, columns, rest: (rest, rows, columns, rest) if channels_last else (rest, rest, rows, columns)
    return jax.lax.reduce_window(x, numpy.float32(-numpy.inf), jax.lax.max, place(3, 3, 1), place(2, 2, 1), place((1, 1), (1, 1), (0, 0)))


def attention(jax, work):
    jnp, sizes = jax.numpy, work.sizes

    def call(q, k, v):
        groups = q.shape[1] // k.shape[1]
        q = q.reshape(q.shape[0], k.shape[1], groups, *q.shape[2:])
        s = jnp.einsum("bhgid,bhjd->bhgij", q, k) * sizes["d"] ** -0.5
        if work.attributes.get("causal"):
            s = jnp.where(jnp.tri(sizes["i"], sizes["j"], sizes["j"] - sizes["i"], dtype=bool), s, -jnp.inf)
        o = jnp.einsum("bhgij,bhje->bhgie", jax.nn.softmax(s, -1), v)
        return o.reshape(o.shape[0], -1, *o.shape[3:])

    return call


def product(jax, work):
    jnp = jax.numpy
    transpose_a, transpose_b = work.attributes.get("transpose_a"), work.attributes.get("transpose_b")
    wide = {"bf16": "float32", "f16": "float32", "i8": "int32", "ui8": "int32"}.get(work.element())
    narrow = work.results[0]["element"] in ("bf16", "f16")
    return lambda a, b: jnp.matmul(a.T if transpose_a else a, b.T if transpose_b else b,
                                   preferred_element_type=None if narrow else wide)


def function(jax, work):
    jnp, axis = jax.numpy, work.attributes.get("axis")
    mean = lambda x: jnp.mean(x, -1, keepdims=True)
    table = {
        "matmul": lambda: product(jax, work),
        "matmul_gelu": lambda: lambda a, b, bias: jax.nn.gelu(a @ b + bias, approximate=True),
        "matmul_relu": lambda: lambda a, b, bias: jax.nn.relu(a @ b + bias),
        "conv": lambda: convolution(jax, work),
        "max_pool": lambda: lambda x: pool(jax, x, work.attributes.get("channels_last")),
        "pool_of_pad": lambda: lambda x: pool(jax, jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))),
        "softmax": lambda: lambda x: jax.nn.softmax(x, -1),
        "layer_norm": lambda: lambda x, scale, shift: (x - mean(x)) * jax.lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * scale + shift,
        "rms_norm": lambda: lambda x, scale: x * jax.lax.rsqrt(mean(x * x) + 1e-5) * scale,
        "gelu": lambda: lambda x: jax.nn.gelu(x, approximate=False),
        "sum": lambda: lambda x: jnp.sum(x, axis),
        "bias_relu": lambda: lambda x, bias: jax.nn.relu(x + bias[:, None, None]),
        "transpose": lambda: lambda x: x.T,
        "gather": lambda: lambda t, rows: t[rows],
        "cumsum": lambda: lambda x: jnp.cumsum(x, 1),
        "argmax": lambda: lambda x: jnp.argmax(x, 1),
        "concat": lambda: lambda a, b: jnp.concatenate([a, b], 1),
        "pad_permute": lambda: lambda x: jax.nn.relu(jnp.pad(x, ((1, 1), (0, 0))).T.reshape(-1, work.sizes["b"])),
        "attention": lambda: attention(jax, work),
    }
    return table[work.op]() if work.op in table else None


def prepare(work, threads):
    import jax
    import ml_dtypes
    import numpy
    from harness.work import Prepared, Unsupported
    call = function(jax, work)
    if call is None:
        raise Unsupported()
    arguments, constants = [], []
    for tensor in work.inputs:
        array = work.arrays[tensor["name"]]
        array = array.view(ml_dtypes.bfloat16) if tensor["element"] == "bf16" else array
        (constants if tensor["constant"] else arguments).append(array)
    values = [jax.device_put(array) for array in arguments]
    compiled = jax.jit(lambda *values: call(*values, *constants)).lower(*values).compile()
    state = [None]

    def run():
        state[0] = compiled(*values)
        state[0].block_until_ready()

    def results():
        array = numpy.asarray(state[0])
        return [array.view(numpy.uint16) if array.dtype == ml_dtypes.bfloat16 else array]

    return Prepared(run, results)
