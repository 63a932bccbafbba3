"""Rounds: ours and each peer in turn, within one run; the least time of each counts."""
import contextlib
import fcntl
import os
import time

from harness import kernels
from harness.processes import Failed, Process

OURS = "tensorwright"


@contextlib.contextmanager
def alone(paths):
    """Holds the locks of the given files, so that others who take them do not run meanwhile."""
    handles = [open(path, "a") for path in paths]
    try:
        for handle in handles:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        for handle in handles:
            handle.close()


def available_memory():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


def input_bytes(task):
    return sum(tensor.bytes() for tensor in task.inputs)


class Field:
    """The processes of all peers at one number of threads."""

    def __init__(self, modules, folder, threads, cpus, target, log, say):
        self.modules, self.folder, self.threads, self.cpus = modules, folder, threads, cpus
        self.target, self.log, self.say = target, log, say
        self.processes, self.versions, self.absent = {}, {}, {}
        for name in modules:
            self.start(name)

    def start(self, name):
        module = self.modules[name]
        try:
            process = Process(name, module, self.folder, self.threads, self.cpus, self.target, self.log)
            self.versions[name] = process.ask({"version": True}, 180)["version"]
            self.processes[name] = process
        except Failed as failure:
            self.absent[name] = str(failure)

    def load(self, task, limit):
        """Prepares a task in each process, checks the results; returns what to say of each peer."""
        rows = {}
        for name in list(self.modules):
            if name in self.absent:
                continue
            if not self.processes[name].alive():
                self.start(name)
                if name in self.absent:
                    continue
            if available_memory() < 4 * input_bytes(task) + (2 << 30):
                rows[name] = {"missing": "not enough memory"}
                continue
            try:
                answer = self.processes[name].ask({"load": task.name, "work": task.folder}, limit)
                error, wrong = task.error(name)
                rows[name] = {"error": error, "prepareSeconds": round(answer["seconds"], 3)}
                if wrong:
                    rows[name]["missing"] = f"wrong: off by {error:.2g}"
            except Failed as failure:
                rows[name] = {"missing": str(failure)}
            if "missing" in rows[name] and rows[name]["missing"] not in ("Unsupported",):
                self.say(f"  {task.name}: {name}: {rows[name]['missing']}")
        return rows

    def time(self, task, rows, rounds, milliseconds, clock):
        """Adds times to the rows. A peer that is far behind the best after a round or two stops there."""
        times = {name: [] for name, row in rows.items() if "missing" not in row}
        for turn in range(rounds):
            best = min((min(found) for found in times.values() if found), default=0)
            for name, found in times.items():
                hopeless = name != OURS and turn > 0 and min(found, default=0) > (10 if turn == 1 else 3) * best
                if hopeless or "missing" in rows[name]:
                    continue
                try:
                    # Until all threads of the process before this one have stopped.
                    time.sleep(0.0005)
                    # Two runs at least, so that one that something else held up does not decide.
                    request = {"time": task.name, "ms": milliseconds, "least": 2, "most": 5000, "clock": clock}
                    found += self.processes[name].ask(request, 120)["ns"]
                except Failed as failure:
                    rows[name]["missing"] = str(failure)
        for name, found in times.items():
            if found:
                found.sort()
                rows[name].update(minNs=found[0], medianNs=found[len(found) // 2], runs=len(found))

    def drop(self, task):
        for name, process in self.processes.items():
            if process.alive():
                with contextlib.suppress(Failed):
                    process.ask({"drop": task.name}, 60)

    def renew(self, tasks):
        """Starts the processes anew after large tasks: they keep memory that they once had."""
        if sum(map(input_bytes, tasks)) > 48 << 20:
            self.stop()
            for name in self.processes:
                self.start(name)

    def stop(self):
        for process in self.processes.values():
            process.stop()


def batches(workloads, peers, most=24):
    """Workloads to prepare together, so that timing them needs the machine alone for a short while only."""
    batch, total, most_bytes = [], 0, available_memory() // (8 * peers)
    for workload in workloads:
        size = most_bytes // 3
        if workload.kernel:
            size = sum(tensor.bytes() for tensor in kernels.load(workload.kernel, workload.sizes).inputs)
        if batch and (total + size > most_bytes or len(batch) == most):
            yield batch
            batch, total = [], 0
        batch.append(workload)
        total += size
    if batch:
        yield batch
