"""Ours: compiled by tensor-compile in bench/cpu, run by libtwrt; timed in C."""
import ctypes
import os

NAME, VENV = "tensorwright", ""
PACKAGES, DEBIAN = [], []
TARGETS = ["native", "x86-64-v3"]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
state = {}


class Session(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("instance", "device", "queue", "module", "program", "call")]


def environment(threads, target, folder):
    return {}


def library(work):
    """The C part, linked to the runtime beside the tools that compiled the module."""
    from harness import native
    binaries = work.data["binaries"]
    libraries = os.path.join(os.path.dirname(os.path.abspath(binaries)), "lib")
    path = native.build(os.path.join(os.path.dirname(__file__), "tensorwright.c"), work.peers,
                        ["-I" + os.path.join(ROOT, "include"), "-L" + libraries, "-ltwrt", "-Wl,-rpath," + libraries])
    loaded = ctypes.CDLL(path)
    loaded.getResult.restype = ctypes.c_void_p
    return loaded


def version(folder):
    return "this tree"


def open_device(work, threads):
    if not state:
        state["library"], state["parent"] = library(work), Session()
        message = ctypes.create_string_buffer(512)
        if state["library"].openSession(ctypes.byref(state["parent"]), ctypes.c_uint32(threads), message):
            raise RuntimeError(message.value.decode())
    return state["library"], state["parent"]


class Loaded:
    """A call of the module with its inputs; its memory is given back when nobody holds it any more."""

    def __init__(self, work, threads):
        self.code, parent = open_device(work, threads)
        self.session, self.message = Session(), ctypes.create_string_buffer(512)
        self.check(self.code.openModule(ctypes.byref(self.session), ctypes.byref(parent), work.data["module"].encode(),
                                        work.data["weights"].encode(), self.message))
        for name in list(work.arrays):
            array = work.arrays.pop(name)
            index = self.code.findArgument(ctypes.byref(self.session), name.encode())
            if index >= 0:
                dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
                self.check(self.code.setArgument(ctypes.byref(self.session), index, ctypes.c_void_p(array.ctypes.data),
                                                 ctypes.c_uint64(array.nbytes), dims, self.message))

    def __del__(self):
        self.code.closeModule(ctypes.byref(self.session))

    def check(self, failed):
        if failed:
            raise RuntimeError(self.message.value.decode())

    def times(self, count):
        times = (ctypes.c_int64 * count)()
        self.check(self.code.runSession(ctypes.byref(self.session), ctypes.c_int64(count), times, self.message))
        return list(times)

    def result(self, index, dtype, dims):
        import numpy
        bytes = int(numpy.dtype(dtype).itemsize * numpy.prod(dims, dtype=numpy.int64))
        data = self.code.getResult(ctypes.byref(self.session), ctypes.c_size_t(index), ctypes.c_uint64(bytes), self.message)
        self.check(not data)
        return numpy.frombuffer((ctypes.c_char * bytes).from_address(data), dtype).reshape(dims)


def prepare(work, threads):
    from harness.work import Prepared
    loaded = Loaded(work, threads)
    return Prepared(lambda: loaded.times(1),
                    lambda: [loaded.result(i, result["dtype"], result["dims"]) for i, result in enumerate(work.results)],
                    loaded.times)


def prepare_beside(work, threads, name):
    """The module of the kernel file itself, for rows that have the peer of that name."""
    from harness.work import Unsupported
    if work.data["beside"] != name:
        raise Unsupported()
    work.data["module"] = work.data["kernel"]
    return prepare(work, threads)
