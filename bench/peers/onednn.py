"""oneDNN of Debian. Convolutions take the faster of the given layout inside and the library's own layout."""
import ctypes
import glob
import os

NAME, VENV = "onednn", ""
PACKAGES, DEBIAN = [], ["libdnnl2", "libdnnl-dev"]
TARGETS = ["native", "x86-64-v3"]


def environment(threads, target, folder):
    return {} if target == "native" else {"DNNL_MAX_CPU_ISA": "AVX2"}


def library(folder):
    from harness import native
    found = glob.glob(folder + "/debian/usr/lib/*/libdnnl.so.2")
    if not found:
        raise RuntimeError("not installed")
    code = ctypes.CDLL(native.build(os.path.join(os.path.dirname(__file__), "onednn.cpp"), folder,
                                    ["-I" + folder + "/debian/usr/include", found[0], "-Wl,-rpath," + os.path.dirname(found[0])]))
    code.lastMessage.restype = ctypes.c_char_p
    return code


def version(folder):
    code = library(folder)

    class Version(ctypes.Structure):
        _fields_ = [("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int)]

    code.dnnl_version.restype = ctypes.POINTER(Version)
    found = code.dnnl_version().contents
    return f"{found.major}.{found.minor}.{found.patch}"


class Program:
    """A program of the C++ part: `None` arguments never occur, integers are 64 bits wide."""

    def __init__(self, code, maker, *arguments):
        self.code, self.pointer = code, None
        make = getattr(code, maker)
        make.restype = ctypes.c_void_p
        converted = [argument if not isinstance(argument, int) else ctypes.c_int64(argument) for argument in arguments]
        self.pointer = make(*converted)
        if not self.pointer:
            raise RuntimeError(code.lastMessage().decode())

    def __del__(self):
        if self.pointer:
            self.code.freeProgram(ctypes.c_void_p(self.pointer))

    def times(self, count):
        nanoseconds = (ctypes.c_int64 * count)()
        self.code.runProgram(ctypes.c_void_p(self.pointer), ctypes.c_int64(count), nanoseconds)
        return list(nanoseconds)


def make(work, code, out):
    """The program of a work; None: oneDNN has no such operation, or this file does not use it."""
    s, attributes = work.sizes, work.attributes
    pointers = [ctypes.c_void_p(work.arrays[tensor["name"]].ctypes.data) for tensor in work.inputs]
    result = ctypes.c_void_p(out.ctypes.data)
    if work.op == "matmul" and work.element() != "f16":
        types = [ctypes.c_char_p(tensor["element"].encode()) for tensor in work.inputs + work.results]
        return Program(code, "makeProduct", s.get("b", 1), s.get("m", 1), s["n"], s["k"], int(attributes.get("transpose_a", 0)),
                       int(attributes.get("transpose_b", 0)), int(work.inputs[1]["constant"]), *types, *pointers, result)
    if work.element() not in ("f32", "bf16") or (work.element() == "bf16" and work.op != "conv"):
        return None
    last = int(attributes.get("channels_last", False))
    if work.op == "conv":
        depthwise = attributes.get("depthwise", False)
        shape = [s["n"], s["c"], s["c"] if depthwise else s["f"], s["h"], s["w"], s["p"], s["q"], work.inputs[1]["dims"][-1],
                 attributes["stride"], attributes["pad"], int(depthwise), last, ctypes.c_char_p(work.element().encode())]
        both = [Program(code, "makeConvolution", *shape, layouts, *pointers, result) for layouts in (0, 1)]
        return min(both, key=lambda program: min(program.times(3)))
    if work.op == "max_pool":
        return Program(code, "makePool", *(s[name] for name in "nchwpq"), last, *pointers, result)
    if work.op == "softmax":
        return Program(code, "makeSoftmax", s["i"], s["j"], *pointers, result)
    if work.op == "layer_norm":
        return Program(code, "makeLayerNorm", s["i"], s["j"], *pointers, result)
    if work.op == "gelu":
        return Program(code, "makeGelu", s["i"], *pointers, result)
    if work.op == "sum":
        return Program(code, "makeSum", s["i"], s.get("j", 1), attributes["axis"], *pointers, result)
    if work.op == "bias_relu":
        return Program(code, "makeBiasRelu", *(s[name] for name in "nchw"), *pointers, result)
    if work.op == "transpose":
        return Program(code, "makeTranspose", s["i"], s["j"], *pointers, result)
    return None


def prepare(work, threads):
    import numpy
    from harness.work import Prepared, Unsupported
    result = work.results[0]
    out = numpy.zeros(result["dims"], result["dtype"])
    program = make(work, library(work.peers), out)
    if program is None:
        raise Unsupported()
    program.held = work.arrays
    return Prepared(lambda: program.times(1), lambda: [out], program.times)
