// A maximum from the end of an axis that a split does not divide: what lies beyond the axis comes first, and counts
// for nothing.
// RUN: tensor-run %s --seed=1 --compare=interpreter --quiet
func.func @main(%x: tensor<49x1021xf64>) -> tensor<49x1021xf64> {
  %y = tkernel.kernel @k (%i : 49, %j : 1021) reads(%a = %x : tensor<49x1021xf64>) -> tensor<49x1021xf64> attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 8]]>} {
    %v0 = tkernel.load %a[%i, %j] : tensor<49x1021xf64>
    %v1 = tkernel.scan maximumf %v0 over %j reverse : f64
    tkernel.store %v1, 0[%i, %j] : f64
  }
  return %y : tensor<49x1021xf64>
}
