"""Checks what a machine measured of itself against its description before: check-table.py BEFORE AFTER."""
import json
import sys

before, after = (json.load(open(path)) for path in sys.argv[1:])
fields = [name for name in before if name not in ("target", "cpu", "features")]
measured = {name: after[name]["value"] for name in fields if after[name]["source"].startswith("measured 20")}

# Nobody knows which numbers settle on a machine that does other work; some of two dozen do.
assert len(measured) >= 3, f"only {measured} settled"

def expected(name):
    """What the table says; of memory for all threads what those that are here get: a row knows all of a CPU."""
    value = before[name]["value"]
    if name != "allMemoryBytesPerCycle":
        return value
    threads, link = before["threads"]["value"], before["linkThreads"]["value"]
    links = -(-threads // link) * before["linkBytesPerCycle"]["value"]
    return min(value, links, threads * before["memoryBytesPerCycle"]["value"])


for name in fields:
    if name in measured:
        ratio = measured[name] / expected(name)
        assert 0.49 <= ratio <= 2.1, f"{name}: {measured[name]}, where {expected(name)} is expected"
    else:
        assert after[name] == before[name], f"{name} is not measured and has changed"

# Each level is nearer than the next, but for what other programs on the machine take of it.
for order in (["l2Latency", "l3Latency", "memoryLatency"], ["memoryBytesPerCycle", "l3BytesPerCycle", "l2BytesPerCycle"],
              ["nearPages", "farPages"]):
    known = [measured[name] for name in order if name in measured]
    assert all(near <= 1.25 * far for near, far in zip(known, known[1:])), f"{order}: {known}"
print(f"{len(measured)} of {len(fields)} measured")
