// Quantised tensors in reductions, windows, scatters and sorts, their bits, and as what a function takes.
!a = !quant.uniform<i8:f32, 0.5:3>
!b = !quant.uniform<i8:f32, 4.0:-10>
module {
func.func public @main(%q: tensor<3x4x!a>, %i: tensor<2x1xi32>, %u: tensor<2x4x!a>) -> (tensor<3x!b>, tensor<4x!a>, tensor<3x3x!a>, tensor<3x4x!a>, tensor<3x4x!a>, tensor<3x4xi8>, tensor<3x4x!a>, tensor<3x2x!a>) {
  %zero = "stablehlo.constant"() <{value = dense<3> : tensor<i8>}> : () -> tensor<!a>
  %zeroB = "stablehlo.constant"() <{value = dense<-10> : tensor<i8>}> : () -> tensor<!b>
  %least = "stablehlo.constant"() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!a>
  %wide = stablehlo.uniform_quantize %q : (tensor<3x4x!a>) -> tensor<3x4x!b>
  %0 = "stablehlo.reduce"(%wide, %zeroB) <{dimensions = array<i64: 1>}> ({
  ^bb0(%x: tensor<!b>, %y: tensor<!b>):
    %s = stablehlo.add %x, %y : tensor<!b>
    stablehlo.return %s : tensor<!b>
  }) : (tensor<3x4x!b>, tensor<!b>) -> tensor<3x!b>
  %1 = "stablehlo.reduce"(%q, %least) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<!a>, %y: tensor<!a>):
    %s = stablehlo.maximum %x, %y : tensor<!a>
    stablehlo.return %s : tensor<!a>
  }) : (tensor<3x4x!a>, tensor<!a>) -> tensor<4x!a>
  %2 = "stablehlo.reduce_window"(%q, %least) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%x: tensor<!a>, %y: tensor<!a>):
    %s = stablehlo.maximum %x, %y : tensor<!a>
    stablehlo.return %s : tensor<!a>
  }) : (tensor<3x4x!a>, tensor<!a>) -> tensor<3x3x!a>
  %3 = "stablehlo.scatter"(%q, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<!a>, %y: tensor<!a>):
    %s = stablehlo.add %x, %y : tensor<!a>
    stablehlo.return %s : tensor<!a>
  }) : (tensor<3x4x!a>, tensor<2x1xi32>, tensor<2x4x!a>) -> tensor<3x4x!a>
  %4 = "stablehlo.sort"(%q) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<!a>, %y: tensor<!a>):
    %s = stablehlo.compare LT, %x, %y : (tensor<!a>, tensor<!a>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<3x4x!a>) -> tensor<3x4x!a>
  %5 = stablehlo.bitcast_convert %q : (tensor<3x4x!a>) -> tensor<3x4xi8>
  %6 = stablehlo.composite "own.twice" %q {decomposition = @twice} : (tensor<3x4x!a>) -> tensor<3x4x!a>
  %7, %8 = "chlo.top_k"(%q) <{k = 2 : i64}> : (tensor<3x4x!a>) -> (tensor<3x2x!a>, tensor<3x2xi32>)
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3x!b>, tensor<4x!a>, tensor<3x3x!a>, tensor<3x4x!a>, tensor<3x4x!a>, tensor<3x4xi8>, tensor<3x4x!a>, tensor<3x2x!a>
}
func.func private @twice(%x: tensor<3x4x!a>) -> tensor<3x4x!a> {
  %0 = stablehlo.add %x, %x : tensor<3x4x!a>
  return %0 : tensor<3x4x!a>
}
}
