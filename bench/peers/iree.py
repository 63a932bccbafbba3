"""IREE: the program as an ONNX model, compiled for this CPU with data tiling, run by its local drivers."""
import os

NAME, VENV = "iree", "iree"
PACKAGES, DEBIAN = ["iree-base-compiler[onnx]", "iree-base-runtime", "numpy", "onnx"], []
TARGETS = ["native"]


def environment(threads, target, folder):
    return {}


def version(folder):
    import iree.compiler.version as made
    return made.VERSION


def prepare(work, threads):
    import subprocess
    import sys
    import iree.compiler
    import iree.runtime
    import numpy
    from harness.work import Prepared, Unsupported
    from peers import onnx_models
    made = onnx_models.build(work)
    if made is None or work.element() == "bf16":
        raise Unsupported()
    path = os.path.join(work.folder, "iree")
    with open(path + ".onnx", "wb") as file:
        file.write(made[0])
    subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", path + ".onnx", "-o", path + ".mlir"], check=True)
    code = iree.compiler.compile_file(path + ".mlir", target_backends=["llvm-cpu"], input_type="onnx", extra_args=[
        "--iree-llvmcpu-target-cpu=host", "--iree-opt-data-tiling", "--iree-opt-level=O3"])
    driver = "local-sync" if threads == 1 else "local-task"
    if threads > 1:
        iree.runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
    config = iree.runtime.Config(driver)
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    entry = next(name for name in module.vm_module.function_names if not name.startswith("__") and not name.endswith("$async"))
    call = module[entry]
    values = [iree.runtime.asdevicearray(config.device, work.arrays.pop(name)) for name in made[1]]
    state = [None]

    def run():
        state[0] = call(*values)

    return Prepared(run, lambda: [numpy.asarray(state[0].to_host())])
