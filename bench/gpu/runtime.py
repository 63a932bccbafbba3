"""libtwrt as Python sees it: as much of its C API as part `speed` needs (include/twrt/twrt.h)."""
import ctypes
import os

ALLOW_NATIVE = 1
HANDLE_CUDA = 2
FOREVER = 2**64 - 1
ELEMENTS = {"f32": 18, "bf16": 16, "f16": 17, "i64": 5, "i32": 4, "i8": 2, "f8E4M3FN": 11}
NAMES = {number: name for name, number in ELEMENTS.items()}


class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("code", ctypes.c_int), ("driverCode", ctypes.c_int64), ("call", ctypes.c_char * 64),
                ("message", ctypes.c_char * 432)]


class Bytes(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Point(ctypes.Structure):
    _fields_ = [("queue", ctypes.c_void_p), ("value", ctypes.c_uint64)]


class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("kind", ctypes.c_int), ("value", ctypes.c_uint64), ("offset", ctypes.c_uint64)]


class ModuleOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("weightsFolder", ctypes.c_char_p), ("openFile", ctypes.c_void_p),
                ("user", ctypes.c_void_p), ("findWeights", ctypes.c_void_p)]


class ValueInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("element", ctypes.c_uint32), ("rank", ctypes.c_uint32), ("alignment", ctypes.c_uint32),
                ("dims", ctypes.POINTER(ctypes.c_int64)), ("name", Bytes), ("step", ctypes.c_double), ("storage", ctypes.c_void_p),
                ("sharesResult", ctypes.c_int32), ("reserved", ctypes.c_uint32)]


class Tensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("element", ctypes.c_uint32), ("rank", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("buffer", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("dims", ctypes.POINTER(ctypes.c_int64)), ("storage", ctypes.c_void_p)]


class Sample(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("kernel", ctypes.c_uint32), ("beginNs", ctypes.c_uint64), ("endNs", ctypes.c_uint64),
                ("flops", ctypes.c_uint64), ("bytes", ctypes.c_uint64)]


class Runtime:
    """An instance with one device of it open."""

    def __init__(self, library, device):
        self.library = ctypes.CDLL(library)
        self.instance, self.device, self.queue = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.check("twrtInstanceCreate", None, ctypes.c_uint32(0), ctypes.byref(self.instance))
        self.check("twrtInstanceOpenDevice", self.instance, device.encode(), ctypes.byref(self.device))

    def check(self, function, *arguments):
        error = Error(size=ctypes.sizeof(Error))
        if getattr(self.library, function)(*arguments, ctypes.byref(error)):
            call = f" ({error.call.decode()}: {error.driverCode})" if error.call else ""
            raise RuntimeError(f"{error.message.decode(errors='replace')}{call}")

    def open_queue(self, stream=None):
        """A queue of its own, or one around a stream of CUDA's."""
        if stream is None:
            self.check("twrtQueueCreate", self.device, ctypes.byref(self.queue))
        else:
            handle = Handle(ctypes.sizeof(Handle), HANDLE_CUDA, stream, 0)
            self.check("twrtQueueImportHandle", self.device, ctypes.byref(handle), ctypes.byref(self.queue))

    def handle(self, function, thing):
        """What CUDA knows it by."""
        handle = Handle(size=ctypes.sizeof(Handle))
        self.check(function, thing, ctypes.byref(handle))
        return handle.value

    def buffer(self, count):
        made = ctypes.c_void_p()
        self.check("twrtBufferCreate", self.device, ctypes.c_uint64(count), ctypes.c_uint32(0), ctypes.byref(made))
        return made

    def import_address(self, address, count):
        made, handle = ctypes.c_void_p(), Handle(ctypes.sizeof(Handle), HANDLE_CUDA, address, 0)
        self.check("twrtBufferImportHandle", self.device, ctypes.byref(handle), ctypes.c_uint64(count), None, None, ctypes.byref(made))
        return made

    def release_buffer(self, buffer):
        self.library.twrtBufferRelease(buffer)

    def write(self, buffer, address, count):
        self.check("twrtBufferWrite", self.queue, buffer, ctypes.c_uint64(0), Bytes(address, count), None)

    def read(self, buffer, address, count):
        self.check("twrtBufferRead", self.queue, buffer, ctypes.c_uint64(0), ctypes.c_void_p(address), ctypes.c_size_t(count), None)

    def copy(self, to, source, count):
        self.check("twrtBufferCopy", self.queue, to, ctypes.c_uint64(0), source, ctypes.c_uint64(0), ctypes.c_uint64(count),
                   ctypes.byref(Point()))


class Program:
    """The function of a module, with one call of it."""

    def __init__(self, runtime, path, weights=None):
        self.runtime = runtime
        self.module, self.program, self.call = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        options = ModuleOptions(size=ctypes.sizeof(ModuleOptions), flags=ALLOW_NATIVE, weightsFolder=weights.encode() if weights else None)
        runtime.check("twrtModuleOpen", runtime.instance, os.fsencode(path), ctypes.byref(options), ctypes.byref(self.module))
        devices = (ctypes.c_void_p * 1)(runtime.device)
        runtime.check("twrtProgramCreate", self.module, None, devices, ctypes.c_size_t(1), ctypes.byref(self.program))
        runtime.check("twrtCallCreate", self.program, ctypes.byref(self.call))
        self.kept, self.point, self.error = [], Point(), Error(size=ctypes.sizeof(Error))

    def values(self, which):
        """(name, element, dims) of each of its "Argument"s or "Result"s."""
        found = []
        count = getattr(self.runtime.library, f"twrtProgram{which}Count")
        count.restype = ctypes.c_size_t
        for i in range(count(self.program)):
            info = ValueInfo(size=ctypes.sizeof(ValueInfo))
            self.runtime.check(f"twrtProgram{which}", self.program, ctypes.c_size_t(i), ctypes.byref(info))
            found.append((ctypes.string_at(info.name.data, info.name.size).decode(), NAMES[info.element], list(info.dims[:info.rank])))
        return found

    def bind(self, which, index, buffer, element, dims):
        extents = (ctypes.c_int64 * max(1, len(dims)))(*dims)
        tensor = Tensor(ctypes.sizeof(Tensor), ELEMENTS[element], len(dims), 0, buffer, 0, extents, None)
        self.kept.append(extents)
        self.runtime.check(f"twrtCallSet{which}", self.call, ctypes.c_size_t(index), ctypes.byref(tensor))

    def submit(self):
        """Hands in one run; waits for nothing."""
        if self.runtime.library.twrtCallSubmit(self.call, self.runtime.queue, None, ctypes.c_size_t(0), ctypes.byref(self.point),
                                               ctypes.byref(self.error)):
            raise RuntimeError(self.error.message.decode(errors="replace"))

    def wait(self):
        self.runtime.check("twrtPointWait", self.point, ctypes.c_uint64(FOREVER))

    def capture(self, captured):
        """Whether runs are handed in as one graph each from now on."""
        self.runtime.check("twrtCallSetCaptured", self.call, ctypes.c_int(captured))

    def profile(self):
        """[(kernel, nanoseconds)] of one run, by the device's events."""
        # What is handed in to a device that works is not waited for.
        for _ in range(3):
            self.submit()
        self.runtime.check("twrtCallSetTimed", self.call, ctypes.c_int(1))
        self.submit()
        self.runtime.check("twrtCallSetTimed", self.call, ctypes.c_int(0))
        count = ctypes.c_size_t(0)
        self.runtime.check("twrtCallProfile", self.call, None, ctypes.byref(count))
        samples = (Sample * count.value)()
        self.runtime.check("twrtCallProfile", self.call, samples, ctypes.byref(count))
        name = self.runtime.library.twrtModuleKernelName
        name.restype = Bytes
        texts = [name(self.module, ctypes.c_size_t(sample.kernel)) for sample in samples]
        return [(ctypes.string_at(text.data, text.size).decode(), sample.endNs - sample.beginNs) for text, sample in zip(texts, samples)]

    def release(self):
        for function, thing in [("Call", self.call), ("Program", self.program), ("Module", self.module)]:
            getattr(self.runtime.library, f"twrt{function}Release")(thing)
