"""Tables and means of measured rows, and the JSON file that keeps them."""
import json
import math
import os

from harness.workloads import GROUPS, by_hand

OURS = "tensorwright"


def best_peer(row):
    timed = [(data["minNs"], name) for name, data in row["peers"].items() if name != OURS and "minNs" in data and "missing" not in data]
    return min(timed, default=(None, None))


def finish(row):
    """Adds the best peer, the ratio (above 1: ours is faster) and the share of the machine's limit."""
    ours = row["peers"].get(OURS, {})
    nanoseconds, name = best_peer(row)
    row["best"] = name
    if "minNs" in ours and "missing" not in ours:
        row["ofLimit"] = row["limitNs"] / ours["minNs"] if row["limitNs"] else None
        row["ratio"] = nanoseconds / ours["minNs"] if nanoseconds else None
    return row


HEADER = ["workload", "threads", "ours ms", "of limit", "best peer", "ms", "ratio", "next"]


def cells(row, starred=False):
    ours, nanoseconds = row["peers"].get(OURS, {}), best_peer(row)[0]
    milliseconds = lambda ns: f"{ns / 1e6:.4g}"
    others = sorted((data["minNs"], name) for name, data in row["peers"].items() if name not in (OURS, row["best"]) and "minNs" in data and "missing" not in data)
    share = row.get("ofLimit")
    return [row["name"] + ("\\*" if starred and by_hand(row["name"]) else ""), str(row["threads"]), milliseconds(ours["minNs"]) if "minNs" in ours and "missing" not in ours else ours.get("missing", "-")[:40],
            f"{100 * share:.0f} % {row['limit']}" if share else "-", row["best"] or "-",
            milliseconds(nanoseconds) if nanoseconds else "-", f"{row['ratio']:.2f}" if row.get("ratio") else "-",
            f"{others[0][1]} {milliseconds(others[0][0])}" if others else "-"]


WIDTHS = [30, 7, 10, 11, 12, 9, 6, 24]


def line(values):
    return "  ".join(value.ljust(width) if i in (0, 4, 7) else value.rjust(width) for i, (value, width) in enumerate(zip(values, WIDTHS))).rstrip()


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def means(rows):
    """(group, threads, geometric mean of the ratios, worst one, number of rows, number of rows ahead)."""
    found = []
    for group in GROUPS:
        for threads in sorted({row["threads"] for row in rows}):
            ratios = [row["ratio"] for row in rows if row["group"] == group and row["threads"] == threads and row.get("ratio")]
            if ratios:
                found.append((group, threads, mean(ratios), min(ratios), len(ratios), sum(ratio >= 1 for ratio in ratios)))
    return found


def speedups(rows):
    """Time with one thread over time with two, of rows bound by arithmetic."""
    times = {(row["name"], row["threads"]): row["peers"][OURS]["minNs"] for row in rows
             if row["limit"] == "peak" and "minNs" in row["peers"].get(OURS, {})}
    found = [nanoseconds / times[name, 2] for (name, threads), nanoseconds in times.items() if threads == 1 and (name, 2) in times]
    return mean(found) if found else None


def text(rows):
    lines = []
    for group, threads, average, worst, count, ahead in means(rows):
        lines.append(f"{group}, {threads} thread{'s' if threads > 1 else ''}: geometric mean of the ratios {average:.2f}, worst {worst:.2f}, "
                     f"ahead in {ahead} of {count}")
    speedup = speedups(rows)
    if speedup:
        lines.append(f"two threads over one, bound by arithmetic: {speedup:.2f}")
    return "\n".join(lines)


def markdown(data):
    """The tables of a JSON file, group by group."""
    lines = [f"# {data['title']}", "", f"{data['date']}, {data['machine']}, {data['target']} code: `{data['command']}`", ""]
    for threads, limits in data["limits"].items():
        lines.append(f"Limits measured at {threads} thread(s), in 10^9 a second: " + ", ".join(f"{name} {value / 1e9:.0f}" for name, value in limits.items()) + ".")
    lines += ["", "Versions: " + ", ".join(f"{name} {version}" for name, version in data["versions"].items() if name != OURS) + ".", "",
              "Ratio: the best peer's time over ours; above 1, ours is faster.", "",
              "Rows of networks are ONNX models, compiled whole. All others are kernels written by hand (`bench/kernels`). Those with a star (\\*) are one "
              "kernel there that no graph and no ONNX model becomes yet: softmax, norms, attention and pooling of a convolution are several kernels in a network.", ""]
    lines += ["- " + item for item in text(data["rows"]).split("\n") if item] + [""]
    for group in GROUPS:
        rows = [row for row in data["rows"] if row["group"] == group]
        if rows:
            lines += [f"## {group}", "", "| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
            lines += ["| " + " | ".join(cells(row, starred=True)) + " |" for row in rows] + [""]
    return "\n".join(lines)


TITLES = {"gemm": "matrix products, f32", "narrow": "bf16, f16 and 8-bit products and convolutions", "conv": "convolutions, f32",
          "rowops": "reductions, element by element, movement", "odd": "odd extents, all kinds", "attention": "attention",
          "symbols": "sizes that a call settles, the module for fixed ones among the peers",
          "graphs": "graphs of ops, the kernel by hand among the peers", "networks": "networks",
          "exported": "networks as PyTorch exports them"}


def summary(data):
    """Means of the ratios by group and number of threads; those of kernels by hand are a group of their own."""
    measured = [row for row in data["rows"] if row.get("ratio")]
    starred = [row for row in measured if by_hand(row["name"])]
    parts = [(TITLES[group], [row for row in measured if row["group"] == group and row not in starred]) for group in GROUPS]
    parts += [("one kernel written by hand\\*: " + ", ".join(dict.fromkeys(by_hand(row["name"]) for row in starred)), starred)]
    counts = sorted({row["threads"] for row in measured})
    lines = ["| what | rows | " + " | ".join(f"{count} thread{'s' if count > 1 else ''}" for count in counts) + " | worst |",
             "|---|---|" + "---|" * (len(counts) + 1)]
    for title, rows in parts:
        if rows:
            ratios = [[row["ratio"] for row in rows if row["threads"] == count] for count in counts]
            lines.append(f"| {title} | {max(map(len, ratios))} | " + " | ".join(f"{mean(own):.2f}" if own else "-" for own in ratios) +
                         f" | {min(row['ratio'] for row in rows):.2f} |")
    return "\n".join(lines)


def save(path, data, keep):
    """Writes the file; with `keep`, its rows that were not measured now stay."""
    if keep and os.path.exists(path):
        with open(path) as file:
            old = json.load(file)
        now = {(row["name"], row["threads"]) for row in data["rows"]}
        kept = [row for row in old["rows"] if (row["name"], row["threads"]) not in now]
        order = {name: i for i, name in enumerate(GROUPS)}
        data = {**data, "rows": sorted(kept + data["rows"], key=lambda row: order[row["group"]]),
                "versions": {**old["versions"], **data["versions"]}, "limits": {**old["limits"], **data["limits"]}}
    with open(path, "w") as file:
        json.dump(data, file, indent=1)
        file.write("\n")
    return data
