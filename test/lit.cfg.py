# The lit suite of Tensorwright. A test is named after the category or the pass flag it covers and
# lies where its source lies below lib/ or tools/.
import glob
import os
import shutil
import subprocess
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tw_source_dir, "test"))
import devices

config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Models", "Unit"]
config.test_source_root = os.path.join(config.tw_source_dir, "test")
config.test_exec_root = os.path.join(config.tw_build_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.tw_build_dir, "bin"), config.llvm_bin_dir, os.environ["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.environment["TENSORWRIGHT_CACHE"] = os.path.join(config.tw_build_dir, "test", "cache")
config.substitutions.append(("%source_dir", config.tw_source_dir))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%build_dir", config.tw_build_dir))
config.substitutions.append(("%models", os.path.join(config.tw_source_dir, "test", "Models")))
config.substitutions.append(("%llvm_include", os.path.join(os.path.dirname(config.llvm_bin_dir), "include")))

# What tools/dev/setup and tools/dev/make-networks make, where it is there.
networks = os.path.join(config.tw_source_dir, ".cache", "networks")
config.substitutions.append(("%networks", networks))
if os.path.exists(os.path.join(networks, "vgg19", "stamp")):
    config.available_features.add("networks")
venv = os.path.join(config.tw_source_dir, ".venv", "bin", "python")
if os.path.exists(venv):
    config.available_features.add("venv")
# The Python package, which is left out where nanobind or Python's headers are missing.
if config.tw_has_python and config.tw_has_compiler and os.path.exists(venv):
    config.available_features.add("python")
    if glob.glob(os.path.join(config.tw_source_dir, ".venv", "lib", "python3*", "site-packages", "jax")):
        config.available_features.add("jax")
config.substitutions.append(("%venv_python", venv))
# torch is where somebody has put it: tools/dev/check-deep torch makes .cache/torch.
for folder in (".venv", os.path.join(".cache", "torch")):
    place = os.path.join(config.tw_source_dir, folder)
    if "python" in config.available_features and glob.glob(os.path.join(place, "lib", "python3*", "site-packages", "torch")):
        config.available_features.add("torch")
        config.substitutions.append(("%torch_python", os.path.join(place, "bin", "python")))
        break
onnx_cases = "/usr/share/libonnx-testdata/data"
config.substitutions.append(("%onnx_cases", onnx_cases))
if os.path.isdir(onnx_cases):
    config.available_features.add("onnx-cases")
# NVIDIA's assembler, where it is there: the compiler looks for it in the same places.
cuda_bins = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"), "/usr/local/cuda/bin"]
ptxas = os.environ.get("TENSORWRIGHT_PTXAS") or shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(cuda_bins))
if ptxas:
    config.available_features.add("ptxas")
config.substitutions.append(("%ptxas", ptxas or "no-ptxas-here"))
if config.tw_has_compiler:
    config.available_features.add("compiler")
else:
    # A build of the runtime alone has the tests of the runtime and of the module format.
    alone = ["Runtime", "Format", "Fuzz", "Unit"]
    config.excludes += [name for name in os.listdir(config.test_source_root) if name not in alone]
if config.tw_sanitize:
    config.available_features.add("sanitized")
if os.path.exists(os.path.join(config.tw_build_dir, "test", "Fuzz", "fuzz-module")):
    config.available_features.add("fuzz-module")

# The runtime for AArch64 (preset runtime-aarch64) and the emulator that runs it.
emulated_run = os.path.join(config.tw_source_dir, "build", "runtime-aarch64", "bin", "tensor-run")
config.substitutions.append(("%emulated_run", f"qemu-aarch64 -L /usr/aarch64-linux-gnu {emulated_run}"))
has_emulator = shutil.which("qemu-aarch64") and os.path.exists(emulated_run)
if has_emulator:
    config.available_features.add("aarch64-emulator")

# Cargo finds its toolchain from the home folder, which tests do not have.
cargo = shutil.which("cargo")
if cargo and subprocess.run([cargo, "--version"], capture_output=True).returncode == 0:
    config.available_features.add("rust")
config.substitutions.append(("%cargo", f"env HOME={os.path.expanduser('~')} {cargo}"))

# Features opencl and vulkan: a device that runs. The machine that checks must have both.
devices.prepare(config, config.tw_build_dir, bool(config.tw_sanitize))
found = devices.find(config, config.tw_build_dir, bool(config.tw_sanitize))
config.available_features |= found
if os.environ.get("TENSORWRIGHT_REQUIRE_DEVICES") and not config.tw_sanitize:
    for missing in sorted({"opencl", "vulkan"} - found):
        lit_config.fatal(f"no {missing} device: tensor-run --devices says why")
    if config.tw_has_compiler and "python" not in config.available_features:
        lit_config.fatal("no Python package: 'tools/dev/setup check --venv' installs what it needs; configure again")
    if not has_emulator:
        lit_config.fatal("nothing runs code for AArch64: 'tools/dev/setup check' installs qemu-aarch64, and the preset "
                         "runtime-aarch64 builds the runtime for it")
