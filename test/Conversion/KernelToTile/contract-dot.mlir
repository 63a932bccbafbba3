// A contraction over a tile axis in groups; without the primitive its operands are extended.
// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --interpret -o /dev/null | FileCheck %s --check-prefix=VALUES

// VALUES: result 0 : tensor<3x5xf32> = [[FIRST:.*]]
// VALUES: result 1 : tensor<3x5xf32> = [[FIRST]]
// VALUES: result 2 : tensor<3x5xi32> = [[BYTES:.*]]
// VALUES: result 3 : tensor<3x5xi32> = [[BYTES]]
func.func @main(%x: tensor<3x7xbf16>, %w: tensor<7x5xbf16>, %u: tensor<3x7xui8>, %s: tensor<7x5xi8>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi32>, tensor<3x5xi32>) {
  // The rows beyond the odd extent are 0.
  // CHECK-LABEL: ttile.func @dot
  // CHECK: scf.for {{.*}} -> (tensor<1x3x5xf32>)
  // CHECK-DAG: ttile.load %{{.*}} -> tensor<2x3x1xbf16>
  // CHECK-DAG: ttile.load %{{.*}} -> tensor<2x1x5xbf16>
  // CHECK-DAG: arith.select
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x3x1xbf16>, tensor<2x1x5xbf16>, tensor<1x3x5xf32>
  // CHECK-NOT: ttile.reduce
  // CHECK: ttile.store
  %y = tkernel.kernel @dot (%i : 3, %j : 5, %k : 7) reads(%a = %x : tensor<3x7xbf16>, %b = %w : tensor<7x5xbf16>) -> tensor<3x5xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], order [ko], tile [kg, i, j], contract kg dot]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<3x7xbf16>
    %1 = tkernel.load %b[%k, %j] : tensor<7x5xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  // CHECK-LABEL: ttile.func @plain
  // CHECK: arith.extf %{{.*}} : tensor<3x1xbf16> to tensor<3x1xf32>
  // CHECK: arith.extf %{{.*}} : tensor<1x5xbf16> to tensor<1x5xf32>
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<3x1xf32>, tensor<1x5xf32>, tensor<3x5xf32>
  %z = tkernel.kernel @plain (%i : 3, %j : 5, %k : 7) reads(%a = %x : tensor<3x7xbf16>, %b = %w : tensor<7x5xbf16>) -> tensor<3x5xf32>
      attributes {schedule = #tkernel.schedule<[order [k], tile [i, j]]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<3x7xbf16>
    %1 = tkernel.load %b[%k, %j] : tensor<7x5xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  // CHECK-LABEL: ttile.func @bytes
  // CHECK: ttile.mma %{{.*}}, %{{.*}}, %{{.*}} lhs_unsigned : tensor<4x3x1xi8>, tensor<4x1x5xi8>, tensor<1x3x5xi32>
  %p = tkernel.kernel @bytes (%i : 3, %j : 5, %k : 7) reads(%a = %u : tensor<3x7xui8>, %b = %s : tensor<7x5xi8>) -> tensor<3x5xi32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, kg 4], order [ko], tile [kg, i, j], contract kg dot]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<3x7xui8>
    %1 = tkernel.load %b[%k, %j] : tensor<7x5xi8>
    %2 = tkernel.contract %0, %1 over (%k) lhs_unsigned : i8, i8 -> i32
    tkernel.store %2, 0[%i, %j] : i32
  }
  // Extended bytes are the same contraction.
  // CHECK-LABEL: ttile.func @extended
  // CHECK: arith.extui %{{.*}} : tensor<3x1xi8> to tensor<3x1xi32>
  // CHECK: arith.extsi %{{.*}} : tensor<1x5xi8> to tensor<1x5xi32>
  %q = tkernel.kernel @extended (%i : 3, %j : 5, %k : 7) reads(%a = %u : tensor<3x7xui8>, %b = %s : tensor<7x5xi8>) -> tensor<3x5xi32>
      attributes {schedule = #tkernel.schedule<[order [k], tile [i, j]]>} {
    %0 = tkernel.load %a[%i, %k] : tensor<3x7xui8>
    %1 = tkernel.load %b[%k, %j] : tensor<7x5xi8>
    %c = arith.extui %0 : i8 to i32
    %d = arith.extsi %1 : i8 to i32
    %2 = tkernel.contract %c, %d over (%k) : i32
    tkernel.store %2, 0[%i, %j] : i32
  }
  return %y, %z, %p, %q : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xi32>, tensor<3x5xi32>
}
