// Everything in one conversion; integer divisions and extrema of floats are expanded before it.
// RUN: tensor-opt %s --host-to-llvm | FileCheck %s
// RUN: tensor-opt %s --host-to-llvm --mlir-print-op-generic | FileCheck %s --check-prefix=NONE

// NONE-NOT: unrealized_conversion_cast

// CHECK-LABEL: llvm.func @sum(%arg0: !llvm.ptr, %arg1: i64, %arg2: !llvm.ptr)
// CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i64, vector<16xf32>)
// CHECK: ^[[HEAD]](%{{.*}}: i64, %{{.*}}: vector<16xf32>):
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.intr.fma
// CHECK: llvm.br ^[[HEAD]]{{.*}}loop_annotation = #
// CHECK: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
func.func @sum(%a: memref<4096xf32>, %n: index, %out: memref<16xf32>) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> vector<16xf32> {
    %at = affine.apply affine_map<(d0)[s0] -> (d0 * 16 + s0 floordiv 3)>(%i)[%n]
    %x = vector.load %a[%at] : memref<4096xf32>, vector<16xf32>
    %next = math.fma %x, %x, %s : vector<16xf32>
    scf.yield %next : vector<16xf32>
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  vector.store %sum, %out[%c0] : memref<16xf32>, vector<16xf32>
  return
}

// CHECK-LABEL: llvm.func @extrema
// CHECK: llvm.fcmp "ogt"
// CHECK: llvm.select
// CHECK: llvm.fcmp "ogt"
// CHECK: llvm.select
// CHECK: llvm.and
// CHECK: llvm.fcmp "ord"
// CHECK: llvm.select
// CHECK-NOT: llvm.intr.maximum
// CHECK: llvm.sdiv
// CHECK: llvm.return
func.func @extrema(%x: f32, %y: f32, %i: index, %j: index, %out: memref<2xf32>, %at: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %most = arith.maximumf %x, %y : f32
  memref.store %most, %out[%c0] : memref<2xf32>
  %up = arith.ceildivsi %i, %j : index
  memref.store %up, %at[%c0] : memref<1xindex>
  return
}

// Indices that differ by a constant are sums with one product, in their block.
// CHECK-LABEL: llvm.func @indices(
// CHECK:         %[[ROW:.*]] = llvm.mul
// CHECK-NOT:     llvm.mul
// CHECK:         llvm.add %[[ROW]], %{{.*}} : i64
// CHECK:         llvm.add %[[ROW]], %{{.*}} : i64
// CHECK-NOT:     llvm.mul
// CHECK:         llvm.return
func.func @indices(%x: memref<640xf32>, %y: memref<3xf32>, %i: index) {
  %a = affine.apply affine_map<(d0) -> (d0 * 56 + 1)>(%i)
  %b = affine.apply affine_map<(d0) -> (d0 * 56)>(%i)
  %c = affine.apply affine_map<(d0) -> (d0 * 56 + 57)>(%i)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = memref.load %x[%a] : memref<640xf32>
  %1 = memref.load %x[%b] : memref<640xf32>
  %2 = memref.load %x[%c] : memref<640xf32>
  memref.store %0, %y[%c0] : memref<3xf32>
  memref.store %1, %y[%c1] : memref<3xf32>
  memref.store %2, %y[%c2] : memref<3xf32>
  return
}
