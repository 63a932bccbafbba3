// fuzz: tensor-compile -o /dev/null --target=opencl
func.func @fetched(%x: tensor<1000x4096xf32>, %y: tensor<1000x9223372036854775807xf32>) -> (tensor<1000xf32>, tensor<1000x9223372036854775807xf32>) {
  %0 = tkernel.kernel (%i : 1000, %j : 4096) reads(%a = %x : tensor<1000x4096xf32>) -> tensor<1000xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<1000x4096xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  %1 = tkernel.kernel (%i : 1000, %j : 9223372036854775807) reads(%a = %y : tensor<1000x9223372036854775807xf32>) -> tensor<1000x9223372036854775807xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<1000x9223372036854775807xf32>
    %s = tkernel.reduce addf %v over (%j) :f32
    %d = arith.subf %v, %s : f32
    tkernel.store %d, 0[%i, %j] : f32
  }
  return %0, %1 : tensor<1000xf32>,tensor<1000x9223372036854775807xf32>
}
