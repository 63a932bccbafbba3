"""Networks that are trained, in tensorwright.nn and in torch, with parameters of the same names and shapes.

A network has `ours(dtype)` and `theirs(dtype)`, which make the model, and functions of a model and of a batch that
give the loss. Batches are drawn by seed from something that can be learned. Random weights are those of ours; `give`
puts them into torch's model.
"""
import numpy as np


class Network:
    """`sizes` are numbers by name; `optimizer` is "sgd" or "adamw" with its rate."""

    name, optimizer, rate = "", "sgd", 0.01
    sizes = {}

    def __init__(self, **sizes):
        unknown = set(sizes) - set(self.sizes)
        if unknown:
            raise ValueError(f"{self.name}: expected sizes {', '.join(self.sizes)}, found {', '.join(unknown)}")
        self.__dict__.update(self.sizes | sizes)

    def batches(self, count, seed, dtype="float32"):
        """Arrays of `count` batches; what is float is of the dtype."""
        random = np.random.default_rng(seed)
        made = [self.draw(random) for _ in range(count)]
        return [tuple(x.astype(dtype) if x.dtype.kind == "f" else x for x in batch) for batch in made]

    def draw(self, random):
        raise NotImplementedError


def classes(random, batch, shape, count):
    """Pictures that are one of `count` patterns in noise, and which."""
    patterns = np.random.default_rng(99).standard_normal((count, *shape))
    which = random.integers(0, count, batch)
    return (patterns[which] * 0.5 + random.standard_normal((batch, *shape))).astype("float32"), which


def sentences(random, batch, length, vocabulary):
    """Rows in which each number follows from the one before, but for one of ten."""
    rows = np.empty((batch, length + 1), "int64")
    rows[:, 0] = random.integers(0, vocabulary, batch)
    for i in range(length):
        stray = random.integers(0, vocabulary, batch)
        rows[:, i + 1] = np.where(random.random(batch) < 0.1, stray, (3 * rows[:, i] + 1) % vocabulary)
    return rows


class Mlp(Network):
    """Three products with relu between."""

    name, rate = "mlp", 0.01
    sizes = {"inputs": 784, "hidden": 1024, "classes": 10, "batch": 128}

    def draw(self, random):
        return classes(random, self.batch, (self.inputs,), self.classes)

    def widths(self):
        return [self.inputs, self.hidden, self.hidden, self.classes]

    def ours(self, dtype):
        import tensorwright as tw

        widths = self.widths()

        class Model(tw.nn.Module):
            def __init__(self):
                self.layers = [tw.nn.Linear(k, n, dtype=dtype) for k, n in zip(widths, widths[1:])]

            def __call__(self, x):
                for layer in self.layers[:-1]:
                    x = tw.relu(layer(x))
                return self.layers[-1](x)
        return Model()

    def theirs(self, dtype):
        import torch

        widths = self.widths()

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList(torch.nn.Linear(k, n) for k, n in zip(widths, widths[1:]))

            def forward(self, x):
                for layer in self.layers[:-1]:
                    x = torch.relu(layer(x))
                return self.layers[-1](x)
        return Model().to(dtype)

    def our_loss(self, model, x, t):
        import tensorwright as tw

        return tw.cross_entropy(model(x), t)

    def their_loss(self, model, x, t):
        import torch

        return torch.nn.functional.cross_entropy(model(x), t)


class ResNet18(Mlp):
    """As torchvision's, with batch norm by the statistics of the batch."""

    name, rate = "resnet18", 0.01
    sizes = {"width": 64, "classes": 10, "batch": 16, "pixels": 64}

    def draw(self, random):
        return classes(random, self.batch, (3, self.pixels, self.pixels), self.classes)

    def stages(self):
        """(inputs, outputs, stride) of the two blocks of each of four stages."""
        w = self.width
        return [[(k, n, s), (n, n, 1)] for k, n, s in ((w, w, 1), (w, 2 * w, 2), (2 * w, 4 * w, 2), (4 * w, 8 * w, 2))]

    def ours(self, dtype):
        import tensorwright as tw

        nn, network = tw.nn, self

        def conv(k, n, size, stride):
            made = nn.Conv(k, n, (size, size), stride, size // 2, bias=False, dtype=dtype)
            made.weight = tw.init.kaiming_normal(made.weight.shape, dtype=dtype)
            return made

        class Block(nn.Module):
            def __init__(self, k, n, stride):
                self.conv1, self.bn1 = conv(k, n, 3, stride), nn.BatchNorm(n, dtype=dtype)
                self.conv2, self.bn2 = conv(n, n, 3, 1), nn.BatchNorm(n, dtype=dtype)
                self.downsample = [conv(k, n, 1, stride), nn.BatchNorm(n, dtype=dtype)] if (k, stride) != (n, 1) else []

            def __call__(self, x):
                y = self.bn2(self.conv2(tw.relu(self.bn1(self.conv1(x)))))
                for layer in self.downsample:
                    x = layer(x)
                return tw.relu(x + y)

        class Model(nn.Module):
            def __init__(self):
                self.conv1, self.bn1 = conv(3, network.width, 7, 2), nn.BatchNorm(network.width, dtype=dtype)
                self.layer1, self.layer2, self.layer3, self.layer4 = [[Block(*one) for one in stage] for stage in network.stages()]
                self.fc = nn.Linear(8 * network.width, network.classes, dtype=dtype)

            def __call__(self, x):
                x = tw.max_pool(tw.relu(self.bn1(self.conv1(x))), (3, 3), 2, 1)
                for block in self.layer1 + self.layer2 + self.layer3 + self.layer4:
                    x = block(x)
                return self.fc(tw.mean(x, (2, 3)))
        return Model()

    def theirs(self, dtype):
        import torch

        nn, network = torch.nn, self

        def conv(k, n, size, stride):
            return nn.Conv2d(k, n, size, stride, size // 2, bias=False)

        class Block(nn.Module):
            def __init__(self, k, n, stride):
                super().__init__()
                self.conv1, self.bn1 = conv(k, n, 3, stride), nn.BatchNorm2d(n)
                self.conv2, self.bn2 = conv(n, n, 3, 1), nn.BatchNorm2d(n)
                self.downsample = nn.Sequential(*([conv(k, n, 1, stride), nn.BatchNorm2d(n)] if (k, stride) != (n, 1) else []))

            def forward(self, x):
                y = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
                return torch.relu(self.downsample(x) + y)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1, self.bn1 = conv(3, network.width, 7, 2), nn.BatchNorm2d(network.width)
                self.layer1, self.layer2, self.layer3, self.layer4 = [nn.Sequential(*(Block(*one) for one in stage))
                                                                      for stage in network.stages()]
                self.fc = nn.Linear(8 * network.width, network.classes)

            def forward(self, x):
                x = nn.functional.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 3, 2, 1)
                return self.fc(self.layer4(self.layer3(self.layer2(self.layer1(x)))).mean((2, 3)))
        return Model().to(dtype)


class Bert(Network):
    """Encoder layers with their norms behind, which guess the masked ones of a row."""

    name, optimizer, rate, causal, norm_first = "bert", "adamw", 3e-4, False, False
    sizes = {"vocabulary": 128, "width": 128, "heads": 4, "layers": 4, "batch": 8, "tokens": 64}

    def draw(self, random):
        rows = sentences(random, self.batch, self.tokens, self.vocabulary - 1)[:, :-1]
        masked = random.random(rows.shape) < 0.15
        masked[:, 0] = True  # a row without any has no loss
        return np.where(masked, self.vocabulary - 1, rows), np.where(masked, rows, -100)

    def ours(self, dtype):
        import tensorwright as tw

        nn, network = tw.nn, self

        class Model(nn.Module):
            def __init__(self):
                w = network.width
                self.token = nn.Embedding(network.vocabulary, w, dtype)
                self.position = nn.Embedding(network.tokens, w, dtype)
                for one in (self.token, self.position):
                    one.weight = tw.init.normal(one.weight.shape, std=0.02, dtype=dtype)
                self.norm = nn.LayerNorm(w, dtype=dtype)
                self.encoder = nn.TransformerEncoder(
                    lambda: nn.TransformerEncoderLayer(w, network.heads, 4 * w, 0.0, lambda x: tw.gelu(x, approximate=False),
                                                       network.norm_first, dtype), network.layers)
                self.head = nn.Linear(w, network.vocabulary, dtype=dtype)

            def __call__(self, rows):
                x = self.token(rows) + self.position.weight
                x = self.encoder(x if network.norm_first else self.norm(x), is_causal=network.causal)
                return self.head(self.norm(x) if network.norm_first else x)
        return Model()

    def theirs(self, dtype):
        import torch

        nn, network = torch.nn, self

        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList(
                    nn.TransformerEncoderLayer(network.width, network.heads, 4 * network.width, 0.0, "gelu",
                                               norm_first=network.norm_first, batch_first=True) for _ in range(network.layers))

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.token = nn.Embedding(network.vocabulary, network.width)
                self.position = nn.Embedding(network.tokens, network.width)
                self.norm = nn.LayerNorm(network.width)
                self.encoder = Encoder()
                self.head = nn.Linear(network.width, network.vocabulary)

            def forward(self, rows):
                x = self.token(rows) + self.position.weight
                if not network.norm_first:
                    x = self.norm(x)
                mask = nn.Transformer.generate_square_subsequent_mask(rows.shape[1], dtype=x.dtype) if network.causal else None
                for layer in self.encoder.layers:
                    x = layer(x, src_mask=mask, is_causal=network.causal)
                return self.head(self.norm(x) if network.norm_first else x)
        return Model().to(dtype)

    def our_loss(self, model, rows, wanted):
        import tensorwright as tw

        return tw.cross_entropy(model(rows), wanted)

    def their_loss(self, model, rows, wanted):
        import torch

        return torch.nn.functional.cross_entropy(model(rows).flatten(0, 1), wanted.flatten())


class Gpt(Bert):
    """Layers that see what was before, with their norms ahead, which guess what comes next."""

    name, causal, norm_first = "gpt", True, True

    def draw(self, random):
        rows = sentences(random, self.batch, self.tokens, self.vocabulary)
        return rows[:, :-1].copy(), rows[:, 1:].copy()


class Lstm(Network):
    """Layers of LSTM over steps, which guess what comes next."""

    name, rate = "lstm", 0.1
    sizes = {"vocabulary": 64, "width": 128, "layers": 2, "batch": 16, "tokens": 32}

    def draw(self, random):
        rows = sentences(random, self.batch, self.tokens, self.vocabulary).T
        return rows[:-1].copy(), rows[1:].copy()

    def ours(self, dtype):
        import tensorwright as tw

        nn, network = tw.nn, self

        class Model(nn.Module):
            def __init__(self):
                self.token = nn.Embedding(network.vocabulary, network.width, dtype)
                self.lstm = nn.LSTM(network.width, network.width, network.layers, dtype=dtype)
                self.head = nn.Linear(network.width, network.vocabulary, dtype=dtype)

            def __call__(self, rows):
                return self.head(self.lstm(self.token(rows))[0])
        return Model()

    def theirs(self, dtype):
        import torch

        network = self

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.token = torch.nn.Embedding(network.vocabulary, network.width)
                self.lstm = torch.nn.LSTM(network.width, network.width, network.layers)
                self.head = torch.nn.Linear(network.width, network.vocabulary)

            def forward(self, rows):
                return self.head(self.lstm(self.token(rows))[0])
        return Model().to(dtype)

    our_loss, their_loss = Bert.our_loss, Bert.their_loss


NETWORKS = {kind.name: kind for kind in (Mlp, ResNet18, Bert, Gpt, Lstm)}


def name_of(path):
    """The name in torch of a parameter of ours: cells of a recurrent layer are numbered there."""
    head, found, cell = path.partition(".cells.")
    if not found:
        return path
    number, _, name = cell.partition(".")
    return f"{head}.{name}_l{number}"


def parameters(model):
    """Of a model or of a tree like it, torch's names and the leaves, in order."""
    from tensorwright._tree import flatten, names

    leaves = []
    flatten(model, leaves)
    return dict(zip((name_of(name.partition(".")[2]) for name in names(model, "model")), leaves))


def give(model, weights):
    """Puts arrays by name into torch's model, which has these parameters and no others."""
    import torch

    own = dict(model.named_parameters())
    if set(own) != set(weights):
        raise ValueError(f"parameters of one side alone: {', '.join(sorted(set(own) ^ set(weights)))}")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))


ADAM = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-6, "weight_decay": 0.01}
MOMENTUM = 0.9


def our_optimizer(network, rate):
    import tensorwright as tw

    return tw.optim.AdamW(rate, **ADAM) if network.optimizer == "adamw" else tw.optim.SGD(rate, MOMENTUM)


def their_optimizer(network, model, rate):
    import torch

    if network.optimizer == "adamw":
        return torch.optim.AdamW(model.parameters(), rate, (ADAM["beta1"], ADAM["beta2"]), ADAM["eps"], ADAM["weight_decay"])
    return torch.optim.SGD(model.parameters(), rate, MOMENTUM)


def our_step(network, optimizer, **options):
    """A traced step: (params, buffers, state, *batch) to (loss, derivatives, params, buffers, state)."""
    import tensorwright as tw

    def loss(params, buffers, *batch):
        model = tw.nn.merge(params, buffers)
        return network.our_loss(model, *batch), tw.nn.split(model)[1]

    def step(params, buffers, state, *batch):
        (value, buffers), grads = tw.value_and_grad(loss, has_aux=True)(params, buffers, *batch)
        params, state = optimizer.update(params, grads, state)
        return value, grads, params, buffers, state
    return tw.jit(step, **options)
