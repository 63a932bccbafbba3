// Sums that a maximum leads, in parts of their axis: each part under its own maximum, and the kernel that combines them.
// RUN: tensor-opt %s --kernel-stage-global | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --threads=2 --quiet
// RUN: tensor-run %s --check-every-kernel --threads=1 --quiet
// CHECK-LABEL: tkernel.kernel @attention_parts (%jp : 5, %h : 2, %i : 3, %ji : 12, %d : 16, %e : 8)
// CHECK-SAME:    -> (tensor<5x2x3xf32>, tensor<5x2x3xf32>, tensor<5x2x3x8xf32>)
// CHECK:         tkernel.load %{{.*}}[%h, %jp * 12 + %ji, %d]
// CHECK:         %[[M:.*]] = tkernel.reduce maximumf %{{.*}} over (%ji)
// CHECK:         %[[L:.*]] = tkernel.reduce addf %{{.*}} over (%ji)
// CHECK:         %[[O:.*]] = tkernel.contract %{{.*}} over(%ji) {name = "o"}
// CHECK-DAG:     tkernel.store %[[M]], 0[%jp, %h, %i]
// CHECK-DAG:     tkernel.store %[[L]], 1[%jp, %h, %i]
// CHECK-DAG:     tkernel.store %[[O]], 2[%jp, %h, %i, %e]
// CHECK-LABEL: tkernel.kernel @attention (%h : 2, %i : 3, %e : 8, %jp : 5)
// CHECK:         %[[OWN:.*]] = tkernel.load %{{.*}}[%jp, %h, %i]
// CHECK:         %[[ALL:.*]] = tkernel.reduce maximumf %[[OWN]] over (%jp)
// CHECK:         %[[LESS:.*]] = arith.subf %[[OWN]], %[[ALL]]
// CHECK:         math.exp %[[LESS]]
// CHECK-COUNT-2: tkernel.reduce addf %{{.*}} over (%jp)
// CHECK-LABEL: tkernel.kernel @masked_parts
// CHECK-SAME:    schedule = #tkernel.schedule<[split ji = [jo, jl 4], grid [jp, h, i], order [jo, jl, d], tile [e], online jo]>
!Q = tensor<2x3x16xf32>
!K = tensor<2x60x16xf32>
!V = tensor<2x60x8xf32>
func.func @main(%query: !Q {tgraph.name = "q"}, %key: !K {tgraph.name = "k"}, %value: !V {tgraph.name = "v"}) -> (tensor<2x3x8xf32> {tgraph.name = "o"}, tensor<2x3xf32> {tgraph.name = "lse"}, tensor<2x3x8xf32> {tgraph.name = "masked"}) {
  %y:2 = tkernel.kernel @attention (%h : 2, %i : 3, %j : 60, %d : 16, %e : 8) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> (tensor<2x3x8xf32>, tensor<2x3xf32>)
      attributes {schedule = #tkernel.schedule<[rfactor o over j = [jp, ji 12]]>} {
    %0 = tkernel.load %q[%h, %i, %d] : !Q
    %1 = tkernel.load %k[%h, %j, %d] : !K
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    %log = math.log %l : f32
    %lse = arith.addf %log, %m : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
    tkernel.store %lse, 1[%h, %i] : f32
  }
  // The first queries see a part of the first part, the others none of the last ones.
  %z = tkernel.kernel @masked (%h : 2, %i : 3, %j : 60, %d : 16, %e : 8) reads(%q = %query : !Q, %k = %key : !K, %v = %value : !V) -> tensor<2x3x8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor o over j = [jp, ji 12], split ji = [jo, jl 4], grid [jp, h, i], order [jo, jl, d], tile [e], online jo]>} {
    %never = arith.constant 0xFF800000 : f32
    %0 = tkernel.load %q[%h, %i, %d] : !Q
    %1 = tkernel.load %k[%h, %j, %d] : !K
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %last = affine.apply affine_map<(d0) -> (d0 * 20 + 5)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %s = arith.select %seen, %s0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%h, %j, %e] : !V
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  return %y#0, %y#1, %z : tensor<2x3x8xf32>, tensor<2x3xf32>, tensor<2x3x8xf32>
}
