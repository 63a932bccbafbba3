"""The networks of part `speed`, written once for three that read them: a graph for ONNX, torch, and numpy.

A network is a function of a `net`, which has convolutions, products and so on as methods. Weights are random numbers of
bf16 that no one carries: each is made of the bits that a generator of integers gives, the same on every machine.
"""
import math

SEED = 7


def resnet(net, batch, side, width, blocks):
    """ResNet; of 50 layers with a width of 64 and blocks of 3, 4, 6, 3. Normalisations are folded."""
    x = net.relu(net.conv(net.input("x", batch, 3, side, side), width, 7, 2))
    x = net.max_pool(x)
    for stage, count in enumerate(blocks):
        inside = width << stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            y = net.relu(net.conv(x, inside, 1))
            y = net.conv(net.relu(net.conv(y, inside, 3, stride)), 4 * inside, 1, scale=0.3)
            x = net.relu(net.add(y, x if block else net.conv(x, 4 * inside, 1, stride)))
    return net.linear(net.mean_of_image(x), 1000)


def bert(net, batch, positions, width, heads, layers):
    """The layers of BERT behind its embeddings; of the base size with 768 columns, 12 heads, 12 layers."""
    x = net.input("x", batch, positions, width)
    for _ in range(layers):
        q, k, v = (net.linear(x, width) for _ in range(3))
        x = net.norm(net.add(x, net.linear(net.attend(q, k, v, heads), width)))
        x = net.norm(net.add(x, net.linear(net.gelu(net.linear(x, 4 * width)), width)))
    return x


class Weights:
    """Sizes and scales of weights in the order in which a network asks for them."""

    def conv_weights(self, filters, channels, size, scale):
        w = self.weight((filters, channels, size, size), scale * math.sqrt(2 / (channels * size * size)))
        return w, self.weight((filters,), 0.1)

    def linear_weights(self, rows, columns):
        return self.weight((rows, columns), rows ** -0.5), self.weight((columns,), 0.1)

    def norm_weights(self, columns):
        return self.weight((columns,), 1.0, positive=True), self.weight((columns,), 0.1)


class Graph(Weights):
    """Nodes, and the weights that they need. A value is a name; `dims` has its extents."""

    def __init__(self):
        self.nodes, self.known, self.inputs, self.weights, self.dims = [], {}, [], [], {}
        self.flops = self.count = 0

    def input(self, name, *dims):
        self.inputs.append(name)
        self.dims[name] = dims
        return name

    def weight(self, dims, scale, positive=False):
        """Magnitudes lie between a power of two and the next: what is kept of a scale is its power."""
        name = f"w{len(self.weights)}"
        self.weights.append((dims, self.count, round(math.log2(scale / 1.5)), positive))
        self.dims[name] = dims
        self.count += math.prod(dims)
        return name

    def node(self, op, inputs, dims, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append((op, list(inputs), [name], attributes))
        self.dims[name] = tuple(dims)
        return name

    def integers(self, *values):
        name = f"i{len(self.known)}"
        self.known[name] = list(values)
        return name

    def conv(self, x, filters, size, stride=1, scale=1.0):
        batch, channels, side, _ = self.dims[x]
        side = (side - 1) // stride + 1
        w, bias = self.conv_weights(filters, channels, size, scale)
        self.flops += 2 * batch * filters * side * side * channels * size * size
        return self.node("Conv", [x, w, bias], [batch, filters, side, side], strides=[stride] * 2, pads=[size // 2] * 4)

    def max_pool(self, x):
        batch, channels, side, _ = self.dims[x]
        side = (side - 1) // 2 + 1
        return self.node("MaxPool", [x], [batch, channels, side, side], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)

    def mean_of_image(self, x):
        batch, channels = self.dims[x][:2]
        mean = self.node("GlobalAveragePool", [x], [batch, channels, 1, 1])
        return self.node("Flatten", [mean], [batch, channels])

    def linear(self, x, columns):
        *rows, depth = self.dims[x]
        w, bias = self.linear_weights(depth, columns)
        self.flops += 2 * math.prod(rows) * depth * columns
        return self.add(self.node("MatMul", [x, w], [*rows, columns]), bias)

    def attend(self, q, k, v, heads):
        batch, positions, width = self.dims[q]
        self.flops += 4 * batch * positions * positions * width
        return self.node("Attention", [q, k, v], self.dims[q], q_num_heads=heads, kv_num_heads=heads)

    def norm(self, x):
        return self.node("LayerNormalization", [x, *self.norm_weights(self.dims[x][-1])], self.dims[x], axis=-1, epsilon=1e-5)

    def relu(self, x):
        return self.node("Relu", [x], self.dims[x])

    def gelu(self, x):
        return self.node("Gelu", [x], self.dims[x])

    def add(self, a, b):
        return self.node("Add", [a, b], self.dims[a])


def model(graph, result):
    """The graph as an ONNX model of bf16 whose weights are in weights.bin."""
    from onnx import TensorProto, helper
    kind = TensorProto.BFLOAT16
    weights = []
    for i, (dims, place, _, _) in enumerate(graph.weights):
        tensor = TensorProto(name=f"w{i}", data_type=kind, dims=dims, data_location=TensorProto.EXTERNAL)
        for key, value in [("location", "weights.bin"), ("offset", 2 * place), ("length", 2 * math.prod(dims))]:
            tensor.external_data.add(key=key, value=str(value))
        weights.append(tensor)
    known = [helper.make_tensor(name, TensorProto.INT64, [len(values)], values) for name, values in graph.known.items()]
    arguments = [helper.make_tensor_value_info(name, kind, graph.dims[name]) for name in graph.inputs]
    nodes = [helper.make_node(op, inputs, outputs, **attributes) for op, inputs, outputs, attributes in graph.nodes]
    made = helper.make_graph(nodes, "main", arguments, [helper.make_tensor_value_info(result, kind, graph.dims[result])], weights + known)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


NETWORKS = {"resnet": resnet, "bert": bert}


def trace(name, sizes):
    """The graph of a network, and its result."""
    graph = Graph()
    return graph, NETWORKS[name](graph, *sizes)


def make_weights(graph, numpy):
    """All weights as bits of bf16: signs and mantissas at random, exponents as scales say."""
    raw = numpy.random.PCG64(SEED).random_raw((graph.count + 3) // 4).astype("<u8").view(numpy.uint16)[:graph.count]
    for dims, place, power, positive in graph.weights:
        part = raw[place:place + math.prod(dims)]
        part &= numpy.uint16(0x7f if positive else 0x807f)
        part |= numpy.uint16((127 + power) << 7)
    return raw


class Eager(Weights):
    """The same, computed at once. `flat` has all weights one behind the other, `given` the inputs."""

    def __init__(self, flat, given):
        self.flat, self.given, self.place = flat, given, 0

    def input(self, name, *dims):
        return self.given

    def weight(self, dims, scale, positive=False):
        begin, self.place = self.place, self.place + math.prod(dims)
        return self.flat[begin:self.place].reshape(dims)

    def add(self, a, b):
        return a + b

    def linear(self, x, columns):
        w, bias = self.linear_weights(x.shape[-1], columns)
        return x @ w + bias


class Torch(Eager):
    """In the type of `flat`; in one order of dimensions or the other."""

    def __init__(self, torch, flat, given, images_last=False, cache=None):
        super().__init__(flat, given)
        self.cache = {} if cache is None else cache
        self.torch, self.functional = torch, torch.nn.functional
        self.format = torch.channels_last if images_last else torch.contiguous_format

    def conv(self, x, filters, size, stride=1, scale=1.0):
        place = self.place
        w, bias = self.conv_weights(filters, x.shape[1], size, scale)
        if place not in self.cache:
            self.cache[place] = w.contiguous(memory_format=self.format)
        return self.functional.conv2d(x, self.cache[place], bias, stride, size // 2)

    def max_pool(self, x):
        return self.functional.max_pool2d(x, 3, 2, 1)

    def mean_of_image(self, x):
        return x.mean((2, 3))

    def linear(self, x, columns):
        w, bias = self.linear_weights(x.shape[-1], columns)
        return self.functional.linear(x, w.t(), bias)

    def attend(self, q, k, v, heads):
        split = [value.unflatten(-1, (heads, -1)).transpose(1, 2) for value in (q, k, v)]
        return self.functional.scaled_dot_product_attention(*split).transpose(1, 2).flatten(2)

    def norm(self, x):
        scale, shift = self.norm_weights(x.shape[-1])
        return self.functional.layer_norm(x, x.shape[-1:], scale, shift, 1e-5)

    def relu(self, x):
        return self.functional.relu(x)

    def gelu(self, x):
        return self.functional.gelu(x)


class Numpy(Eager):
    """In f64, for small networks."""

    def __init__(self, numpy, flat, given):
        super().__init__(flat, given)
        self.numpy = numpy

    def windows(self, x, size, stride, fill):
        pad = size // 2
        padded = self.numpy.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
        view = self.numpy.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(2, 3))
        return view[:, :, ::stride, ::stride]

    def conv(self, x, filters, size, stride=1, scale=1.0):
        w, bias = self.conv_weights(filters, x.shape[1], size, scale)
        return self.numpy.einsum("ncijrs,fcrs->nfij", self.windows(x, size, stride, 0), w, optimize=True) + bias[:, None, None]

    def max_pool(self, x):
        return self.windows(x, 3, 2, -math.inf).max((4, 5))

    def mean_of_image(self, x):
        return x.mean((2, 3))

    def attend(self, q, k, v, heads):
        q, k, v = (value.reshape(*value.shape[:2], heads, -1).swapaxes(1, 2) for value in (q, k, v))
        scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
        e = self.numpy.exp(scores - scores.max(-1, keepdims=True))
        mixed = e / e.sum(-1, keepdims=True) @ v
        return mixed.swapaxes(1, 2).reshape(mixed.shape[0], mixed.shape[2], -1)

    def norm(self, x):
        scale, shift = self.norm_weights(x.shape[-1])
        d = x - x.mean(-1, keepdims=True)
        return d / self.numpy.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * scale + shift

    def relu(self, x):
        return self.numpy.maximum(x, 0)

    def gelu(self, x):
        return 0.5 * x * (1 + self.numpy.vectorize(math.erf)(x * math.sqrt(0.5)))
