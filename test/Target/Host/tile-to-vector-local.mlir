// RUN: tensor-opt %s --tile-to-vector | FileCheck %s

// Local buffers lie in the scratch memory of the thread, each on a cache line.
// CHECK-LABEL: func.func @staged(
// CHECK-SAME:    %{{.*}}: memref<4xf32> {llvm.noalias}, %{{.*}}: memref<4xf32> {llvm.noalias},
// CHECK-SAME:    %[[SCRATCH:.*]]: memref<128xi8> {llvm.align = 64 : i64, llvm.noalias})
// CHECK-SAME:    tw.scratch
// CHECK:         memref.view %[[SCRATCH]][%c0{{.*}}][] : memref<128xi8> to memref<4xf32>
// CHECK:         memref.view %[[SCRATCH]][%c64{{.*}}][] : memref<128xi8> to memref<11xf32>
ttile.func @staged(%x: memref<4xf32>) results(%y: memref<4xf32>) {
  %s = ttile.alloc : memref<4xf32, #gpu.address_space<workgroup>>
  %p = ttile.alloc : memref<2x4xf32, strided<[7, 1]>, #gpu.address_space<workgroup>>
  ttile.return
}
