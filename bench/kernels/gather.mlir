// Rows of a table by their numbers; the numbers are below the table's length.
// sizes: i = 4096, j = 768, t = 32000
!T = tensor<32000x768xf32> // [t, j]
!I = tensor<4096xi64> // [i]
!Y = tensor<4096x768xf32> // [i, j]
func.func @main(%table: !T {tgraph.name = "table"}, %numbers: !I {tgraph.name = "rows"}) -> (!Y {tgraph.name = "y"}) {
  %y = tkernel.kernel @gather (%i : 4096, %j : 768) reads(%a = %table : !T, %b = %numbers : !I) -> !Y {
    %0 = tkernel.load %b[%i] : !I
    %1 = arith.index_cast %0 : i64 to index
    %2 = tkernel.load %a[%1, %j] : !T
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : !Y
}
