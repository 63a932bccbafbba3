// fuzz: tensor-compile -o /dev/null --target=amd:gfx942
func.func @main(%x: tensor<4x4294967296xf32> {tgraph.name = "x"}, %b: tensor<20xf32>) -> (tensor<4x20xf32> {tgraph.name = "y"}) {
  %w = tgraph.constant dense<1.0> : tensor<4294967296x20xf32>
  %y = tkernel.kernel @gemm (%i : 4, %j : 20, %k : 4294967296) reads(%a = %x : tensor<4x4294967296xf32>, %bb = %w : tensor<4294967296x20xf32>, %c = %b : tensor<20xf32>) -> tensor<4x20xf32>
      attributes {schedule = #tkernel.schedule<[order [k], tile [i, j]]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<4x4294967296xf32>
    %1 = tkernel.load %bb[%k, %j] : tensor<4294967296x20xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %c[%j] : tensor<20xf32>
    %4 = arith.addf %2, %3 : f32
    %z = arith.constant 0.0 : f32
    %5 = arith.maximumf %4, %z : f32
    tkernel.store %5, 0[%i, %j] : f32
  }
  return %y : tensor<4x20xf32>
}
