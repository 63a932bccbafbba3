// RUN: tensor-run %s --compare=interpreter --quiet --no-cache --target=host:x86-64-v3
// RUN: tensor-compile %s --target=host:x86-64-v4 -o %t
// A search comes to a list with an online mean whose result is needed where its loop ends: that has no loops, and had
// been looked for without an end.
func.func @main(%x0: tensor<5x3x32xf32>, %x1: tensor<5x3x2xf32>) -> (tensor<5x2x31xf32>) {
  %y:1 = tkernel.kernel @k (%c : 5, %p0 : 2, %r0 : 3, %t0 : 3, %p1 : 31, %r1 : 2, %t1 : 3) reads(%a0 = %x0 : tensor<5x3x32xf32>, %a1 = %x1 : tensor<5x3x2xf32>) -> tensor<5x2x31xf32> {
    %v0 = tkernel.load %a0[%c, 2 * %p0 + %r0 - 1 + %t0 - 1, %p1 + %r1 - 0 + %t1 - 1] else 0.0 : tensor<5x3x32xf32>
    %v1 = tkernel.reduce maximumf %v0 over (%t0, %t1) : f32
    %v2 = arith.constant 0 : index
    %v3 = affine.apply affine_map<(d0, d1) -> (2 * d0 + d1 - 1)>(%p0, %r0)
    %v4 = arith.cmpi sge, %v3, %v2 : index
    %v5 = affine.apply affine_map<(d0, d1) -> (2 - (2 * d0 + d1 - 1))>(%p0, %r0)
    %v6 = arith.cmpi sge, %v5, %v2 : index
    %v7 = arith.andi %v4, %v6 : i1
    %v8 = affine.apply affine_map<(d0, d1) -> (d0 + d1 - 0)>(%p1, %r1)
    %v9 = arith.cmpi sge, %v8, %v2 : index
    %v10 = arith.andi %v7, %v9 : i1
    %v11 = affine.apply affine_map<(d0, d1) -> (31 - (d0 + d1 - 0))>(%p1, %r1)
    %v12 = arith.cmpi sge, %v11, %v2 : index
    %v13 = arith.andi %v10, %v12 : i1
    %v14 = arith.constant 0.0 : f32
    %v15 = arith.select %v13, %v1, %v14 : f32
    %v16 = tkernel.load %a1[%c, %r0, %r1] : tensor<5x3x2xf32>
    %v17 = tkernel.contract %v15, %v16 over (%r0, %r1) : f32
    tkernel.store %v17, 0[%c, %p0, %p1] : f32
  }
  return %y#0 : tensor<5x2x31xf32>
}
