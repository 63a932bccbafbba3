// RUN: tensor-opt %s --graph-decompose --graph-to-view --view-to-kernel --kernel-fuse --kernel-verify | FileCheck %s

// A chain becomes one kernel; views are read through.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: tkernel.kernel @neg_add_exp (%i : 4, %j : 6) reads(%[[A:.*]] = %arg0 : tensor<6x4xf32>, %[[B:.*]] = %arg1 : tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[X:.*]] = tkernel.load %[[A]][%j, %i] : tensor<6x4xf32>
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tkernel.load %[[B]][%j] : tensor<6xf32>
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[N]], %[[Y]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[S]]
// CHECK-NEXT: tkernel.store %[[E]], 0[%i, %j] : f32
func.func @chain(%x: tensor<6x4xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = tgraph.neg %x : tensor<6x4xf32>
  %1 = tgraph.permute %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %2 = tgraph.reshape %b : tensor<6xf32> -> tensor<1x6xf32>
  %3 = tgraph.expand %2 : tensor<1x6xf32> -> tensor<4x6xf32>
  %4 = tgraph.add %1, %3 : tensor<4x6xf32>
  %5 = tgraph.exp %4 : tensor<4x6xf32>
  return %5 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @gemm
// CHECK-COUNT-1: tkernel.kernel @contract_add_relu (%m : 4, %n : 8, %k : 16)
// CHECK: %[[C:.*]] = tkernel.contract %{{.*}}, %{{.*}} over(%k) : f32
// CHECK: %[[B:.*]] = tkernel.load %{{.*}}[%n] : tensor<8xf32>
// CHECK: %[[S:.*]] = arith.addf %[[C]], %[[B]] : f32
// CHECK: %[[R:.*]] = arith.maximumf %[[S]], %cst : f32
// CHECK: tkernel.store %[[R]], 0[%m, %n] : f32
func.func @gemm(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %1 = tgraph.reshape %b : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tgraph.expand %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tgraph.add %0, %2 : tensor<4x8xf32>
  %4 = tgraph.relu %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Conv, batch norm, skip connection and relu are one kernel, the pool another; the skip is stored.
// CHECK-LABEL: func.func @block
// CHECK: %[[C:.*]] = tkernel.kernel @conv_mul_add_relu (%o : 3, %p : 8, %q : 8, %c : 3, %r : 3, %s : 3)
// CHECK: %[[L:.*]] = tkernel.load %{{.*}}[0, %c, %p + %r - 1, %q + %s - 1] : tensor<1x3x8x8xf32>
// CHECK: tkernel.contract %[[L]], %{{.*}} over(%c, %r, %s) : f32
// CHECK: math.sqrt
// CHECK: tkernel.load %{{.*}}[0, %o, %p, %q] : tensor<1x3x8x8xf32>
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK: tkernel.kernel @window (%c : 3, %p : 4, %q : 4, %r : 3, %s : 3) reads(%[[P:.*]] = %[[C]] : tensor<1x3x8x8xf32>)
// CHECK-NEXT: tkernel.load %[[P]][0, %c, %p * 2 + %r - 1, %q * 2 + %s - 1] else 0xFF800000 : tensor<1x3x8x8xf32>
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @block(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>,
    %mean: tensor<3xf32>, %var: tensor<3xf32>) -> tensor<1x3x4x4xf32> {
  %0 = tgraph.conv %x, %w strides [1, 1] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1
      : tensor<1x3x8x8xf32>, tensor<3x3x3x3xf32> -> tensor<1x3x8x8xf32>
  %1 = tgraph.batch_norm %0, %s, %b, %mean, %var eps 1.0e-5 : tensor<1x3x8x8xf32>, tensor<3xf32>
  %2 = tgraph.add %1, %x : tensor<1x3x8x8xf32>
  %3 = tgraph.relu %2 : tensor<1x3x8x8xf32>
  %4 = tgraph.window max %3 window [1, 1, 3, 3] strides [1, 1, 2, 2] dilations [1, 1, 1, 1]
      pad_low [0, 0, 1, 1] pad_high [0, 0, 0, 0] : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>
  return %4 : tensor<1x3x4x4xf32>
}

// A pad is read through by the conv, whose own padding comes first.
// CHECK-LABEL: func.func @padded_conv
// CHECK-COUNT-1: tkernel.kernel @conv
// CHECK: tkernel.load %{{.*}} through #tview.map<{{.*}} else 0.000000e+00 : f32], else 1.000000e+00 : f32>(%p, %c, %r)
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @padded_conv(%x: tensor<1x2x8xf32>, %w: tensor<3x2x3xf32>) -> tensor<1x3x10xf32> {
  %0 = tgraph.pad %x low [0, 0, 1] high [0, 0, 1] value 1.0 : f32 : tensor<1x2x8xf32> -> tensor<1x2x10xf32>
  %1 = tgraph.conv %0, %w strides [1] dilations [1] pad_low [1] pad_high [1] groups 1
      : tensor<1x2x10xf32>, tensor<3x2x3xf32> -> tensor<1x3x10xf32>
  return %1 : tensor<1x3x10xf32>
}

// Elementwise values enter a reduction, which computes each once, but no contraction, which would
// compute them again for each n; a cast may.
// CHECK-LABEL: func.func @into_reductions
// CHECK: tkernel.kernel @exp_reduce
// CHECK: %[[E:.*]] = tkernel.kernel @exp
// CHECK: tkernel.kernel @cast_contract (%m : 4, %n : 3, %k : 8) reads(%[[A:.*]] = %[[E]] : tensor<4x8xf32>, %[[B:.*]] = %arg1 : tensor<8x3xi32>)
// CHECK: arith.sitofp
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @into_reductions(%x: tensor<4x8xf32>, %w: tensor<8x3xi32>) -> (tensor<4xf32>, tensor<4x3xf32>) {
  %0 = tgraph.exp %x : tensor<4x8xf32>
  %1 = tgraph.reduce add %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %2 = tgraph.exp %x : tensor<4x8xf32>
  %3 = tgraph.cast %w : tensor<8x3xi32> to tensor<8x3xf32>
  %4 = tgraph.contract "mk,kn->mn" %2, %3 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %1, %4 : tensor<4xf32>, tensor<4x3xf32>
}

// What the sum and the division read is made once: whether both compute it is a question of price.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-4: tkernel.kernel
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tgraph.softmax %x dim 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK-COUNT-4: tkernel.kernel
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @layer_norm(%x: tensor<2x4x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tgraph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> dims [2] eps 1.0e-5 : tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// All readers of the contraction end in one kernel, so it becomes its epilogue.
// CHECK-LABEL: func.func @gelu
// CHECK-COUNT-1: tkernel.kernel @contract_
// CHECK: %[[C:.*]] = tkernel.contract
// CHECK-DAG: arith.mulf %[[C]], %cst
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @gelu(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = tgraph.contract "mk,kn->mn" %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = tgraph.gelu erf %0 : tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Heads: the split of the last axis is made once, so no index is divided.
// CHECK-LABEL: func.func @heads
// CHECK-COUNT-1: tkernel.kernel @contract (%b : 2, %m : 5, %h : 3, %n : 4, %k : 7)
// CHECK-NOT: floordiv
// CHECK: tkernel.store %{{.*}}, 0[%b, %m, %n + %h * 4] : f32
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @heads(%p: tensor<2x3x5x7xf32>, %v: tensor<2x3x7x4xf32>) -> tensor<2x5x12xf32> {
  %0 = tgraph.contract "bhmk,bhkn->bhmn" %p, %v : tensor<2x3x5x7xf32>, tensor<2x3x7x4xf32> -> tensor<2x3x5x4xf32>
  %1 = tgraph.permute %0 [0, 2, 1, 3] : tensor<2x3x5x4xf32> -> tensor<2x5x3x4xf32>
  %2 = tgraph.reshape %1 : tensor<2x5x3x4xf32> -> tensor<2x5x12xf32>
  return %2 : tensor<2x5x12xf32>
}

// Where the address divides nothing, axes stay whole.
// CHECK-LABEL: func.func @flatten
// CHECK-COUNT-1: tkernel.kernel @contract (%n : 5, %k : 36)
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @flatten(%x: tensor<1x4x3x3xf32>, %w: tensor<5x36xf32>) -> tensor<1x5xf32> {
  %0 = tgraph.reshape %x : tensor<1x4x3x3xf32> -> tensor<1x36xf32>
  %1 = tgraph.contract "mk,nk->mn" %0, %w : tensor<1x36xf32>, tensor<5x36xf32> -> tensor<1x5xf32>
  return %1 : tensor<1x5xf32>
}

// A reduction with two readers is stored; so is one that is read several times per element.
// CHECK-LABEL: func.func @stored
// CHECK: %[[R:.*]] = tkernel.kernel @reduce (%i : 4, %j : 8)
// CHECK: tkernel.kernel @exp (%i : 4) reads(%{{.*}} = %[[R]] : tensor<4xf32>)
// CHECK: tkernel.kernel @add (%i : 4, %j : 8) reads(%{{.*}} = %arg0 : tensor<4x8xf32>, %{{.*}} = %[[R]] : tensor<4xf32>)
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @stored(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  %0 = tgraph.reduce max %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tgraph.exp %0 : tensor<4xf32>
  %2 = tgraph.reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
  %3 = tgraph.expand %2 : tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = tgraph.add %x, %3 : tensor<4x8xf32>
  return %1, %4 : tensor<4xf32>, tensor<4x8xf32>
}

// What several read is stored, cheap or dear.
// CHECK-LABEL: func.func @shared
// CHECK: %[[N:.*]] = tkernel.kernel @neg
// CHECK: tkernel.kernel @exp (%i : 4) reads(%{{.*}} = %[[N]] : tensor<4xf32>)
// CHECK: tkernel.kernel @sin (%i : 4) reads(%{{.*}} = %[[N]] : tensor<4xf32>)
// CHECK: %[[T:.*]] = tkernel.kernel @tanh_tan
// CHECK: tkernel.kernel @exp (%i : 4) reads(%{{.*}} = %[[T]] : tensor<4xf32>)
// CHECK: tkernel.kernel @sin (%i : 4) reads(%{{.*}} = %[[T]] : tensor<4xf32>)
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tgraph.neg %x : tensor<4xf32>
  %1 = tgraph.exp %0 : tensor<4xf32>
  %2 = tgraph.sin %0 : tensor<4xf32>
  %3 = tgraph.tanh %x : tensor<4xf32>
  %4 = tgraph.tan %3 : tensor<4xf32>
  %5 = tgraph.exp %4 : tensor<4xf32>
  %6 = tgraph.sin %4 : tensor<4xf32>
  return %1, %2, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Nothing is read through a materialize.
// CHECK-LABEL: func.func @materialize
// CHECK: %[[M:.*]] = tkernel.kernel @materialize (%i : 4, %j : 2)
// CHECK: tkernel.kernel @neg (%i : 4, %j : 2) reads(%{{.*}} = %[[M]] : tensor<4x2xf32>)
func.func @materialize(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = tgraph.permute %x [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %1 = tview.materialize %0 : tensor<4x2xf32>
  %2 = tgraph.neg %1 : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// An embedding: the rows are read where they are added.
// CHECK-LABEL: func.func @embedding
// CHECK-COUNT-1: tkernel.kernel @gather_add (%i : 3, %j : 4)
// CHECK: %[[X:.*]] = arith.index_cast
// CHECK: tkernel.load %{{.*}}[%[[X]], %j] : tensor<9x4xf32>
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @embedding(%t: tensor<9x4xf32>, %i: tensor<3xi64>, %p: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = tgraph.gather %t, %i {axis = 0 : i64} : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  %1 = tgraph.add %0, %p : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// Fifteen operands and a result are all that a kernel binds: the last sum is not taken in.
// CHECK-LABEL: func.func @bindings
// CHECK-COUNT-2: tkernel.kernel @add
// CHECK-NOT: tkernel.kernel
// CHECK: return
func.func @bindings(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>,
    %e: tensor<4xf32>, %f: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %i: tensor<4xf32>,
    %j: tensor<4xf32>, %k: tensor<4xf32>, %l: tensor<4xf32>, %m: tensor<4xf32>, %n: tensor<4xf32>,
    %o: tensor<4xf32>, %p: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tgraph.add %a, %b : tensor<4xf32>
  %1 = tgraph.add %0, %c : tensor<4xf32>
  %2 = tgraph.add %1, %d : tensor<4xf32>
  %3 = tgraph.add %2, %e : tensor<4xf32>
  %4 = tgraph.add %3, %f : tensor<4xf32>
  %5 = tgraph.add %4, %g : tensor<4xf32>
  %6 = tgraph.add %5, %h : tensor<4xf32>
  %7 = tgraph.add %6, %i : tensor<4xf32>
  %8 = tgraph.add %7, %j : tensor<4xf32>
  %9 = tgraph.add %8, %k : tensor<4xf32>
  %10 = tgraph.add %9, %l : tensor<4xf32>
  %11 = tgraph.add %10, %m : tensor<4xf32>
  %12 = tgraph.add %11, %n : tensor<4xf32>
  %13 = tgraph.add %12, %o : tensor<4xf32>
  %14 = tgraph.add %13, %p : tensor<4xf32>
  return %14 : tensor<4xf32>
}

// A scanned axis of extent 1 that neither the load nor the store needs: nothing to inline, no crash.
// CHECK-LABEL: func.func @unit_scan
// CHECK: tkernel.scan mins
// CHECK: tkernel.kernel @scan
// CHECK: return
func.func @unit_scan(%x: tensor<1xi8>) -> tensor<1xi8> {
  %0 = tgraph.scan min %x dim 0 {exclusive} : tensor<1xi8>
  %1 = tgraph.scan max %0 dim 0 : tensor<1xi8>
  return %1 : tensor<1xi8>
}

// A sum that is the same for each point of an axis of the result is computed once, and read along it.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[ONCE:.*]] = tkernel.kernel @{{.*}} (%[[J:.*]] : 64, %[[K:.*]] : 32) {{.*}} -> tensor<64xf32> {
// CHECK:   %[[S:.*]] = tkernel.reduce addf %{{.*}} over (%[[K]])
// CHECK:   tkernel.store %[[S]], 0[%[[J]]]
// CHECK: tkernel.kernel @view (%[[I:.*]] : 16, %[[J:.*]] : 64) reads(%[[A:.*]] = %[[ONCE]] : tensor<64xf32>) -> tensor<16x64xf32> {
// CHECK-NEXT: %[[V:.*]] = tkernel.load %[[A]][%[[J]]]
// CHECK-NEXT: tkernel.store %[[V]], 0[%[[I]], %[[J]]]
func.func @repeated(%x: tensor<64x32xf32>) -> tensor<16x64xf32> {
  %0 = tgraph.reshape %x : tensor<64x32xf32> -> tensor<1x64x32xf32>
  %1 = tgraph.expand %0 : tensor<1x64x32xf32> -> tensor<16x64x32xf32>
  %2 = tgraph.exp %1 : tensor<16x64x32xf32>
  %3 = tgraph.reduce add %2 dims [2] : tensor<16x64x32xf32> -> tensor<16x64xf32>
  return %3 : tensor<16x64xf32>
}

// A scatter comes to an element in the order of its axes, so that it takes in what is scanned along the last of them
// alone: along another one a loop of the scatter would lie within the scan's.
// CHECK-LABEL: func.func @scattered_scans
// CHECK: tkernel.kernel @scan (%{{.*}} : 4, %[[J:.*]] : 6) {{.*}} -> tensor<4x6xf32>
// CHECK: tkernel.kernel @scatter{{.*}} (%[[I:.*]] : 4, %[[J:.*]] : 6) {{.*}} -> tensor<9xf32>
// CHECK: tkernel.kernel @scan{{.*}}scatter{{.*}} (%[[I:.*]] : 4, %[[J:.*]] : 6) {{.*}} -> tensor<9xf32>
// CHECK: return
func.func @scattered_scans(%x: tensor<9xf32>, %u: tensor<4x6xf32>, %i: tensor<4x6xi64>) -> (tensor<9xf32>, tensor<9xf32>) {
  %0 = tgraph.scan add %u dim 0 : tensor<4x6xf32>
  %1 = tgraph.scatter add %x, %0 at %i {axis = 0 : i64} : tensor<9xf32>, tensor<4x6xf32> at tensor<4x6xi64> -> tensor<9xf32>
  %2 = tgraph.scan add %u dim 1 : tensor<4x6xf32>
  %3 = tgraph.scatter add %x, %2 at %i {axis = 0 : i64} : tensor<9xf32>, tensor<4x6xf32> at tensor<4x6xi64> -> tensor<9xf32>
  return %1, %3 : tensor<9xf32>, tensor<9xf32>
}

// Nor does it take in a product, whose rows would be computed one at a time.
// CHECK-LABEL: func.func @scattered_product
// CHECK: tkernel.kernel @contract
// CHECK: tkernel.kernel @scatter
// CHECK: return
func.func @scattered_product(%x: tensor<9x8xf32>, %u: tensor<6x5xf32>, %w: tensor<5x8xf32>, %i: tensor<6xi64>) -> tensor<9x8xf32> {
  %0 = tgraph.contract "ab,bc->ac" %u, %w : tensor<6x5xf32>, tensor<5x8xf32> -> tensor<6x8xf32>
  %1 = tgraph.scatter add %x, %0 at %i {axis = 0 : i64} : tensor<9x8xf32>, tensor<6x8xf32> at tensor<6xi64> -> tensor<9x8xf32>
  return %1 : tensor<9x8xf32>
}
