"""Random ONNX models of a few nodes: operators by their schemas, attributes, shapes and types often wrong."""
import onnx
from onnx import TensorProto, helper

ELEMENTS = [TensorProto.FLOAT] * 6 + [TensorProto.INT64] * 2 + [
    TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL, TensorProto.FLOAT16,
    TensorProto.BFLOAT16, TensorProto.STRING, TensorProto.UINT32, TensorProto.COMPLEX64]
EXTENTS = [0, 1, 1, 2, 3, 4, 4, 5, 7, 8, 16]
INTEGERS = [-(1 << 63), -(1 << 31), -7, -3, -2, -1, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4, 7, 100, (1 << 31) - 1, 1 << 32, (1 << 63) - 1]
FLOATS = [0.0, -0.0, 1.0, 0.5, 1e-5, -1.0, 1e30, float("inf"), float("-inf"), float("nan")]
TEXTS = ["", "SAME_UPPER", "VALID", "constant", "reflect", "nearest", "linear", "cubic", "add", "mul", "none", "forward",
         "bidirectional", "floor", "half_pixel", "asymmetric", "nonsense", "\x00\x01", "A" * 1000]


class Models:
    def __init__(self, random):
        self.random = random
        latest = {}
        for schema in onnx.defs.get_all_schemas():
            if schema.domain == "" and not schema.deprecated:
                latest[schema.name] = schema
        self.schemas = [latest[name] for name in sorted(latest)]

    def shape(self):
        return [self.random.choice(EXTENTS) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4, 4, 5]))]

    def attribute(self, name, kind):
        random, types = self.random, onnx.AttributeProto
        if random.random() < 0.05:
            kind = random.choice([types.INT, types.FLOAT, types.STRING, types.INTS, types.FLOATS])
        if kind == types.INT:
            return helper.make_attribute(name, random.choice(INTEGERS))
        if kind == types.FLOAT:
            return helper.make_attribute(name, random.choice(FLOATS))
        if kind == types.STRING:
            return helper.make_attribute(name, random.choice(TEXTS))
        count = random.choice([0, 1, 2, 2, 3, 4, 4, 8])
        small = [-1, 0, 0, 1, 1, 1, 2, 2, 3] if random.random() < 0.8 else INTEGERS
        if kind == types.INTS:
            return helper.make_attribute(name, [random.choice(small) for _ in range(count)], attr_type=kind)
        if kind == types.FLOATS:
            return helper.make_attribute(name, [random.choice(FLOATS) for _ in range(count)], attr_type=kind)
        if kind == types.STRINGS:
            return helper.make_attribute(name, [random.choice(TEXTS) for _ in range(count)], attr_type=kind)
        if kind == types.TENSOR:
            return helper.make_attribute(name, self.tensor(""))
        return None

    def tensor(self, name):
        random = self.random
        shape = self.shape()
        count = 1
        for extent in shape:
            count *= extent
        if random.random() < 0.5:
            return helper.make_tensor(name, TensorProto.INT64, shape, [random.choice([-1, 0, 1, 1, 2, 3, 4]) for _ in range(count)])
        return helper.make_tensor(name, TensorProto.FLOAT, shape, [random.choice(FLOATS[:6]) for _ in range(count)])

    def model(self):
        random = self.random
        nodes, inputs, initializers, outputs, known = [], [], [], [], []
        for number in range(random.choice([1, 1, 1, 2, 3])):
            schema = random.choice(self.schemas)
            shape, element = self.shape(), random.choice(ELEMENTS)
            names = []
            most = min(schema.max_input, schema.min_input + 3)
            for i in range(random.randint(schema.min_input, max(schema.min_input, most))):
                name = f"x{number}_{i}"
                roll = random.random()
                if roll < 0.05:
                    name = ""
                elif roll < 0.15 and known:
                    name = random.choice(known)
                elif i and roll < 0.5:
                    initializers.append(self.tensor(name))
                else:
                    inputs.append(helper.make_tensor_value_info(
                        name, element if random.random() < 0.85 else random.choice(ELEMENTS),
                        shape if random.random() < 0.6 else self.shape()))
                names.append(name)
            node = onnx.NodeProto(op_type=schema.name, input=names,
                                  output=[f"y{number}_{i}" for i in range(max(1, schema.min_output))])
            for name, attribute in sorted(schema.attributes.items()):
                if attribute.required or random.random() < 0.5:
                    made = self.attribute(name, attribute.type)
                    if made:
                        node.attribute.append(made)
            known += list(node.output)
            nodes.append(node)
        for name in nodes[-1].output:
            outputs.append(helper.make_tensor_value_info(name, random.choice(ELEMENTS), None))
        if random.random() < 0.7:
            for output in outputs:
                output.type.tensor_type.elem_type = inputs[0].type.tensor_type.elem_type if inputs else 1
        graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
        opset = random.choice([7, 9, 11, 13, 15, 17, 18, 20, 21, 22])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
