"""The peak of the machine's arithmetic and its bandwidth, measured at the start of each run."""
import ctypes
import os
import threading

from harness import native


def together(threads, cpus, function):
    """The sum of what `function` returns in each of the threads, run at once, each on a CPU of its own."""
    found, gate = [0.0] * threads, threading.Barrier(threads)

    def run(index):
        os.sched_setaffinity(0, {cpus[index]})
        gate.wait()
        found[index] = function()

    running = [threading.Thread(target=run, args=(index,)) for index in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(found)


def measure(threads, cpus, folder, target, seconds=0.4):
    """Operations and bytes a second: f32, bf16, i8, copy, streaming copy (memory above the cache)."""
    code = ctypes.CDLL(native.build(os.path.join(os.path.dirname(__file__), "limits.c"), folder, ["-fno-tree-loop-distribute-patterns"]))
    for name in ("peakF32", "peakBf16", "peakI8", "copyRate"):
        getattr(code, name).restype = ctypes.c_double
    for name in ("peakBf16", "peakI8"):
        getattr(code, name).argtypes = [ctypes.c_double]
    code.peakF32.argtypes = [ctypes.c_double, ctypes.c_int]
    code.copyRate.argtypes = [ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]
    wide = int(target == "native")
    size = 64 << 20

    def copy(streaming):
        import mmap
        memory = mmap.mmap(-1, 2 * size)
        memory.madvise(mmap.MADV_HUGEPAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        ctypes.memset(start, 1, 2 * size)
        return code.copyRate(seconds, start, start + size, size, streaming)

    return {"f32": together(threads, cpus, lambda: code.peakF32(seconds, wide)),
            "bf16": together(threads, cpus, lambda: code.peakBf16(seconds)) if wide else 0.0,
            "i8": together(threads, cpus, lambda: code.peakI8(seconds)) if wide else 0.0,
            "copy": together(threads, cpus, lambda: copy(0)), "streaming": together(threads, cpus, lambda: copy(1))}


def least_seconds(workload_flops, workload_bytes, element, limits):
    """The time that the machine's limits allow, and which of them it is."""
    element = element.removeprefix("u")
    peak = limits[element if limits.get(element) else "f32"]
    compute = workload_flops / peak if peak else 0.0
    memory = workload_bytes / max(limits["copy"], limits["streaming"])
    return (compute, "peak") if compute > memory else (memory, "copy")
