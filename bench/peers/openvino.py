"""OpenVINO, its CPU plugin in f32 (it would use bf16 where the machine has it)."""
NAME, VENV = "openvino", "openvino"
PACKAGES, DEBIAN = ["openvino", "onnx", "numpy"], []
TARGETS = ["native"]


def environment(threads, target, folder):
    return {}


def version(folder):
    import openvino
    return openvino.get_version().split("-")[0]


def prepare(work, threads):
    import numpy
    import openvino
    from harness.work import Prepared, Unsupported
    from peers import onnx_models
    made = onnx_models.build(work)
    if made is None:
        raise Unsupported()
    core = openvino.Core()
    half = work.element() == "bf16"
    compiled = core.compile_model(core.read_model(made[0]), "CPU", {
        "INFERENCE_PRECISION_HINT": "bf16" if half else "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": "1", "ENABLE_CPU_PINNING": False})
    request = compiled.create_infer_request()
    held = []
    for name in made[1]:
        tensor = openvino.Tensor(work.arrays[name], shared_memory=True) if not half else openvino.Tensor(
            work.arrays[name], work.arrays[name].shape, openvino.Type.bf16)
        held.append(tensor)
        request.set_tensor(name, tensor)

    def results():
        arrays = []
        for i, result in enumerate(work.results):
            data = request.get_output_tensor(i)
            arrays.append((data.data.view(numpy.uint16) if half else data.data).reshape(result["dims"]))
        return arrays

    return Prepared(request.infer, lambda held=held: results())
