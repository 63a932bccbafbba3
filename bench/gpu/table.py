"""Results of bench/gpu/run as Markdown."""


def limits_of(results):
    """{"copy": GB/s, element: TFLOP/s} as far as they were measured."""
    found = {}
    for limit in results.get("limits", []):
        if "gbps" in limit:
            found["copy"] = max(found.get("copy", 0), limit["gbps"])
        if "tflops" in limit:
            found[limit["element"]] = limit["tflops"]
    return found


def best_peer(row):
    """(name, nanoseconds) of the fastest that ran."""
    times = [(time, name) for name, time in row.get("peers", {}).items() if isinstance(time, (int, float))]
    return (min(times)[1], min(times)[0]) if times else (None, None)


def judge(row, limits, clock=None):
    """Adds rates, what the compiler forecast at the card's highest clock, the share of the limit that is nearer, and the peer's time over ours."""
    if row.get("ns"):
        rates = []
        if row.get("flops"):
            row["tflops"] = row["flops"] / row["ns"] / 1e3
            rates.append((row["tflops"], limits.get(row["element"])))
        if row.get("bytes"):
            row["gbps"] = row["bytes"] / row["ns"]
            rates.append((row["gbps"], limits.get("copy")))
        shares = [rate / limit for rate, limit in rates if limit]
        if shares:
            row["share"] = max(shares)
        if clock and row.get("forecast"):
            row["forecastNs"] = row["forecast"]["cycles"] / clock * 1e9
        row["peer"], row["peerNs"] = best_peer(row)
        if row["peerNs"]:
            row["ratio"] = row["peerNs"] / row["ns"]
    return row


def captured_line(row):
    """What a launch costs, one by one and in a graph."""
    texts = [f"{row['ns'] / row['launches']:.0f} ns a launch"]
    if row.get("hostNs"):
        texts.append(f"the host hands in {row['launches']} in {row['hostNs'] / 1e3:.0f} us")
    if row.get("capturedNs"):
        texts.append(f"as a graph {row['capturedNs'] / row['launches']:.0f} ns, handed in in {row['capturedHostNs'] / 1e3:.0f} us")
    return f"- {row['name']}: " + ", ".join(texts)


def kernels_line(row, most=6):
    """The kernels that take the longest."""
    kernels = sorted(row["kernels"].items(), key=lambda item: -item[1])[:most]
    return f"- {row['name']}: " + ", ".join(f"{name} {time / 1e3:.1f} us" for name, time in kernels)


def number(value, form, unit=""):
    return format(value, form) + unit if isinstance(value, (int, float)) else ""


def said(row):
    """Whether it was right."""
    if "message" in row:
        return row["message"].splitlines()[0][:80].replace("|", "/")
    if "error" in row:
        return f"{'' if row['passed'] else 'WRONG '}{row['error']:.1e}"
    return row.get("compared", "")


def line(row):
    rate = number(row.get("tflops"), ".1f", " TFLOP/s") if row.get("flops") else number(row.get("gbps"), ".0f", " GB/s")
    peer = f"{row['peer']} {row['peerNs'] / 1e3:.1f}" if row.get("peerNs") else ""
    share = row["share"] * 100 if row.get("share") else None
    ns = row["ns"] / 1e3 if row.get("ns") else None
    forecast = row["forecastNs"] / 1e3 if row.get("forecastNs") else None
    before = number(row["beforeNs"] / row["ns"], ".2f") if row.get("beforeNs") and row.get("ns") else ""
    cells = [row["name"], number(ns, ".1f"), before, number(forecast, ".1f"), rate, number(share, ".0f", " %"), peer, number(row.get("ratio"), ".2f"), said(row)]
    return "| " + " | ".join(cells) + " |"


def limit_line(limit):
    if "message" in limit:
        return f"- {limit['name']}: {limit['message'].splitlines()[0][:120]}"
    rate = number(limit.get("tflops"), ".1f", " TFLOP/s") or number(limit.get("gbps"), ".0f", " GB/s") or number(limit["ns"], ".0f", " ns")
    return f"- {limit['name']}: {rate}"


def text(results):
    """The table: a line for each limit, then one for each program."""
    lines = [f"## {results.get('machine', {}).get('name') or results['device']}", ""]
    lines += [f"- {state}" for state in results.get("machine", {}).get("card", []) if state]
    lines += [limit_line(limit) for limit in results.get("limits", [])]
    lines += ["", "| program | ours, us | before / ours | forecast, us | rate | of limit | best peer, us | peer / ours | error |",
              "|---|---|---|---|---|---|---|---|---|"]
    lines += [line(row) for row in results.get("speed", [])]
    several = [row for row in results.get("speed", []) if row.get("ns") and row.get("launches", 1) > 1]
    if several:
        lines += ["", "Programs of several launches:", ""] + [captured_line(row) for row in several]
    mixed = [row for row in several if len(row["kernels"]) > 1]
    if mixed:
        lines += ["", "Their slowest kernels:", ""] + [kernels_line(row) for row in mixed]
    return "\n".join(lines)
