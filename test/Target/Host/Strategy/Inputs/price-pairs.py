"""Generates pairs of schedules of which one is faster on any CPU, as kernels NAME_fast and NAME_slow."""
import sys

GEMM = """
func.func @{name}(%x: tensor<{m}x{k}xf32>, %w: tensor<{b}xf32>) -> tensor<{m}x{n}xf32> {{
  %y = tkernel.kernel @{name} (%m : {m}, %n : {n}, %k : {k}) reads(%a = %x : tensor<{m}x{k}xf32>, %b = %w : tensor<{b}xf32>) -> tensor<{m}x{n}xf32>
      attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %0 = tkernel.load %a[%m, %k] {{name = "lhs"}} : tensor<{m}x{k}xf32>
    %1 = tkernel.load %b[{at}] {{name = "rhs"}} : tensor<{b}xf32>
    %2 = tkernel.contract %0, %1 over (%k) {{name = "sum"}} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }}
  return %y : tensor<{m}x{n}xf32>
}}
"""
ROWS = """
func.func @{name}(%x: tensor<{i}x{j}xf32>) -> tensor<{i}xf32> {{
  %y = tkernel.kernel @{name} (%i : {i}, %j : {j}) reads(%a = %x : tensor<{i}x{j}xf32>) -> tensor<{i}xf32>
      attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %v = tkernel.load %a[%i, %j] {{name = "v"}} : tensor<{i}x{j}xf32>
    %s = tkernel.reduce addf %v over (%j) {{name = "s"}} : f32
    tkernel.store %s, 0[%i] : f32
  }}
  return %y : tensor<{i}xf32>
}}
"""
TURN = """
func.func @{name}(%x: tensor<{i}x{j}xf32>) -> tensor<{j}x{i}xf32> {{
  %y = tkernel.kernel @{name} (%i : {i}, %j : {j}) reads(%a = %x : tensor<{i}x{j}xf32>) -> tensor<{j}x{i}xf32>
      attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %v = tkernel.load %a[%i, %j] {{name = "v"}} : tensor<{i}x{j}xf32>
    tkernel.store %v, 0[%j, %i] : f32
  }}
  return %y : tensor<{j}x{i}xf32>
}}
"""
COPY = """
func.func @{name}(%x: tensor<{i}x{j}xf32>) -> tensor<{i}x{j}xf32> {{
  %y = tkernel.kernel @{name} (%i : {i}, %j : {j}) reads(%a = %x : tensor<{i}x{j}xf32>) -> tensor<{i}x{j}xf32>
      attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %v = tkernel.load %a[%i, %j] {{name = "v"}} : tensor<{i}x{j}xf32>
    %e = arith.addf %v, %v {{name = "e"}} : f32
    tkernel.store %e, 0[%i, %j] : f32
  }}
  return %y : tensor<{i}x{j}xf32>
}}
"""
SOFTMAX = """
func.func @{name}(%x: tensor<{i}x{j}xf32>) -> tensor<{i}x{j}xf32> {{
  %y = tkernel.kernel @{name} (%i : {i}, %j : {j}) reads(%a = %x : tensor<{i}x{j}xf32>) -> tensor<{i}x{j}xf32>
      attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %v = tkernel.load %a[%i, %j] : tensor<{i}x{j}xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {{name = "e"}} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }}
  return %y : tensor<{i}x{j}xf32>
}}
"""


def gemm(name, fast, slow, m=256, n=256, k=256, transposed=False):
    at = f"%n * {k} + %k" if transposed else f"%k * {n} + %n"
    for suffix, schedule in (("fast", fast), ("slow", slow)):
        print(GEMM.format(name=f"{name}_{suffix}", m=m, n=n, k=k, b=n * k, at=at, schedule=schedule))


def pair(text, name, fast, slow, **sizes):
    for suffix, schedule in (("fast", fast), ("slow", slow)):
        print(text.format(name=f"{name}_{suffix}", schedule=schedule, **sizes))


def tile(rows, lanes, order="n_o, m_o, k", more=""):
    return f"split m = [m_o, m_i {rows}], split n = [n_o, n_i {lanes}], order [{order}], tile [m_i, n_i]{more}"


# Accumulators that the registers have room for, against four times as many, and against one.
gemm("spill", tile(4, 16), tile(32, 32))
gemm("chains", tile(4, 16), tile(1, 8))
# Whole registers against parts of them.
gemm("lanes", tile(4, 16), tile(4, 4))
# Sums in registers against sums in memory at each step.
gemm("partial", tile(4, 16), "split k = [k_o, k_i 2], " + tile(4, 16, "k_o, n_o, m_o, k_i", ", keep sum local"))
# Lanes that lie apart in memory against a panel in which they do not.
gemm("panel", tile(4, 16, more=", stage rhs as (k, n_i) at n_o local"), tile(4, 16), transposed=True)
# A panel filled once for many uses against one filled at each.
gemm("fill", tile(4, 16, more=", stage rhs as (k, n_i) at n_o local"),
     tile(4, 16, more=", stage rhs as (k, n_i) at m_o local"), transposed=True)
# Blocks that stay in the second cache against rows of all of a matrix.
gemm("block", "split k = [k_o, k_i 256], " + tile(4, 16, "k_o, n_o, m_o, k_i", ", keep sum result"),
     tile(4, 16, "m_o, n_o, k"), m=1024, n=2048, k=2048)
# Several sums at once against one after another; lanes along memory against lanes across it.
pair(ROWS, "sums", "split j = [j_o, j_i 64], order [i, j_o], tile [j_i]", "split j = [j_o, j_i 8], order [i, j_o], tile [j_i]", i=64, j=4096)
pair(ROWS, "across", "split j = [j_o, j_i 64], order [i, j_o], tile [j_i]", "split i = [i_o, i_i 16], order [i_o, j], tile [i_i]", i=1024, j=4096)
# Rows that wait for what lanes of theirs come to, several at once against one after another, which computes exponentials twice.
pair(SOFTMAX, "waits", "split i = [i_o, i_i 4], split j = [j_o, j_i 16], grid [i_o], order [j_o], tile [i_i, j_i], keep e local",
     "split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i]", i=256, j=256)
# Tiles turned in registers against elements one by one; whole lines against parts of them.
pair(TURN, "turn", "split i = [i_o, i_i 16], split j = [j_o, j_i 16], order [i_o, j_o], tile [j_i, i_i]",
     "split i = [i_o, i_i 16], order [i_o, j], tile [i_i]", i=512, j=512)
# Along memory against across it; past the caches against through them, where nothing is left of it later.
pair(COPY, "order", "split j = [j_o, j_i 16], order [i, j_o], tile [j_i]", "split j = [j_o, j_i 16], order [j_o, i], tile [j_i]", i=8192, j=4096)
pair(COPY, "stream", "split j = [j_o, j_i 16], order [i, j_o], tile [j_i], stream 0", "split j = [j_o, j_i 16], order [i, j_o], tile [j_i]", i=8192, j=4096)
# A loop over points against vectors.
pair(COPY, "vector", "split j = [j_o, j_i 16], order [i, j_o], tile [j_i]", "order [i, j]", i=64, j=64)
# Rows that begin almost where earlier ones did in a cache against rows that do not, of more points.
if "drift" in sys.argv:
    for suffix, length in (("fast", 527), ("slow", 511)):
        print(TURN.format(name=f"drift_{suffix}", i=length, j=128,
                          schedule="split i = [i_o, i_i 4], split j = [j_o, j_i 4], order [i_o, j_o], tile [j_i, i_i]"))
