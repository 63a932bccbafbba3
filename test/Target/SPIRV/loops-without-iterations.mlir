// RUN: tensor-opt %s --threads-to-spirv | FileCheck %s

// What a loop gives has the values that it begins with where it has no iteration.
// CHECK-DAG: %[[ONE:.*]] = spirv.Constant 1.000000e+00 : f32
// CHECK-DAG: %[[LOW:.*]] = spirv.Constant 0xFF800000 : f32
// CHECK-DAG: %[[A:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK-DAG: %[[B:.*]] = spirv.Variable : !spirv.ptr<f32, Function>
// CHECK-DAG: spirv.Store "Function" %{{.*}}, %[[LOW]] : f32
// CHECK-DAG: spirv.Store "Function" %{{.*}}, %[[ONE]] : f32
// CHECK: spirv.mlir.loop
// CHECK: spirv.Store "Function" %[[C:.*]], %{{.*}} : f32
// CHECK: spirv.mlir.loop
// CHECK: spirv.Store "Function" %[[C]], %{{.*}} : f32
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @extrema(%x: memref<1024xf32, #gpu.address_space<global>>, %y: memref<16xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.programs = 16 : i64, tw.num_outputs = 1 : i64, tw.warps = 1 : i64} {
    %p = gpu.block_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %r:2 = scf.for %i = %c0 to %p step %c1 iter_args(%a = %low, %b = %one) -> (f32, f32) {
      %v = memref.load %x[%i] : memref<1024xf32, #gpu.address_space<global>>
      %m = arith.maxnumf %a, %v : f32
      %n = scf.for %j = %c0 to %i step %c1 iter_args(%d = %b) -> (f32) {
        %e = arith.mulf %d, %v : f32
        scf.yield %e : f32
      }
      scf.yield %m, %n : f32, f32
    }
    %s = arith.addf %r#0, %r#1 : f32
    memref.store %s, %y[%p] : memref<16xf32, #gpu.address_space<global>>
    gpu.return
  }
}
}
