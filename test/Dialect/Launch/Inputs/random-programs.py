"""Prints random host programs for launch-hoist-initializer: random-programs.py SEED COUNT.

Launches and copies over an argument, constants and reservations that may be written several times, in
sides and loops; every buffer is written before it is read. One program for each part of the file.
"""
import random
import sys

BUFFER = "!tlaunch.buffer<tensor<4xf32>>"
FLAG = "!tlaunch.buffer<tensor<i1>>"
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
tlaunch.constant @yes : tensor<i1> = dense<true> : tensor<i1>
tlaunch.constant @no : tensor<i1> = dense<false> : tensor<i1>
"""


def launch(kernel, reads, writes):
    types = lambda values: ", ".join([BUFFER] * len(values))
    return (f"tlaunch.launch @{kernel} reads({', '.join(reads)} : {types(reads)}) "
            f"writes({', '.join(writes)} : {types(writes)})")


class Program:
    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.lines = []
        self.depth = 1
        self.made = 0
        # What may be read: the argument, constants, and reservations, with the block of each.
        self.readable, self.reserved = ["%x"], []

    def add(self, line):
        self.lines.append("  " * self.depth + line)

    def source(self):
        return self.choose.choice(self.readable if self.choose.random() < 0.2 else self.readable[1:])

    def destination(self):
        if self.reserved and self.choose.random() < 0.25:
            return self.choose.choice(self.reserved)
        self.reserved.append(f"%r{self.made}")
        self.made += 1
        self.add(f"{self.reserved[-1]} = tlaunch.reserve : {BUFFER}")
        return self.reserved[-1]

    def command(self):
        kind = self.choose.choice(["double", "add", "both", "copy"])
        reads = [self.source() for _ in range(2 if kind == "add" else 1)]
        writes = [self.destination() for _ in range(2 if kind == "both" else 1)]
        if set(reads) & set(writes) or len(set(writes)) < len(writes):
            return
        self.add(f"tlaunch.copy {reads[0]} to {writes[0]} : {BUFFER}" if kind == "copy" else
                 launch(kind, reads, writes))
        self.readable += [buffer for buffer in writes if buffer not in self.readable]

    def side(self):
        """Commands in a block; what is first written there is not known behind it."""
        readable, reserved = list(self.readable), list(self.reserved)
        self.depth += 1
        self.commands(self.choose.randint(1, 4))
        self.depth -= 1
        written = [buffer for buffer in self.readable if buffer in readable or buffer in reserved]
        self.readable, self.reserved = readable, reserved
        return written

    def block(self):
        kind = self.choose.choice(["if", "repeat", "repeat", "while"])
        if kind == "if":
            self.add(f"tlaunch.if %{self.choose.choice(['q', 'yes'])} : {FLAG} {{")
            self.side()
            if self.choose.random() < 0.5:
                self.add("} else {")
                self.side()
            self.add("}")
            return
        # Those of the function's own block are reserved side by side.
        rotated = [b for b in self.reserved if b in self.readable and b in self.outermost()]
        if kind == "while":
            self.add(f"%w{self.made} = tlaunch.reserve : {FLAG}")
            name = f"%w{self.made}"
            self.made += 1
            self.add(f"tlaunch.copy %{self.choose.choice(['q', 'yes'])} to {name} : {FLAG}")
            self.add(f"tlaunch.while {name} : {FLAG} limit 1 {{")
            self.side()
            self.add(f"  tlaunch.copy %no to {name} : {FLAG}")
        else:
            count = self.choose.randint(0, 3)
            self.add(f"tlaunch.repeat {count} {{")
            written = self.side()
            if count > 0:
                self.readable = written
        if len(rotated) > 1 and self.choose.random() < 0.5:
            first, second = self.choose.sample(rotated, 2)
            self.add(f"  tlaunch.rotate {first}, {second} : {BUFFER}")
        self.add("}")

    def outermost(self):
        return {line.split()[0] for line in self.lines
                if line.startswith("  %r") and "tlaunch.reserve" in line}

    def commands(self, count):
        for _ in range(count):
            if self.depth < 4 and self.choose.random() < 0.2:
                self.block()
            else:
                self.command()

    def text(self):
        self.lines.append(f"tlaunch.func @main(%x: {BUFFER}, %q: {FLAG}) results(%y: {BUFFER}, %z: {BUFFER}) "
                          'names ["x", "q", "y", "z"] target "host" {')
        for i in range(self.choose.randint(1, 3)):
            self.add(f"%c{i} = tlaunch.get_constant @c{self.choose.randint(0, 1)} : {BUFFER}")
            self.readable.append(f"%c{i}")
        self.add(f"%yes = tlaunch.get_constant @yes : {FLAG}")
        self.add(f"%no = tlaunch.get_constant @no : {FLAG}")
        self.commands(self.choose.randint(2, 14))
        self.add(launch("add", [self.source(), self.source()], ["%y"]))
        self.add(f"tlaunch.copy {self.source()} to %z : {BUFFER}")
        return KERNELS + "\n".join(self.lines + ["  tlaunch.return", "}", ""])


first, count = int(sys.argv[1]), int(sys.argv[2])
print("// -----\n".join(Program(first + i).text() for i in range(count)), end="")
