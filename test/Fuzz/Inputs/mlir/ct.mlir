// fuzz: tensor-compile -o /dev/null --target=host,opencl
func.func @fetched(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = tkernel.kernel @fetched (%f : 4, %c : 8) reads(%in = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tkernel.load %in[%f, %c] : tensor<4x8xf32>
    %2 = tkernel.contract %0, %0 over () : f32
    tkernel.store %2, 0[%f, %c] : f32
  }
  return %y : tensor<4x8xf32>
}
