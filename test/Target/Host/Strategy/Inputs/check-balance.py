"""Plays the programs of schedules through on so many threads, as the runtime's pool hands them out, and
says which kernels keep a thread waiting for more than a tenth of its share.

Usage: tensor-compile ... --to=schedule --option=threads=N | check-balance.py N
"""
import re
import sys

MOST = 1.1


def read_kernels(text):
    """(name, extents of axes, primitives) of each kernel."""
    for match in re.finditer(r"tkernel\.kernel(?: @(\w+))? \(([^)]*)\)(.*?)#tkernel\.schedule<\[(.*?)\]>", text, re.DOTALL):
        axes = {name: int(extent) for name, extent in re.findall(r"%(\w+) : (\d+)", match.group(2))}
        yield match.group(1), axes, match.group(4)


def levels(axes, primitives):
    """Of each axis of the grid how many programs, and what the last one does of any other's work."""
    for merged, parts in re.findall(r"merge (\w+) = \[([^\]]*)\]", primitives):
        extent = 1
        for part in parts.split(", "):
            extent *= axes[part]
        axes[merged] = extent
    leaves = {name: (extent, 1.0) for name, extent in axes.items()}
    for axis, parts in re.findall(r"split (\w+) = \[([^\]]*)\]", primitives):
        names = [part.split() for part in parts.split(", ")]
        inner = 1
        for name in names[1:]:
            inner *= int(name[1])
            leaves[name[0]] = (int(name[1]), 1.0)
        count = -(-axes[axis] // inner)
        leaves[names[0][0]] = (count, (axes[axis] - (count - 1) * inner) / inner)
    grid = re.search(r"grid \[([^\]]*)\]", primitives)
    return [leaves[name] for name in grid.group(1).split(", ")] if grid and grid.group(1) else []


def play(levels, threads):
    """The time of the thread that ends last over that of an even share."""
    work = [1.0]
    for count, last in levels:
        work = [outer * (last if i + 1 == count else 1.0) for outer in work for i in range(count)]
    ranges = [[len(work) * i // threads, len(work) * (i + 1) // threads, 0.0] for i in range(threads)]
    for _ in work:
        own = min(ranges, key=lambda each: each[2])
        if own[0] < own[1]:
            own[2] += work[own[0]]
            own[0] += 1
        else:
            other = max(ranges, key=lambda each: each[1] - each[0])
            other[1] -= 1
            own[2] += work[other[1]]
    return max(each[2] for each in ranges) * threads / sum(work)


threads = int(sys.argv[1])
found = 0
for name, axes, primitives in read_kernels(sys.stdin.read()):
    stretch = play(levels(axes, primitives), threads)
    found += 1
    if stretch > MOST and not (name or "").endswith("_pack"):
        sys.exit(f"{name} on {threads} threads: the last one ends after {stretch:.2f} of an even share: {primitives}")
if not found:
    sys.exit("no kernels")
