"""The programs that part `speed` times, as a user writes them: ONNX models of one node or a few.

A row is what a program is called, its group, the model, what computes the same (`reference`, a name in
references.py, with its arguments), and what is counted: operations, and bytes if each input and result moves once.
Every row has a tiny twin of the same code, which the rehearsal on an emulated device runs.
"""
import math
import os

import networks
import variants

BYTES = {"f32": 4, "bf16": 2, "f16": 2, "i8": 1, "f8": 1}


class Row:
    """A program of the table. `tiny` makes its twin."""

    def __init__(self, group, name, element, reference, make, sizes, tiny, flops=None, traffic=None, peer=None, options=(), **arguments):
        self.group, self.name, self.element, self.reference, self.arguments = group, name, element, reference, arguments
        self.make, self.sizes, self.tiny, self.flops, self.traffic = make, sizes, tiny, flops, traffic
        self.peer, self.options = reference if peer is None else peer, list(options)

    def entry(self, tiny):
        """What the manifest says of it."""
        sizes = self.tiny if tiny else self.sizes
        return {"name": self.name, "group": self.group, "element": self.element, "sizes": sizes, "reference": self.reference,
                "arguments": self.arguments, "peer": self.peer, "flops": self.flops(*sizes) if self.flops else 0,
                "bytes": self.traffic(*sizes) if self.traffic else 0}

    def write(self, tiny, folder):
        """The model's path."""
        import onnx
        made = self.make(self.element, *(self.tiny if tiny else self.sizes))
        path = os.path.join(folder, "model.mlir" if isinstance(made, str) else "model.onnx")
        if isinstance(made, str):
            with open(path, "w") as file:
                file.write(made)
        else:
            onnx.save(made, path)
        return path


class NetworkRow(Row):
    """A network of networks.py, whose weights are made where it runs."""

    def __init__(self, name, network, sizes, tiny):
        super().__init__("networks", f"{name}_bf16", "bf16", "network", None, sizes, tiny, network=network)

    def entry(self, tiny):
        graph, result = networks.trace(self.arguments["network"], self.tiny if tiny else self.sizes)
        entry = super().entry(tiny)
        entry["arguments"] = {"network": self.arguments["network"], "sizes": entry["sizes"]}
        ends = sum(math.prod(graph.dims[name]) for name in [*graph.inputs, result])
        return {**entry, "flops": graph.flops, "bytes": 2 * (graph.count + ends), "weights": True}

    def write(self, tiny, folder):
        import numpy
        import onnx
        graph, result = networks.trace(self.arguments["network"], self.tiny if tiny else self.sizes)
        networks.make_weights(graph, numpy).tofile(os.path.join(folder, "weights.bin"))
        path = os.path.join(folder, "model.onnx")
        onnx.save(networks.model(graph, result), path)
        return path


def elements():
    from onnx import TensorProto
    return {"f32": TensorProto.FLOAT, "bf16": TensorProto.BFLOAT16, "f16": TensorProto.FLOAT16, "i8": TensorProto.INT8, "i32": TensorProto.INT32,
            "i64": TensorProto.INT64}


def model(element, nodes, inputs, result, constants=(), made=None):
    """A model; `inputs` is {name: dims}, `result` dims, of elements `made` if not the same, `constants` {name: list of integers}. The last node makes y."""
    from onnx import helper
    types = elements()
    arguments = [helper.make_tensor_value_info(name, types[element], dims) for name, dims in inputs.items()]
    results = [helper.make_tensor_value_info("y", types[made or element], result)]
    known = [helper.make_tensor(name, types["i64"], [len(values)], values) for name, values in dict(constants).items()]
    graph = helper.make_graph([helper.make_node(*node[:3], **node[3]) if len(node) > 3 else helper.make_node(*node) for node in nodes],
                              "main", arguments, results, known)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)


# Products.

def product(element, m, n, k, *batch):
    return model(element, [("MatMul", ["a", "b"], ["y"])], {"a": [*batch, m, k], "b": [*batch, k, n]}, [*batch, m, n])


def product_nt(element, m, n, k):
    """A times the transpose of B."""
    return model(element, [("Gemm", ["a", "b"], ["y"], {"transB": 1})], {"a": [m, k], "b": [n, k]}, [m, n])


def product_gelu(element, m, n, k):
    """With a bias and GELU behind it, as in the first half of a transformer's feed-forward."""
    nodes = [("MatMul", ["a", "b"], ["p"]), ("Add", ["p", "c"], ["s"]), ("Gelu", ["s"], ["y"], {"approximate": "tanh"})]
    return model(element, nodes, {"a": [m, k], "b": [k, n], "c": [n]}, [m, n])


def integer_product(element, m, n, k):
    return model(element, [("MatMulInteger", ["a", "b"], ["y"])], {"a": [m, k], "b": [k, n]}, [m, n], made="i32")


def integer_product_nt(element, m, n, k):
    nodes = [("Transpose", ["b"], ["t"], {"perm": [1, 0]}), ("MatMulInteger", ["a", "t"], ["y"])]
    return model(element, nodes, {"a": [m, k], "b": [n, k]}, [m, n], made="i32")


# ONNX has no product of floats of 8 bits.
FLOAT8_PRODUCT = """!A = tensor<{m}x{k}xf8E4M3FN>
!B = tensor<{n}x{k}xf8E4M3FN>
!C = tensor<{m}x{n}xbf16>
func.func @main(%x: !A {{tgraph.name = "a"}}, %w: !B {{tgraph.name = "b"}}) -> (!C {{tgraph.name = "y"}}) {{
  %y = tkernel.kernel @gemm (%m : {m}, %n : {n}, %k : {k}) reads(%a = %x : !A, %b = %w : !B) -> !C {{
    %0 = tkernel.load %a[%m, %k] {{name = "lhs"}} : !A
    %1 = tkernel.load %b[%n, %k] {{name = "rhs"}} : !B
    %2 = tkernel.contract %0, %1 over (%k) : f8E4M3FN, f8E4M3FN -> f32
    %3 = arith.truncf %2 : f32 to bf16
    tkernel.store %3, 0[%m, %n] : bf16
  }}
  return %y : !C
}}
"""


def float8_product_nt(element, m, n, k):
    return FLOAT8_PRODUCT.format(m=m, n=n, k=k)


def product_row(name, element, sizes, make=product, reference="product", tiny=(256, 256, 128), **arguments):
    def flops(m, n, k, *batch):
        return 2 * m * n * k * math.prod(batch)

    def traffic(m, n, k, *batch):
        return (BYTES[element] * (m * k + k * n) + results * m * n) * math.prod(batch)

    results = {"i8": 4, "f8": 2}.get(element, BYTES[element])

    return Row("products", f"{name}_{element}", element, reference, make, sizes, tiny, flops, traffic, **arguments)


# Attention: sizes are batch, heads of queries, heads of keys, positions, width.

def attention(causal):
    def make(element, batch, heads, groups, positions, width):
        node = ("Attention", ["q", "k", "v"], ["y"], {"is_causal": int(causal)})
        return model(element, [node], {"q": [batch, heads, positions, width], "k": [batch, groups, positions, width],
                                       "v": [batch, groups, positions, width]}, [batch, heads, positions, width])
    return make


def attention_written_out(element, batch, heads, groups, positions, width):
    """As exporters of a few years ago write it: two products and a softmax, the scale a constant."""
    from onnx import helper
    nodes = [("Transpose", ["k"], ["t"], {"perm": [0, 1, 3, 2]}), ("MatMul", ["q", "t"], ["s"]), ("Mul", ["s", "scale"], ["c"]),
             ("Softmax", ["c"], ["p"], {"axis": -1}), ("MatMul", ["p", "v"], ["y"])]
    dims = [batch, heads, positions, width]
    made = model(element, nodes, {"q": dims, "k": dims, "v": dims}, dims)
    made.graph.initializer.append(helper.make_tensor("scale", elements()[element], [], [width ** -0.5]))
    return made


def attention_row(sizes, causal=False, make=None, suffix="", **more):
    batch, heads, groups, positions, width = sizes
    name = f"attention_{'causal_' if causal else ''}{'grouped_' if groups < heads else ''}{suffix}{width}_{positions}_bf16"
    tiny = (1, 2, 1 if groups < heads else 2, 128, width)

    def flops(batch, heads, groups, positions, width):
        return 4 * batch * heads * positions * positions * width // (2 if causal else 1)

    def traffic(batch, heads, groups, positions, width):
        return 2 * batch * positions * width * (2 * heads + 2 * groups)

    return Row("attention", name, "bf16", "attention", make or attention(causal), sizes, tiny, flops, traffic, causal=causal, **more)


# Rows, reductions, movement: sizes are rows and columns.

def softmax(element, rows, columns):
    return model(element, [("Softmax", ["x"], ["y"], {"axis": -1})], {"x": [rows, columns]}, [rows, columns])


def layer_norm(element, rows, columns):
    node = ("LayerNormalization", ["x", "scale", "shift"], ["y"], {"axis": -1, "epsilon": 1e-5})
    return model(element, [node], {"x": [rows, columns], "scale": [columns], "shift": [columns]}, [rows, columns])


def rms_norm(element, rows, columns):
    node = ("RMSNormalization", ["x", "scale"], ["y"], {"axis": -1, "epsilon": 1e-5})
    return model(element, [node], {"x": [rows, columns], "scale": [columns]}, [rows, columns])


def reduce_sum(*axes):
    def make(element, rows, columns):
        result = [size for axis, size in enumerate((rows, columns)) if axis not in axes]
        return model(element, [("ReduceSum", ["x", "axes"], ["y"], {"keepdims": 0})], {"x": [rows, columns]}, result, {"axes": list(axes)})
    return make


def transpose(element, rows, columns):
    return model(element, [("Transpose", ["x"], ["y"], {"perm": [1, 0]})], {"x": [rows, columns]}, [columns, rows])


def unary(op, **attributes):
    def make(element, rows, columns):
        return model(element, [(op, ["x"], ["y"], attributes)], {"x": [rows, columns]}, [rows, columns])
    return make


def add(element, rows, columns):
    return model(element, [("Add", ["x", "z"], ["y"])], {"x": [rows, columns], "z": [rows, columns]}, [rows, columns])


def moved(element, reads=1, writes=1):
    return lambda rows, columns: BYTES[element] * rows * columns * (reads + writes)


def memory_row(group, name, element, make, reference, sizes, tiny=(64, 256), traffic=None, **arguments):
    return Row(group, f"{name}_{element}", element, reference, make, sizes, tiny, None, traffic or moved(element), **arguments)


def chain(count):
    """Kernels that compute next to nothing, one after the other; the option keeps them from becoming one."""
    def make(element, rows, columns):
        values = ["x"] + [f"v{i}" for i in range(count - 1)] + ["y"]
        nodes = [("Sin", [values[i]], [values[i + 1]]) for i in range(count)]
        return model(element, nodes, {"x": [rows, columns]}, [rows, columns])
    return make


def products():
    big, half, tall = (8192, 8192, 8192), (4096, 4096, 4096), (65536, 1024, 1024)
    rows = [product_row("product_8192", "bf16", big), product_row("product_nt_8192", "bf16", big, product_nt, "product_nt"),
            product_row("product_4096", "bf16", half), product_row("product_4096", "f16", half)]
    rows += [product_row("product_tall", "bf16", tall), product_row("product_batched", "bf16", (1024, 1024, 512, 64), tiny=(128, 128, 64, 3)),
             product_row("product_gelu_4096", "bf16", half, product_gelu, "product_gelu"), product_row("product_8192", "f16", big),
             product_row("product_nt_4096", "f16", half, product_nt, "product_nt"), product_row("product_4096", "f32", half),
             product_row("product_nt_4096", "f32", half, product_nt, "product_nt"), product_row("product_skinny", "bf16", (16, 8192, 8192), tiny=(16, 256, 128)),
             product_row("product_odd", "bf16", (4000, 4104, 4056), tiny=(250, 264, 136))]
    # Of bytes, along the depth, where wgmma takes them, and across it.
    rows += [product_row(f"product_nt_{sizes[0]}", element, sizes, make, "product_nt", peer=peer) for sizes in (big, half)
             for element, make, peer in [("i8", integer_product_nt, "integer_product_nt"), ("f8", float8_product_nt, "float8_product_nt")]]
    rows.append(product_row("product_4096", "i8", half, integer_product, peer="integer_product"))
    return rows


def attentions():
    return [attention_row((2, 16, 16, 4096, 128)), attention_row((2, 16, 16, 4096, 128), causal=True), attention_row((1, 8, 8, 16384, 128)),
            attention_row((2, 32, 8, 4096, 128), causal=True), attention_row((1, 16, 16, 8192, 128)), attention_row((1, 8, 8, 16384, 128), causal=True),
            attention_row((2, 32, 32, 4096, 64)), attention_row((1, 16, 16, 16384, 64), causal=True),
            attention_row((2, 16, 16, 4096, 128), make=attention_written_out, suffix="written_out_")]


def rows_and_movement():
    wide = (16384, 4096)
    rows = [memory_row("rows", "softmax", "bf16", softmax, "softmax", wide), memory_row("rows", "layer_norm", "bf16", layer_norm, "layer_norm", wide),
            memory_row("rows", "rms_norm", "bf16", rms_norm, "rms_norm", wide), memory_row("movement", "copy", "f32", unary("Relu"), "relu", wide),
            memory_row("movement", "gelu", "f32", unary("Gelu"), "gelu", wide), memory_row("movement", "gelu", "bf16", unary("Gelu"), "gelu", wide),
            memory_row("movement", "add", "bf16", add, "add", wide, traffic=moved("bf16", 2)),
            memory_row("movement", "transpose", "f32", transpose, "transpose", (8192, 8192)), memory_row("movement", "transpose", "bf16", transpose, "transpose", (8192, 8192))]
    rows += [memory_row("rows", name, "f32", make, name, (8192, 4096)) for name, make in
             [("softmax", softmax), ("layer_norm", layer_norm), ("rms_norm", rms_norm)]]
    for name, axes in [("sum_columns", (0,)), ("sum_rows", (1,)), ("sum_all", (0, 1))]:
        rows += [memory_row("reductions", name, element, reduce_sum(*axes), "sum", wide, traffic=moved(element, 1, 0), axes=axes)
                 for element in ("f32", "bf16")]
    return rows


def launches():
    return [Row("launches", "chain_100_f32", "f32", "chain", chain(100), (1, 256), (1, 256), options=["fusion=off"], count=100)]


def by_hand():
    """Schedules that the strategies might have chosen, and those of attention in one kernel."""
    rows, half, causal = [], (2, 16, 16, 4096, 128), True
    # What nobody has timed yet comes first: wgmma with weights in registers, each product awaited (ring 1) or beside the weights (ring 2).
    wide = [(128, 64, 8, 2), (64, 64, 4, 2), (128, 128, 8, 1), (128, 64, 8, 1), (64, 64, 4, 1), (64, 128, 4, 1), (64, 32, 4, 2)]
    narrow = [(128, 128, 8, 2), (128, 64, 8, 2), (128, 64, 4, 2), (64, 64, 4, 2), (64, 32, 4, 2), (128, 64, 8, 1)]
    for width, tiles, masked in [(128, wide, False), (128, wide[:2], causal), (64, narrow, False)]:
        for tile in tiles:
            suffix = "by_hand_{}x{}_warps{}_ring{}_".format(*tile)
            rows.append(attention_row((*half[:4], width), masked, variants.attention(*tile, masked, fast=True), suffix, peer=""))
    for tile in [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 256, 64, 8, 2), (128, 256, 32, 8, 6), (128, 128, 64, 8, 4), (128, 128, 64, 4, 2)]:
        name = "product_8192_by_hand_{}x{}x{}_warps{}_ring{}".format(*tile)
        rows.append(product_row(name, "bf16", (8192, 8192, 8192), variants.product(*tile), peer=""))
    return rows


def whole_networks():
    tiny = {"resnet": (2, 32, 8, (1, 1, 1, 1)), "bert": (2, 32, 64, 2, 1)}
    base, fifty = (128, 768, 12, 12), (224, 64, (3, 4, 6, 3))
    return [NetworkRow(f"{name}_batch_{batch}", network, (batch, *sizes), tiny[network]) for batch in (32, 1)
            for name, network, sizes in [("bert_base", "bert", base), ("resnet50", "resnet", fifty)]]


def table():
    """All rows, the most telling of each group first."""
    groups = [products(), attentions(), rows_and_movement(), launches(), whole_networks(), by_hand()]
    return [row for group in groups for row in group]
