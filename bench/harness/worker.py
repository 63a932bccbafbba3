"""The process of one peer: reads requests, one JSON object a line, and answers each with one line.

{"version"}                          -> {"version"}
{"load": ID, "work": FOLDER}         -> {"seconds"}: prepared and run once, results in FOLDER
{"time": ID, "ms", "least", "most", "clock"}  -> {"ns": [each run]}
{"drop": ID}                         -> {}
Arguments: peer, threads, CPUs, folder of installed peers. Ends with its standard input, or with its parent.
"""
import ctypes
import json
import os
import signal
import sys
import time

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(prepared, budget, least, most, processor):
    """Times of single runs in ns, until the budget (ns) is spent; the first one tells how many that are."""
    clock, call = time.process_time_ns if processor else time.perf_counter_ns, prepared.call
    begin = clock()
    call()
    times = [clock() - begin]
    count = int(min(max(least - 1, budget // max(times[0], 1)), most))
    if prepared.times and not processor:
        return times + (prepared.times(count) if count else [])
    for _ in range(count):
        begin = clock()
        call()
        times.append(clock() - begin)
    return times


def answer(request, peer, threads, folder, works):
    import numpy
    from harness.work import Work
    if "version" in request:
        return {"version": peer.version(folder)}
    if "load" in request:
        begin = time.perf_counter()
        prepared = peer.prepare(Work(request["work"], folder), threads)
        prepared.call()
        seconds = time.perf_counter() - begin
        for i, result in enumerate(prepared.results()):
            numpy.save(os.path.join(request["work"], f"{peer.NAME}-{i}.npy"), numpy.ascontiguousarray(result))
        works[request["load"]] = prepared
        return {"seconds": seconds, "note": prepared.note}
    if "time" in request:
        return {"ns": run(works[request["time"]], request["ms"] * 1_000_000, request["least"], request["most"],
                          request["clock"] == "cpu")}
    works.pop(request["drop"], None)
    return {}


PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


def main():
    # Stopped between requests, it would not see that its input ends.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    name, threads, cpus, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import importlib
    peer, works = importlib.import_module("peers." + name), {}
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line), peer, threads, folder, works)
        except Exception as error:
            text = " ".join(str(error).split()) or type(error).__name__
            reply = {"error": text[:300], "kind": type(error).__name__}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()
    # Without what libraries do at the end, which may wait for their threads.
    os._exit(0)


if __name__ == "__main__":
    main()
