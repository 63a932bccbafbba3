"""OpenBLAS of Debian, told which core it runs on: it does not know recent ones and falls back to slow code."""
import ctypes
import glob
import os

NAME, VENV = "openblas", ""
PACKAGES, DEBIAN = [], ["libopenblas0-pthread", "libopenblas-pthread-dev", "libgfortran5"]
TARGETS = ["native", "x86-64-v3"]


def core_type(target):
    with open("/proc/cpuinfo") as file:
        wide = " avx512f " in file.read()
    return "SkylakeX" if wide and target == "native" else "Haswell"


def environment(threads, target, folder):
    return {"OPENBLAS_CORETYPE": core_type(target), "OMP_PROC_BIND": "false",
            "LD_LIBRARY_PATH": ":".join(glob.glob(folder + "/debian/usr/lib/*-linux-gnu"))}


def library(folder):
    from harness import native
    found = glob.glob(folder + "/debian/usr/lib/*/openblas-pthread/libopenblas.so.0")
    if not found:
        raise RuntimeError("not installed")
    headers = glob.glob(folder + "/debian/usr/include/*/openblas-pthread")[0]
    place = os.path.dirname(found[0])
    code = ctypes.CDLL(native.build(os.path.join(os.path.dirname(__file__), "openblas.c"), folder,
                                    ["-I" + headers, found[0], "-Wl,-rpath," + place]))
    code.describe.restype = ctypes.c_char_p
    return code


def version(folder):
    code = library(folder)
    code.openblas_get_config.restype = ctypes.c_char_p
    return code.openblas_get_config().decode().split()[1] + " " + code.describe().decode()


class Product(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("batch", "m", "n", "k", "transposeA", "transposeB")] + [
        (name, ctypes.c_void_p) for name in ("a", "b", "c")]


def prepare(work, threads):
    import numpy
    from harness.work import Prepared, Unsupported
    if work.op != "matmul" or work.element() != "f32":
        raise Unsupported()
    code = library(work.peers)
    a, b = (work.arrays[tensor["name"]] for tensor in work.inputs)
    dims = work.results[0]["dims"]
    c = numpy.zeros(dims, numpy.float32)
    sizes = work.sizes
    product = Product(sizes.get("b", 1), sizes.get("m", 1), sizes["n"], sizes["k"], work.attributes.get("transpose_a", False),
                      work.attributes.get("transpose_b", False), a.ctypes.data, b.ctypes.data, c.ctypes.data)

    def times(count, held=(a, b)):
        nanoseconds = (ctypes.c_int64 * count)()
        code.runProduct(ctypes.byref(product), ctypes.c_int64(count), nanoseconds)
        return list(nanoseconds)

    return Prepared(lambda: times(1), lambda: [c], times)
