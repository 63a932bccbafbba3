// Kernels of two stores: one that nothing reads, and two over axes of their own.
func.func @main(%x: tensor<97xf32> {tgraph.name = "x"}, %m: tensor<200x64xf32> {tgraph.name = "m"})
    -> (tensor<200xf32> {tgraph.name = "live"}, tensor<200xf32> {tgraph.name = "sum"}, tensor<97xf32> {tgraph.name = "exp"}) {
  %y:2 = tkernel.kernel @dead (%i : 200, %j : 64) reads(%a = %m : tensor<200x64xf32>) -> (tensor<200xf32>, tensor<200x64xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<200x64xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    %2 = math.exp %0 : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %2, 1[%i, %j] : f32
  }
  %z:2 = tkernel.kernel @two (%i : 200, %j : 97, %k : 64) reads(%a = %m : tensor<200x64xf32>, %b = %x : tensor<97xf32>) -> (tensor<200xf32>, tensor<97xf32>) {
    %0 = tkernel.load %a[%i, %k] : tensor<200x64xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    %2 = tkernel.load %b[%j] : tensor<97xf32>
    %3 = math.exp %2 : f32
    tkernel.store %1, 0[%i] : f32
    tkernel.store %3, 1[%j] : f32
  }
  return %y#0, %z#0, %z#1 : tensor<200xf32>, tensor<200xf32>, tensor<97xf32>
}
