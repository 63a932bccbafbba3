"""TVM: the program as an ONNX model through Relax, with the schedules it has without tuning."""
NAME, VENV = "tvm", "tvm"
PACKAGES, DEBIAN = ["apache-tvm", "onnx", "numpy"], []
TARGETS = ["native"]
MOST_FLOPS = 3e8  # Larger products would take seconds to minutes each.


def environment(threads, target, folder):
    return {"TVM_NUM_THREADS": str(threads)}


def version(folder):
    import tvm
    return tvm.__version__


def prepare(work, threads):
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx
    from harness.work import Prepared, Unsupported
    from peers import onnx_models
    made = onnx_models.build(work)
    if made is None or work.element() == "bf16" or work.flops > MOST_FLOPS:
        raise Unsupported()
    module = from_onnx(onnx.load_from_string(made[0]), keep_params_in_input=False)
    built = tvm.compile(module, target=tvm.target.Target("llvm"))
    machine = relax.VirtualMachine(built, tvm.cpu())
    values = [tvm.runtime.tensor(work.arrays.pop(name)) for name in made[1]]
    state = [None]

    def run():
        state[0] = machine["main"](*values)

    return Prepared(run, lambda: [state[0].numpy()])
