"""libcuda as Python sees it: events on a stream, and kernels of PTX of our own."""
import ctypes

# CU_DEVICE_ATTRIBUTE_CLOCK_RATE in kHz, _MULTIPROCESSOR_COUNT.
CLOCK_RATE, MULTIPROCESSORS = 13, 16


class Cuda:
    """The driver, with `context` made current in this thread."""

    def __init__(self, context, ordinal=0, library="libcuda.so.1"):
        self.library, self.ordinal = ctypes.CDLL(library), ordinal
        self.check("cuCtxPushCurrent_v2", ctypes.c_void_p(context))

    def check(self, function, *arguments):
        code = getattr(self.library, function)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{function}: {code} {(text.value or b'').decode()}")

    def event(self):
        made = ctypes.c_void_p()
        self.check("cuEventCreate", ctypes.byref(made), 0)
        return made

    def record(self, event, stream):
        self.check("cuEventRecord", event, ctypes.c_void_p(stream))

    def elapsed(self, start, end):
        """Nanoseconds from one event to the other, which is waited for."""
        milliseconds = ctypes.c_float()
        self.check("cuEventSynchronize", end)
        self.check("cuEventElapsedTime", ctypes.byref(milliseconds), start, end)
        return milliseconds.value * 1e6

    def attribute(self, number):
        value, device = ctypes.c_int(), ctypes.c_int()
        self.check("cuDeviceGet", ctypes.byref(device), self.ordinal)
        self.check("cuDeviceGetAttribute", ctypes.byref(value), number, device)
        return value.value

    def kernel(self, text, name):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(text.encode()), 0, None, None)
        self.check("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def launch(self, function, blocks, threads, stream, *arguments):
        """Arguments are ctypes values."""
        places = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(value) for value in arguments])
        self.check("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, ctypes.c_void_p(stream), places, None)
