#!/usr/bin/env python3
"""The process that part `speed` of bench/gpu/run asks for one row after the other.

Usage: speed.py PACK DEVICE [--no-peers]

Reads requests from its standard input, one JSON object a line, and answers each with one: {"limits": bytes of a copy, "rounds": of a loop}, or an entry
of the manifest. A kernel that fails takes the device's context with it: then the process is started anew for the next.
"""
import json
import os
import sys
import tempfile
import time
import traceback

import cuda
import limits
import memory
import networks
import peers
import references
import runtime

# The largest norm of the error over the norm of the result that a type allows.
BOUNDS = {"f32": 1e-5, "bf16": 1e-2, "f16": 1e-3, "f8": 1e-2, "i8": 0}
# Of a network that rounds after each node; where torch computes it in the same type, how much more than its error.
NETWORK_BOUND, TIMES_TORCH = 5e-2, 2
# Without a GPU to compute them, references of more operations than this are left out.
MOST_ON_HOST = 2e9
# How often a program runs again on the same inputs: its sums have one order, so each bit comes again unless threads race.
REPEATS = 8
WARM_UPS, BATCHES, LEAST, MOST = 2, 7, 3, 300


class Machine:
    """The device as the runtime, CUDA's driver and torch see it, all on one stream."""

    def __init__(self, pack, device, with_peers):
        self.emulated = "-emulated" in device
        self.torch = self.find_torch() if device.startswith("cuda:") else None
        self.why = "" if self.torch else self.why
        self.runtime = runtime.Runtime(os.path.join(pack, "libtwrt.so"), device)
        # Of torch's on its stream, for which the runtime needs no queue of its own.
        if self.torch:
            self.side = self.torch.cuda.Stream()
            self.torch.cuda.set_stream(self.side)
        self.runtime.open_queue(self.side.cuda_stream if self.torch else None)
        self.cuda, self.stream = None, None
        if device.startswith("cuda:"):
            self.cuda = cuda.Cuda(self.runtime.handle("twrtDeviceHandle", self.runtime.device))
            self.stream = self.runtime.handle("twrtQueueHandle", self.runtime.queue)
        self.memory = memory.Torch(self.torch, self.runtime) if self.torch else memory.Host(self.runtime)
        self.with_peers = with_peers and self.torch

    def find_torch(self):
        try:
            import torch
            if torch.cuda.is_available():
                torch.cuda.init()
                # What is compared with, and what f32 means here, is exact.
                torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
                self.why = ""
                return torch
            self.why = "torch sees no GPU"
        except Exception as error:
            self.why = f"torch cannot be imported: {error}"
        return None

    why = "torch is for cuda alone"

    def synchronize(self):
        """Waits for what this process handed in."""
        event = self.cuda.event()
        self.cuda.record(event, self.stream)
        self.cuda.check("cuEventSynchronize", event)

    def measure(self, work, seconds, settle=lambda: None):
        """Nanoseconds of one call of `work`, which hands in and does not wait: by events before and behind runs of
        many calls, the median and the least of several such runs. `settle` waits for the last call in its own way."""
        for _ in range(WARM_UPS):
            work()
        settle()
        first, second = self.cuda.event(), self.cuda.event()
        self.synchronize()
        once = self.between(first, second, work, 1)
        count = int(min(max(seconds * 1e9 / BATCHES / once, LEAST), MOST))
        times, host = [], []
        for _ in range(BATCHES if once < 5e7 else 3):
            times.append(self.between(first, second, work, count, host))
            settle()
        times.sort()
        return {"ns": times[len(times) // 2], "leastNs": times[0], "calls": count * len(times), "hostNs": sorted(host)[len(host) // 2]}

    def between(self, first, second, work, count, host=None):
        """Nanoseconds of a call on the device; appends those that handing it in took."""
        begin = time.perf_counter()
        self.cuda.record(first, self.stream)
        for _ in range(count):
            work()
        self.cuda.record(second, self.stream)
        if host is not None:
            host.append((time.perf_counter() - begin) * 1e9 / count)
        return self.cuda.elapsed(first, second) / count


def distance(machine, found, expected):
    """The norm of the error over that of the reference, and the largest error over the largest value."""
    squares = norm = worst = largest = 0.0
    for place, values in expected:
        error = abs(found[place] - values)
        squares, norm = squares + float((error * error).sum()), norm + float((values * values).sum())
        worst, largest = max(worst, float(error.max())), max(largest, float(abs(values).max()))
    return (squares / norm) ** 0.5 if norm else squares, worst / largest if largest else worst


def compare(machine, row, arrays, result):
    """How far the result is from the reference, and what is allowed."""
    if not machine.torch and row["flops"] > MOST_ON_HOST:
        return {"compared": "no: no GPU library to compute so much with"}
    math = references.Torch() if machine.torch else references.Numpy()
    wide = [machine.memory.widen(array) for array in arrays]
    found = machine.memory.widen(result)
    def expected():
        return references.pieces(math, row["reference"], wide, row["arguments"])

    error, largest = distance(machine, found, expected())
    bound, torch_error = BOUNDS[row["element"]], None
    if row["reference"] == "network":
        bound = NETWORK_BOUND
        if machine.torch:
            computed = next(references.pieces(math, "network", arrays, row["arguments"]))[1]
            torch_error = distance(machine, machine.memory.widen(computed), expected())[0]
            bound = max(TIMES_TORCH * torch_error, BOUNDS[row["element"]])
    # NaN, of what was not written, is above any bound.
    return {"error": error, "largestError": largest, "bound": bound, "torchError": torch_error, "passed": error <= bound}


def repeat(machine, program, result):
    """How many of several further runs give other bits than the first."""
    first, differ = machine.memory.keep(result), 0
    for _ in range(REPEATS):
        program.submit()
        program.wait()
        differ += not machine.memory.equal(first, machine.memory.finish(result))
    return {"repeats": REPEATS, "differ": differ}


def bind(machine, program, row):
    """Random arguments, and results that hold NaN."""
    arrays, results = [], []
    for index, (name, element, dims) in enumerate(program.values("Argument")):
        array = machine.memory.random(dims, element, index + 1, positive=row["reference"] == "sum")
        program.bind("Argument", index, machine.memory.buffer(array), element, dims)
        arrays.append(array)
    for index, (name, element, dims) in enumerate(program.values("Result")):
        result = machine.memory.poisoned(dims, element)
        program.bind("Result", index, machine.memory.buffer(result), element, dims)
        results.append(result)
    return arrays, results


def by_kernel(samples):
    """{kernel: nanoseconds} of all its launches."""
    sums = {}
    for name, nanoseconds in samples:
        sums[name] = sums.get(name, 0) + nanoseconds
    return sums


def run_captured(machine, program):
    """The time of all launches as one graph, and that of handing it in."""
    try:
        program.capture(True)
        timed = machine.measure(program.submit, 0.1)
        program.capture(False)
        return {"capturedNs": timed["ns"], "capturedHostNs": timed["hostNs"]}
    except Exception as error:
        return {"capturedMessage": str(error), "restart": True}


def run_peers(machine, row, arrays):
    """{name: nanoseconds}, or why there are none."""
    found = {}
    for name, work in peers.find(machine.torch, row["peer"], arrays, row["arguments"]).items():
        try:
            found[name] = machine.measure(work, 0.1)["ns"]
        except Exception as error:
            found[name] = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
    return found


def make_weights(row, folder):
    """The file that the module of a network names; its numbers."""
    import numpy
    graph, _ = networks.trace(row["arguments"]["network"], row["arguments"]["sizes"])
    bits = networks.make_weights(graph, numpy)
    bits.tofile(os.path.join(folder, "weights.bin"))
    return bits


def run_row(machine, pack, row):
    """What is known of one program."""
    with tempfile.TemporaryDirectory() as folder:
        weights = machine.memory.from_bits(make_weights(row, folder)) if row.get("weights") else None
        program = runtime.Program(machine.runtime, os.path.join(pack, row["module"]), folder)
        return run_program(machine, program, row, [] if weights is None else [weights])


def run_program(machine, program, row, weights):
    """First that it is right, then how fast it is."""
    try:
        arrays, results = bind(machine, program, row)
        arrays += weights
        program.submit()
        program.wait()
        answer = compare(machine, row, arrays, machine.memory.finish(results[0]))
        if not machine.emulated:
            answer.update(repeat(machine, program, results[0]))
            answer["passed"] = answer.get("passed", True) and answer["differ"] == 0
        if machine.cuda:
            answer.update(machine.measure(program.submit, 0.2, program.wait))
            samples = program.profile()
            answer["kernels"], answer["launches"] = by_kernel(samples), len(samples)
        if machine.with_peers:
            answer["peers"] = run_peers(machine, row, arrays)
        if answer.get("launches", 1) > 1:
            answer.update(run_captured(machine, program))
    finally:
        program.release()
        machine.memory.release()
    return answer


def describe(machine):
    """The machine, once."""
    torch = machine.torch
    clock = None
    try:
        clock = machine.cuda.attribute(cuda.CLOCK_RATE) * 1000 if machine.cuda else None
    except Exception:
        pass  # Not every driver tells it.
    return {"torch": torch.__version__ if torch else None, "noTorch": machine.why,
            "name": torch.cuda.get_device_name() if torch else None, "clock": clock}


def answer(machine, pack, request):
    if "limits" in request:
        return {"limits": limits.measure_all(machine, request["limits"], request["rounds"])} if machine.cuda else {"limits": []}
    return run_row(machine, pack, request)


def main():
    pack, device = sys.argv[1:3]
    # What libraries print is not an answer.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    machine = Machine(pack, device, "--no-peers" not in sys.argv)
    print(json.dumps(describe(machine)), file=out, flush=True)
    for line in sys.stdin:
        start = time.time()
        try:
            reply = answer(machine, pack, json.loads(line))
        except Exception as error:
            reply = {"message": str(error) or type(error).__name__, "where": traceback.format_exc()[-1000:]}
        reply["seconds"] = round(time.time() - start, 3)
        print(json.dumps(reply), file=out, flush=True)


if __name__ == "__main__":
    main()
