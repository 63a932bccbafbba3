// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s

// A reduction that another one needs starts a new loop over the axis: three stages. The last, partial
// iteration is peeled; only there lanes beyond the axis are replaced by the identity.
// CHECK-LABEL: ttile.func @softmax
// CHECK:   scf.for {{.*}} = %c0 to %c6
// CHECK:     arith.maximumf
// CHECK:   ttile.inside
// CHECK:   arith.select
// CHECK:   ttile.reduce maximumf %{{.*}} dims [0] : tensor<16xf32> -> tensor<1xf32>
// CHECK:   scf.for {{.*}} = %c0 to %c6
// CHECK:     math.exp
// CHECK:     arith.addf
// CHECK:   ttile.reduce addf
// CHECK:   scf.for {{.*}} = %c0 to %c6
// CHECK:     math.exp
// CHECK:     arith.divf
// CHECK:     ttile.store
// CHECK:   ttile.store

// CHECK-LABEL: ttile.func @argmax
// CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<16xf32>, tensor<16xi64>)
// CHECK:   ttile.reduce %{{.*}}, %{{.*}} dims [0] identities [0xFF800000 : f32, 9223372036854775807]
// CHECK:     ttile.yield
func.func @main(%x: tensor<4x100xf32>) -> (tensor<4x100xf32>, tensor<4xi64>) {
  %y = tkernel.kernel @softmax (%i : 4, %j : 100) reads(%a = %x : tensor<4x100xf32>) -> tensor<4x100xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], grid [i], order [jo], tile [ji], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x100xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  %z = tkernel.kernel @argmax (%i : 4, %j : 100) reads(%a = %x : tensor<4x100xf32>) -> tensor<4xi64>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], grid [i], order [jo], tile [ji], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x100xf32>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %c = arith.cmpf ogt, %v0, %a0 : f32
      %r0 = arith.select %c, %v0, %a0 : f32
      %r1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y, %z : tensor<4x100xf32>, tensor<4xi64>
}
