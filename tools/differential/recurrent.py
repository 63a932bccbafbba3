"""Draws of recurrent layers and of control flow."""
import numpy as np
from onnx import TensorProto, helper

from draws import Case, rule, scalar

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = ["Sigmoid", "Tanh", "Relu", "HardSigmoid", "Elu", "Softsign", "Softplus", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh"]


@rule("LSTM", "GRU", "RNN")
def recurrent(d):
    gates, steps, batch, size, hidden = GATES[d.op], d.between(1, 4), d.between(1, 3), d.between(1, 3), d.between(1, 3)
    direction = d.maybe("forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    small = lambda *shape: d.tensor(shape, "f32", -1, 1)
    inputs = [small(steps, batch, size), small(ways, gates * hidden, size), small(ways, gates * hidden, hidden)]
    inputs.append(small(ways, 2 * gates * hidden) if d.chance(0.6) else None)
    inputs.append(np.array([d.between(1, steps) for _ in range(batch)], np.int32) if d.chance(0.4) else None)
    inputs.append(small(ways, batch, hidden) if d.chance(0.5) else None)
    attributes = {"hidden_size": hidden, "direction": direction, "clip": d.maybe(0.5, 2.0) if d.chance(0.3) else None}
    if d.op == "LSTM":
        inputs.append(small(ways, batch, hidden) if d.chance(0.5) else None)
        inputs.append(small(ways, 3 * hidden) if d.chance(0.4) else None)
        attributes["input_forget"] = d.maybe(0, 1)
    if d.op == "GRU":
        attributes["linear_before_reset"] = d.maybe(0, 1)
    if d.chance(0.4):
        names = [d.among(*FUNCTIONS) for _ in range({"RNN": 1, "GRU": 2, "LSTM": 3}[d.op])] * ways
        attributes["activations"] = names
        attributes["activation_alpha"] = [0.5] * len(names)
        attributes["activation_beta"] = [0.25] * len(names)
    wanted = 3 if d.op == "LSTM" else 2
    outputs = [f"y{i}" if d.chance(0.7) else "" for i in range(wanted)]
    return Case(d, inputs, attributes, outputs if any(outputs) else wanted)


def value(name, element, shape):
    return helper.make_tensor_value_info(name, element, shape)


@rule("If")
def branch(d):
    """Both sides work on constants of their own: a model of one node has no names outside."""
    shape = d.shape()

    def side(name):
        tensor = helper.make_tensor(name, TensorProto.FLOAT, shape, d.tensor(shape).ravel())
        node = helper.make_node(d.among("Neg", "Abs", "Exp"), [name], [name + "y"])
        return helper.make_graph([node], name, [], [value(name + "y", TensorProto.FLOAT, shape)], [tensor])
    condition = np.array([d.chance(0.5)]) if d.chance(0.5) else np.array(d.chance(0.5))
    return Case(d, [condition], {"then_branch": side("a"), "else_branch": side("b")})


@rule("Loop")
def loop(d):
    """Adds and doubles; stops after some trips, and collects what it carries."""
    shape = d.shape(0, 2)
    end = helper.make_tensor("end", TensorProto.INT64, [], [d.between(0, 4)])
    nodes = [helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT), helper.make_node("Add", ["v", "f"], ["w"]),
             helper.make_node("Add", ["w", "w"], ["next"]), helper.make_node("Identity", ["w"], ["seen"]),
             helper.make_node("Less", ["i", "end"], ["on"])]
    body = helper.make_graph(nodes, "body", [value("i", TensorProto.INT64, []), value("c", TensorProto.BOOL, []), value("v", TensorProto.FLOAT, shape)],
                             [value("on", TensorProto.BOOL, []), value("next", TensorProto.FLOAT, shape), value("seen", TensorProto.FLOAT, shape)], [end])
    trips = scalar(d.between(1, 4)) if d.chance(0.8) else None
    condition = scalar(True, "bool") if trips is None or d.chance(0.5) else None
    return Case(d, [trips, condition, d.tensor(shape)], {"body": body}, 2)




@rule("Scan")
def scan(d):
    """Sums what it scans, and collects twice the sum."""
    steps, size, axis, out = d.between(1, 4), d.between(1, 3), d.between(0, 1), d.between(0, 1)
    shape = [steps, size] if axis == 0 else [size, steps]
    nodes = [helper.make_node("Add", ["s", "e"], ["t"]), helper.make_node("Add", ["t", "t"], ["c"])]
    row = lambda name: value(name, TensorProto.FLOAT, [size])
    body = helper.make_graph(nodes, "body", [row("s"), row("e")], [row("t"), row("c")])
    attributes = {"body": body, "num_scan_inputs": 1, "scan_input_axes": [axis], "scan_output_axes": [out],
                  "scan_input_directions": [d.between(0, 1)], "scan_output_directions": [d.between(0, 1)]}
    return Case(d, [d.tensor([size]), d.tensor(shape)], {k: v for k, v in attributes.items() if k in ("body", "num_scan_inputs") or d.chance(0.5) or axis}, 2)
