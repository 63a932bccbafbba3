// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// A product that is staged is computed where the stage is, in tiles of the last two dimensions of its buffer:
// points of j are a tile's rows there and a loop everywhere else. The tile of the last two points of j is
// smaller. The exponentials take the place of the product.
// CHECK-LABEL: ttile.func @attention
// CHECK:         %[[PANEL:.*]] = ttile.alloc : memref<3x4x8xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:     ttile.alloc
// CHECK:         scf.for {{.*}} = %c0 to %c2
// CHECK:           ttile.mma {{.*}} : tensor<1x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>
// CHECK:           ttile.store {{.*}} %[[PANEL]]
// CHECK:         ttile.mma {{.*}} tensor<2x8xf32>
// CHECK:         ttile.store {{.*}} %[[PANEL]]
// CHECK:         arith.maximumf {{.*}} : tensor<1x8xf32>
// CHECK:         ttile.load %[[PANEL]]
// CHECK:         math.exp
// CHECK:         ttile.store {{.*}} %[[PANEL]]
// CHECK:         arith.addf {{.*}} : tensor<1x8xf32>
// CHECK:         ttile.load %[[PANEL]]
// CHECK:         ttile.mma {{.*}} tensor<5x8xf32>
// CHECK-NOT:     ttile.inside
func.func @main(%x: tensor<16x3xf32>, %w: tensor<10x3xf32>, %z: tensor<10x5xf32>) -> tensor<16x5xf32> {
  %y = tkernel.kernel @attention (%i : 16, %j : 10, %d : 3, %e : 5) reads(%q = %x : tensor<16x3xf32>, %k = %w : tensor<10x3xf32>, %v = %z : tensor<10x5xf32>) -> tensor<16x5xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, il 8], split j = [jo, jr 4], grid [io], order [jo, jr, d], tile [e, il], stage s as (jo, jr, il) at grid local, keep p local, edge j peel]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<16x3xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<10x3xf32>
    %s = tkernel.contract %0, %1 over (%d) {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %3 = arith.subf %s, %m : f32
    %p = math.exp %3 {name = "p"} : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%j, %e] : tensor<10x5xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<16x5xf32>
}
