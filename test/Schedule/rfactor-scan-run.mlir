// Scans in parts give what whole ones do: from either end, with and without the point itself, behind other ops.
// RUN: tensor-run %s --compare=interpreter --threads=2 --quiet
// RUN: tensor-run %s --check-every-kernel --threads=1 --quiet
func.func @main(%x: tensor<3x1009xf32> {tgraph.name = "x"}, %w: tensor<1009x5xi32> {tgraph.name = "w"})
    -> (tensor<3x1009xf32> {tgraph.name = "rows"}, tensor<1009x5xi32> {tgraph.name = "across"}) {
  %p = tkernel.kernel @rows (%i : 3, %j : 1009) reads(%a = %x : tensor<3x1009xf32>) -> tensor<3x1009xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [jp, ji 100], grid [jp], order [ji], tile [i]]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<3x1009xf32>
    %1 = math.absf %0 : f32
    %2 = tkernel.scan maximumf %1 over %j {name = "s"} : f32
    %3 = arith.addf %2, %0 : f32
    tkernel.store %3, 0[%i, %j] : f32
  }
  %q = tkernel.kernel @across (%j : 1009, %c : 5) reads(%a = %w : tensor<1009x5xi32>) -> tensor<1009x5xi32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [jp, ji 128]]>} {
    %0 = tkernel.load %a[%j, %c] : tensor<1009x5xi32>
    %1 = tkernel.scan addi %0 over %j exclusive reverse {name = "s"} : i32
    tkernel.store %1, 0[%j, %c] : i32
  }
  return %p, %q : tensor<3x1009xf32>, tensor<1009x5xi32>
}
