// A sum that is kept in a result, which another store fills before the last reader of the sum: no list does that.
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=1 --compare=interpreter --quiet --no-cache
// RUN: tensor-run %s --target=host:x86-64-v3 --option=threads=2 --compare=interpreter --quiet --no-cache
// RUN: tensor-run %s --compare=interpreter --quiet --no-cache
func.func @main(%x0: tensor<32x17x96xf32>, %x1: tensor<96x17x32xf32>, %x2: tensor<32x96xf32>, %x3: tensor<17x32xf32>) -> (tensor<96x32xf32>, tensor<96x17x32xf32>) {
  %y:2 = tkernel.kernel @k (%i : 96, %j : 17, %k : 32) reads(%a0 = %x0 : tensor<32x17x96xf32>, %a1 = %x1 : tensor<96x17x32xf32>, %a2 = %x2 : tensor<32x96xf32>, %a3 = %x3 : tensor<17x32xf32>) -> (tensor<96x32xf32>, tensor<96x17x32xf32>) {
    %v0 = tkernel.load %a0[%k, %j, %i] : tensor<32x17x96xf32>
    %v1 = tkernel.scan maximumf %v0 over %k : f32
    %v4 = tkernel.reduce addf %v1 over (%k) : f32
    %v5 = tkernel.load %a2[%k, %i] : tensor<32x96xf32>
    %v6 = tkernel.load %a3[%j, %k] : tensor<17x32xf32>
    %v7 = tkernel.contract %v4, %v6 over (%j) : f32
    %v8 = arith.subf %v4, %v7 : f32
    tkernel.store %v5, 0[%i, %k] : f32
    tkernel.store %v8, 1[%i, %j, %k] : f32
  }
  return %y#0, %y#1 : tensor<96x32xf32>, tensor<96x17x32xf32>
}
