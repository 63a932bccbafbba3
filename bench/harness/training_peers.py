"""The networks of training.py in JAX and tinygrad, as functions of weights with torch's names.

`jax_steps` and `tinygrad_steps` give a function that does a step on a batch and gives its loss: the loss, its derivatives and
the update of all weights, compiled as one. Batch norm takes the statistics of the batch; running ones are left out.
"""
import math

from . import training


class Jax:
    """What networks are written in, by JAX."""

    def __init__(self):
        import jax

        self.jax, self.np = jax, jax.numpy

    def linear(self, x, w, b):
        return x @ w.T + b

    def relu(self, x):
        return self.jax.nn.relu(x)

    def gelu(self, x):
        return self.jax.nn.gelu(x, approximate=False)

    def conv(self, x, w, stride):
        pad = w.shape[2] // 2
        return self.jax.lax.conv_general_dilated(x, w, (stride, stride), ((pad, pad), (pad, pad)))

    def max_pool(self, x):
        return self.jax.lax.reduce_window(x, -math.inf, self.jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2),
                                          ((0, 0), (0, 0), (1, 1), (1, 1)))

    def normalize(self, x, axes, w, b, shape):
        mean = x.mean(axes, keepdims=True)
        x = x - mean
        x = x * self.jax.lax.rsqrt((x * x).mean(axes, keepdims=True) + 1e-5)
        return x * w.reshape(shape) + b.reshape(shape)

    def attention(self, q, k, v):
        scores = self.np.einsum("bhsd,bhtd->bhst", q, k) / math.sqrt(q.shape[-1])
        return self.np.einsum("bhst,bhtd->bhsd", self.jax.nn.softmax(scores), v)

    def permute(self, x, order):
        return x.transpose(order)

    def rows(self, w, at):
        return w[at]

    def cross_entropy(self, x, wanted):
        x, wanted = x.reshape(-1, x.shape[-1]), wanted.reshape(-1)
        found = self.np.take_along_axis(self.jax.nn.log_softmax(x), self.np.maximum(wanted, 0)[:, None], 1)[:, 0]
        counts = wanted >= 0
        return -self.np.where(counts, found, 0).sum() / counts.sum()

    def lstm(self, x, w, layer):
        h, w_hh = w[f"lstm.weight_hh_l{layer}"].shape[1], w[f"lstm.weight_hh_l{layer}"]
        gates = self.linear(x, w[f"lstm.weight_ih_l{layer}"], w[f"lstm.bias_ih_l{layer}"] + w[f"lstm.bias_hh_l{layer}"])

        def step(carry, own):
            hidden, cell = carry
            i, f, g, o = self.np.split(own + hidden @ w_hh.T, 4, 1)
            sigmoid, tanh = self.jax.nn.sigmoid, self.np.tanh
            cell = sigmoid(f) * cell + sigmoid(i) * tanh(g)
            hidden = sigmoid(o) * tanh(cell)
            return (hidden, cell), hidden
        zero = self.np.zeros((x.shape[1], h), x.dtype)
        return self.jax.lax.scan(step, (zero, zero), gates)[1]


class Tinygrad(Jax):
    """By tinygrad."""

    def __init__(self):
        import tinygrad

        self.tinygrad = tinygrad

    def linear(self, x, w, b):
        return x.linear(w.T, b)

    def relu(self, x):
        return x.relu()

    def gelu(self, x):
        return x * 0.5 * (1 + (x * (1 / math.sqrt(2))).erf())

    def conv(self, x, w, stride):
        return x.conv2d(w, stride=stride, padding=w.shape[2] // 2)

    def max_pool(self, x):
        return x.max_pool2d((3, 3), 2, 1, 1)

    def normalize(self, x, axes, w, b, shape):
        x = x - x.mean(axes, keepdim=True)
        x = x * ((x * x).mean(axes, keepdim=True) + 1e-5).rsqrt()
        return x * w.reshape(*shape) + b.reshape(*shape)

    def attention(self, q, k, v):
        return q.scaled_dot_product_attention(k, v)

    def permute(self, x, order):
        return x.permute(*order)

    def cross_entropy(self, x, wanted):
        return x.reshape(-1, x.shape[-1]).sparse_categorical_crossentropy(wanted.reshape(-1), ignore_index=-100)

    def lstm(self, x, w, layer):
        h, w_hh = w[f"lstm.weight_hh_l{layer}"].shape[1], w[f"lstm.weight_hh_l{layer}"]
        gates = self.linear(x, w[f"lstm.weight_ih_l{layer}"], w[f"lstm.bias_ih_l{layer}"] + w[f"lstm.bias_hh_l{layer}"])
        hidden = cell = self.tinygrad.Tensor.zeros(x.shape[1], h)
        found = []
        for step in range(x.shape[0]):
            i, f, g, o = (gates[step] + hidden @ w_hh.T).chunk(4, 1)
            cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
            hidden = o.sigmoid() * cell.tanh()
            found.append(hidden)
        return found[0].stack(*found[1:])


def mlp_loss(by, network, w, x, wanted):
    last = len(network.widths()) - 2
    for i in range(last + 1):
        x = by.linear(x, w[f"layers.{i}.weight"], w[f"layers.{i}.bias"])
        x = by.relu(x) if i < last else x
    return by.cross_entropy(x, wanted)


def resnet_loss(by, network, w, x, wanted):
    def norm(x, name):
        return by.normalize(x, (0, 2, 3), w[name + ".weight"], w[name + ".bias"], (1, -1, 1, 1))
    x = by.max_pool(by.relu(norm(by.conv(x, w["conv1.weight"], 2), "bn1")))
    for number, stage in enumerate(network.stages()):
        for i, (_, _, stride) in enumerate(stage):
            name = f"layer{number + 1}.{i}"
            y = by.relu(norm(by.conv(x, w[name + ".conv1.weight"], stride), name + ".bn1"))
            y = norm(by.conv(y, w[name + ".conv2.weight"], 1), name + ".bn2")
            if name + ".downsample.0.weight" in w:
                x = norm(by.conv(x, w[name + ".downsample.0.weight"], stride), name + ".downsample.1")
            x = by.relu(x + y)
    return by.cross_entropy(by.linear(x.mean((2, 3)), w["fc.weight"], w["fc.bias"]), wanted)


def bert_loss(by, network, w, rows, wanted):
    def norm(x, name):
        return by.normalize(x, -1, w[name + ".weight"], w[name + ".bias"], (-1,))

    def heads(x):
        return by.permute(x.reshape(network.batch, network.tokens, network.heads, -1), (0, 2, 1, 3))
    x = norm(by.rows(w["token.weight"], rows) + w["position.weight"], "norm")
    for i in range(network.layers):
        name, width = f"encoder.layers.{i}", network.width
        qkv = by.linear(x, w[name + ".self_attn.in_proj_weight"], w[name + ".self_attn.in_proj_bias"])
        y = by.attention(*(heads(qkv[..., n * width:(n + 1) * width]) for n in range(3)))
        y = by.permute(y, (0, 2, 1, 3)).reshape(network.batch, network.tokens, width)
        x = norm(x + by.linear(y, w[name + ".self_attn.out_proj.weight"], w[name + ".self_attn.out_proj.bias"]), name + ".norm1")
        y = by.gelu(by.linear(x, w[name + ".linear1.weight"], w[name + ".linear1.bias"]))
        x = norm(x + by.linear(y, w[name + ".linear2.weight"], w[name + ".linear2.bias"]), name + ".norm2")
    return by.cross_entropy(by.linear(x, w["head.weight"], w["head.bias"]), wanted)


def lstm_loss(by, network, w, rows, wanted):
    x = by.rows(w["token.weight"], rows)
    for layer in range(network.layers):
        x = by.lstm(x, w, layer)
    return by.cross_entropy(by.linear(x, w["head.weight"], w["head.bias"]), wanted)


LOSSES = {"mlp": mlp_loss, "resnet18": resnet_loss, "bert": bert_loss, "lstm": lstm_loss}


def jax_steps(network, weights, batches):
    import jax

    by, rate = Jax(), network.rate

    def loss(w, *batch):
        return LOSSES[network.name](by, network, w, *batch)

    def sgd(w, state, *batch):
        value, grads = jax.value_and_grad(loss)(w, *batch)
        state = {n: training.MOMENTUM * state[n] + grads[n] for n in w}
        return value, {n: w[n] - rate * state[n] for n in w}, state

    def adamw(w, state, *batch):
        value, grads = jax.value_and_grad(loss)(w, *batch)
        a = training.ADAM
        step, first, second = state
        step = step + 1
        first = {n: a["beta1"] * first[n] + (1 - a["beta1"]) * grads[n] for n in w}
        second = {n: a["beta2"] * second[n] + (1 - a["beta2"]) * grads[n] ** 2 for n in w}
        fix1, fix2 = 1 - a["beta1"] ** step, 1 - a["beta2"] ** step
        w = {n: w[n] * (1 - rate * a["weight_decay"]) -
             rate / fix1 * first[n] / (jax.numpy.sqrt(second[n] / fix2) + a["eps"]) for n in w}
        return value, w, (step, first, second)
    w = {n: jax.numpy.array(x) for n, x in weights.items()}
    zeros = [{n: jax.numpy.zeros_like(x) for n, x in w.items()} for _ in range(2)]
    isAdam = network.optimizer == "adamw"
    state = (jax.numpy.float32(0), *zeros) if isAdam else zeros[0]
    step = jax.jit(adamw if isAdam else sgd, donate_argnums=(0, 1))
    batches = [tuple(jax.numpy.asarray(x) for x in batch) for batch in batches]

    def one(i):
        nonlocal w, state
        value, w, state = jax.block_until_ready(step(w, state, *batches[i % len(batches)]))
        return float(value)
    return one


def tinygrad_steps(network, weights, batches):
    import tinygrad
    from tinygrad import Context, Tensor, nn

    by, a = Tinygrad(), training.ADAM
    w = {n: Tensor(x) for n, x in weights.items()}
    for one in w.values():
        one.is_param_() if hasattr(one, "is_param_") else setattr(one, "requires_grad", True)
    parameters = list(w.values())
    optimizer = nn.optim.AdamW(parameters, network.rate, a["beta1"], a["beta2"], a["eps"], a["weight_decay"]) \
        if network.optimizer == "adamw" else nn.optim.SGD(parameters, network.rate, training.MOMENTUM)
    batches = [tuple(Tensor(x).realize() for x in batch) for batch in batches]

    @tinygrad.TinyJit
    def step(*batch):
        with Context(TRAINING=1):
            optimizer.zero_grad()
            loss = LOSSES[network.name](by, network, w, *batch).backward()
            return loss.realize(*optimizer.schedule_step())
    return lambda i: float(step(*batches[i % len(batches)]).item())
