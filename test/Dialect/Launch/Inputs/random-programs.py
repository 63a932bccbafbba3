"""Prints random host programs for launch-hoist-initializer: random-programs.py SEED COUNT.

Chains of launches and copies over an argument, constants and reservations that may be written
several times; every buffer is written before it is read. One program for each part of the file.
"""
import random
import sys

BUFFER = "!tlaunch.buffer<tensor<4xf32>>"
MAP = "through #tview.map<affine_map<(d0) -> (d0)>>()"
LOAD = MAP + " : memref<4xf32> -> tensor<4xf32>"
STORE = MAP + " : tensor<4xf32> -> memref<4xf32>"
KERNELS = f"""ttile.func @double(%x: memref<4xf32>) results(%y: memref<4xf32>) {{
  %t = ttile.load %x {LOAD}
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y {STORE}
  ttile.return
}}
ttile.func @add(%a: memref<4xf32>, %b: memref<4xf32>) results(%y: memref<4xf32>) {{
  %t = ttile.load %a {LOAD}
  %u = ttile.load %b {LOAD}
  %d = arith.addf %t, %u : tensor<4xf32>
  ttile.store %d, %y {STORE}
  ttile.return
}}
ttile.func @both(%a: memref<4xf32>) results(%y: memref<4xf32>, %z: memref<4xf32>) {{
  %t = ttile.load %a {LOAD}
  %d = arith.addf %t, %t : tensor<4xf32>
  ttile.store %d, %y {STORE}
  ttile.store %t, %z {STORE}
  ttile.return
}}
tlaunch.constant @c0 : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
tlaunch.constant @c1 : tensor<4xf32> = dense<[0.5, -1.0, 7.0, 0.25]> : tensor<4xf32>
"""


def launch(kernel, reads, writes):
    types = lambda values: ", ".join([BUFFER] * len(values))
    return (f"  tlaunch.launch @{kernel} reads({', '.join(reads)} : {types(reads)}) "
            f"writes({', '.join(writes)} : {types(writes)})")


def program(seed):
    choose = random.Random(seed)
    lines = [f"tlaunch.func @main(%x: {BUFFER}) results(%y: {BUFFER}, %z: {BUFFER}) "
             'names ["x", "y", "z"] target "host" {']
    readable, reserved = ["%x"], []
    for i in range(choose.randint(1, 3)):
        lines.append(f"  %c{i} = tlaunch.get_constant @c{choose.randint(0, 1)} : {BUFFER}")
        readable.append(f"%c{i}")

    def source():
        return choose.choice(readable if choose.random() < 0.2 else readable[1:])

    def destination():
        if reserved and choose.random() < 0.25:
            return choose.choice(reserved)
        reserved.append(f"%r{len(reserved)}")
        lines.append(f"  {reserved[-1]} = tlaunch.reserve : {BUFFER}")
        return reserved[-1]

    for _ in range(choose.randint(2, 14)):
        kind = choose.choice(["double", "add", "both", "copy"])
        reads = [source() for _ in range(2 if kind == "add" else 1)]
        writes = [destination() for _ in range(2 if kind == "both" else 1)]
        if set(reads) & set(writes) or len(set(writes)) < len(writes):
            continue
        lines.append(f"  tlaunch.copy {reads[0]} to {writes[0]} : {BUFFER}" if kind == "copy" else
                     launch(kind, reads, writes))
        readable += [buffer for buffer in writes if buffer not in readable]
    lines.append(launch("add", [source(), source()], ["%y"]))
    lines.append(f"  tlaunch.copy {source()} to %z : {BUFFER}")
    return KERNELS + "\n".join(lines + ["  tlaunch.return", "}", ""])


first, count = int(sys.argv[1]), int(sys.argv[2])
print("// -----\n".join(program(first + i) for i in range(count)), end="")
