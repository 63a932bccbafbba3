"""Schedules written by hand for the programs whose tiles decide most: what others of the candidates take, which no price can be checked without.

A variant is a kernel with its schedule as an attribute; what the strategies choose is in the table of programs.py.
"""

PRODUCT = """!A = tensor<{m}x{k}x{element}>
!B = tensor<{k}x{n}x{element}>
!C = tensor<{m}x{n}x{element}>
func.func @main(%x: !A {{tgraph.name = "a"}}, %w: !B {{tgraph.name = "b"}}) -> (!C {{tgraph.name = "y"}}) {{
  %y = tkernel.kernel @gemm (%m : {m}, %n : {n}, %k : {k}) reads(%a = %x : !A, %b = %w : !B) -> !C attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %0 = tkernel.load %a[%m, %k] {{name = "lhs"}} : !A
    %1 = tkernel.load %b[%k, %n] {{name = "rhs"}} : !B
    %2 = tkernel.contract %0, %1 over (%k) : {element}, {element} -> f32
    %3 = arith.truncf %2 : f32 to {element}
    tkernel.store %3, 0[%m, %n] : {element}
  }}
  return %y : !C
}}
"""

PRODUCT_SCHEDULE = ("split k = [ko, ki {ki}], split m = [mo, mi {mi}], split n = [no, ni {ni}], grid [mo, no], order [ko], tile [ki, mi, ni], "
                    "contract ki dot, warps {warps}, stage lhs as (mi, ki) at ko local, stage rhs as (ki, ni) at ko local")

ATTENTION = """!Q = tensor<{b}x{h}x{n}x{d}x{element}>
!K = tensor<{b}x{groups}x{n}x{d}x{element}>
func.func @main(%query: !Q {{tgraph.name = "q"}}, %key: !K {{tgraph.name = "k"}}, %value: !K {{tgraph.name = "v"}}) -> (!Q {{tgraph.name = "y"}}) {{
  %y = tkernel.kernel @attention (%b : {b}, %h : {groups}, {axis}%i : {n}, %j : {n}, %d : {d}, %e : {d}) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !K) -> !Q attributes {{schedule = #tkernel.schedule<[{schedule}]>}} {{
    %scale = arith.constant {scale:.9f} : f32
    %0 = tkernel.load %q[%b, {head}, %i, %d] {{name = "query"}} : !Q
    %1 = tkernel.load %k[%b, %h, %j, %d] {{name = "key"}} : !K
    %dots = tkernel.contract %0, %1 over (%d) : {element}, {element} -> f32
    %scaled = arith.mulf %dots, %scale : f32
{mask}
    %m = tkernel.reduce maximumf {scores} over (%j) : f32
    %x = arith.subf {scores}, %m : f32
    %p = math.exp %x{fast} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %w = arith.truncf %p : f32 to {element}
    %2 = tkernel.load %v[%b, %h, %j, %e] {{name = "value"}} : !K
    %o = tkernel.contract %w, %2 over (%j) : {element}, {element} -> f32
    %r = arith.divf %o, %l : f32
    %c = arith.truncf %r : f32 to {element}
    tkernel.store %c, 0[%b, {head}, %i, %e] : {element}
  }}
  return %y : !Q
}}
"""

MASK = """    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %masked = arith.select %seen, %scaled, %never : f32"""

ATTENTION_SCHEDULE = ("split i = [io, ii {ii}], split j = [jo, ji {ji}], split d = [do, di {d}], split e = [eo, ei {d}], grid [b, h, io], order [jo, do, eo], "
                      "tile [di, ii, ji, ei], contract di dot, contract ji dot, warps {warps}, stage query as (ii, di) at grid local, "
                      "stage key as (ji, di) at jo local, stage value as (ji, ei) at jo local{ring}, online jo{skip}")


def rings(count, *names):
    return "".join(f", prefetch {name} {count}" for name in names) if count else ""


def product(mi, ni, ki, warps, ring):
    """Makes the text of a product by its tile, and how many tiles are on their way while one is multiplied."""
    schedule = PRODUCT_SCHEDULE.format(mi=mi, ni=ni, ki=ki, warps=warps) + rings(ring, "lhs", "rhs")
    return lambda element, m, n, k: PRODUCT.format(element=element, m=m, n=n, k=k, schedule=schedule)


def attention(ii, ji, warps, ring, causal=False, fast=False):
    """Attention by its tile. On sm_90a four warps have whole rows of 64 queries by wgmma; a ring of two and more ahead makes the results of a step in
    the next one, while weights are computed. `fast`: the exponential's instruction."""
    def make(element, batch, heads, groups, positions, width):
        words = ATTENTION_SCHEDULE.format(ii=ii, ji=ji, d=width, warps=warps, ring=rings(ring, "key", "value"), skip=", skip j" if causal else "")
        times = heads // groups
        return ATTENTION.format(element=element, b=batch, h=heads, groups=groups, n=positions, d=width, scale=width ** -0.5, schedule=words, fast=" fastmath<afn>" if fast else "",
                                axis=f"%g : {times}, " if times > 1 else "", head=f"{times} * %h + %g" if times > 1 else "%h",
                                mask=MASK if causal else "", scores="%masked" if causal else "%scaled")
    return make
