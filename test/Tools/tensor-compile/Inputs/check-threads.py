"""Checks that the largest kernel of a report keeps each of N threads busy, and costs less the more there are: N=REPORT .."""
import json
import sys

MOST_IMBALANCE = 1.10
cycles = []
for argument in sys.argv[1:]:
    threads, path = argument.split("=", 1)
    with open(path) as file:
        kernels = json.load(file)["targets"][0]["kernels"]
    kernel = max(kernels, key=lambda kernel: kernel["flops"])
    threads, programs = int(threads), kernel["programs"]
    imbalance = -(-programs // threads) * threads / programs
    chosen = next(candidate for candidate in kernel["candidates"] if candidate["chosen"])
    cycles.append(chosen["cycles"])
    print(f"{threads} threads: {programs} programs, {imbalance:.2f} of a share, {chosen['cycles']:.4g} cycles")
    if imbalance > MOST_IMBALANCE:
        sys.exit("the threads do not end together")
if cycles != sorted(cycles, reverse=True):
    sys.exit("more threads cost more")
