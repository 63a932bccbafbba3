// Every function of one operand and some of two, a sum, a row's softmax, a norm and a product.
!T = tensor<32x160xf32>
func.func @main(%x: !T {tgraph.name = "x"}, %y: !T {tgraph.name = "y"}, %w: tensor<160x48xf32> {tgraph.name = "w"}) -> (
    !T {tgraph.name = "exp"}, !T {tgraph.name = "log"}, !T {tgraph.name = "sqrt"}, !T {tgraph.name = "rsqrt"}, !T {tgraph.name = "reciprocal"},
    !T {tgraph.name = "sigmoid"}, !T {tgraph.name = "tanh"}, !T {tgraph.name = "erf"}, !T {tgraph.name = "sin"}, !T {tgraph.name = "cos"},
    !T {tgraph.name = "tan"}, !T {tgraph.name = "asin"}, !T {tgraph.name = "acos"}, !T {tgraph.name = "atan"}, !T {tgraph.name = "sinh"},
    !T {tgraph.name = "cosh"}, !T {tgraph.name = "asinh"}, !T {tgraph.name = "acosh"}, !T {tgraph.name = "atanh"}, !T {tgraph.name = "round"},
    !T {tgraph.name = "div"}, !T {tgraph.name = "pow"}, !T {tgraph.name = "rem"}, !T {tgraph.name = "minimum"}, !T {tgraph.name = "maximum"},
    !T {tgraph.name = "softmax"}, tensor<32xf32> {tgraph.name = "sum"}, tensor<160xf32> {tgraph.name = "columns"}, tensor<32x48xf32> {tgraph.name = "product"}) {
  %exp = tgraph.exp %x : !T
  %log = tgraph.log %x : !T
  %sqrt = tgraph.sqrt %x : !T
  %rsqrt = tgraph.rsqrt %x : !T
  %reciprocal = tgraph.reciprocal %x : !T
  %sigmoid = tgraph.sigmoid %x : !T
  %tanh = tgraph.tanh %x : !T
  %erf = tgraph.erf %x : !T
  %sin = tgraph.sin %x : !T
  %cos = tgraph.cos %x : !T
  %tan = tgraph.tan %x : !T
  %asin = tgraph.asin %x : !T
  %acos = tgraph.acos %x : !T
  %atan = tgraph.atan %x : !T
  %sinh = tgraph.sinh %x : !T
  %cosh = tgraph.cosh %x : !T
  %asinh = tgraph.asinh %x : !T
  %acosh = tgraph.acosh %x : !T
  %atanh = tgraph.atanh %x : !T
  %round = tgraph.round %x : !T
  %div = tgraph.div %x, %y : !T
  %pow = tgraph.pow %x, %y : !T
  %rem = tgraph.rem %x, %y : !T
  %minimum = tgraph.minimum %x, %y : !T
  %maximum = tgraph.maximum %x, %y : !T
  %softmax = tgraph.softmax %y dim 1 : !T
  %sum = tgraph.reduce add %y dims [1] : !T -> tensor<32xf32>
  %columns = tgraph.reduce add %y dims [0] : !T -> tensor<160xf32>
  %product = tgraph.contract "mk,kn->mn" %y, %w : !T, tensor<160x48xf32> -> tensor<32x48xf32>
  return %exp, %log, %sqrt, %rsqrt, %reciprocal, %sigmoid, %tanh, %erf, %sin, %cos, %tan, %asin, %acos, %atan, %sinh, %cosh, %asinh, %acosh, %atanh, %round,
    %div, %pow, %rem, %minimum, %maximum, %softmax, %sum, %columns, %product : !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T, !T,
    !T, tensor<32xf32>, tensor<160xf32>, tensor<32x48xf32>
}
