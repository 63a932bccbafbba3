// RUN: tensor-compile %s --target=host:x86-64-v4 --to=code -o /dev/null
// RUN: tensor-run %s --threads=7 --compare=interpreter --quiet

// A function that all threads of a team compute for what they share: it stays as it is, as nothing is stored outside of their loops.
func.func @main(%x: tensor<28x32xf32> {tgraph.name = "x"}, %z: tensor<6xf32> {tgraph.name = "z"}) -> tensor<6x28x32xf32> {
  %0 = tkernel.kernel @k (%m : 28, %n : 32, %j : 6) reads(%a = %x : tensor<28x32xf32>, %b = %z : tensor<6xf32>) -> tensor<6x28x32xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 14], order [mo, j], team [j], tile [mr, n]]>} {
    %p = tkernel.load %a[%m, %n] {name = "v"} : tensor<28x32xf32>
    %e = math.erf %p : f32
    %e2 = math.tanh %e : f32
    %q = tkernel.load %b[%j] : tensor<6xf32>
    %s = arith.mulf %e2, %q : f32
    tkernel.store %s, 0[%j, %m, %n] : f32
  }
  return %0 : tensor<6x28x32xf32>
}
