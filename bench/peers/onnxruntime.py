"""ONNX Runtime, its CPU provider, inputs and outputs bound once."""
NAME, VENV = "onnxruntime", "onnxruntime"
PACKAGES, DEBIAN = ["onnxruntime", "onnx", "numpy"], []
TARGETS = ["native"]


def environment(threads, target, folder):
    return {}


def version(folder):
    import onnxruntime
    return onnxruntime.__version__


def prepare(work, threads):
    import onnxruntime
    from harness.work import Prepared, Unsupported
    from peers import onnx_models
    work.attributes["own_operation"] = True
    made = onnx_models.build(work, opset=23 if work.op == "rms_norm" else 20)
    if made is None or work.element() == "bf16":
        raise Unsupported()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(made[0], options, providers=["CPUExecutionProvider"])
    binding, values = session.io_binding(), [work.arrays]
    for name in made[1]:
        values.append(onnxruntime.OrtValue.ortvalue_from_numpy(work.arrays[name]))
        binding.bind_ortvalue_input(name, values[-1])
    outputs = [output.name for output in session.get_outputs()]
    import numpy
    for name, result in zip(outputs, work.results):
        values.append(onnxruntime.OrtValue.ortvalue_from_numpy(numpy.zeros(result["dims"], result["dtype"])))
        binding.bind_ortvalue_output(name, values[-1])
    return Prepared(lambda: session.run_with_iobinding(binding), lambda held=values: [value.numpy() for value in binding.get_outputs()])
