// Weights of keys that are not summed are computed where the second product is, for each part of its results: not in
// the place of the scores, which the next part needs again.
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --target=host:x86-64-v3 --compare=interpreter --quiet
func.func @main(%q0: tensor<1x64xf32>, %k0: tensor<129x64xf32>, %v0: tensor<129x33xf32>, %q1: tensor<15x8xf32>, %k1: tensor<64x8xf32>, %v1: tensor<64x64xf32>) -> (tensor<1x33xf32>, tensor<15x64xf32>) {
  %y0 = tkernel.kernel @one (%i : 1, %j : 129, %d : 64, %e : 33) reads(%qs = %q0 : tensor<1x64xf32>, %ks = %k0 : tensor<129x64xf32>, %vs = %v0 : tensor<129x33xf32>) -> tensor<1x33xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<1x64xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<129x64xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<129x33xf32>
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %2 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  %y1 = tkernel.kernel @fifteen (%i : 15, %j : 64, %d : 8, %e : 64) reads(%qs = %q1 : tensor<15x8xf32>, %ks = %k1 : tensor<64x8xf32>, %vs = %v1 : tensor<64x64xf32>) -> tensor<15x64xf32> {
    %0 = tkernel.load %qs[%i, %d] : tensor<15x8xf32>
    %1 = tkernel.load %ks[%j, %d] : tensor<64x8xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %2 = tkernel.load %vs[%j, %e] : tensor<64x64xf32>
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %2 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y0, %y1 : tensor<1x33xf32>, tensor<15x64xf32>
}
