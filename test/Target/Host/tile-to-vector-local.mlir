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

// Loops around those that copy to local memory are not unrolled by the code generator: all else is.
// CHECK-LABEL: func.func @copies(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.maskedstore
// CHECK:           }
// CHECK-NEXT:    } {llvm.loop_annotation = #loop_annotation}
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.maskedstore
// CHECK:           }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
ttile.func @copies(%x: memref<3x4x16xf32>) results(%y: memref<3x4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %s = ttile.alloc : memref<3x4x16xf32, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %0 = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : memref<3x4x16xf32> -> tensor<16xf32>
      ttile.store %0, %s through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : tensor<16xf32> -> memref<3x4x16xf32, #gpu.address_space<workgroup>>
    }
  }
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %0 = ttile.load %s through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : memref<3x4x16xf32, #gpu.address_space<workgroup>> -> tensor<16xf32>
      ttile.store %0, %y through #tview.map<affine_map<(d0, d1, d2) -> (d1, d2, d0)>>(%i, %j) : tensor<16xf32> -> memref<3x4x16xf32>
    }
  }
  ttile.return
}
