// RUN: rm -rf %t && mkdir -p %t && %python -c "import struct, sys; open(sys.argv[1], 'wb').write(struct.pack('<9f', *range(9)) + struct.pack('<9f', *[float('nan')] * 9))" %t/w
// RUN: tensor-opt %s --kernel-mark-finite=folder=%t | FileCheck %s
// RUN: tensor-opt %s --kernel-mark-finite | FileCheck %s --check-prefix=UNREAD

// Constants that padding is multiplied with are read; those of finite numbers say so.
// CHECK-LABEL: @conv
// CHECK:         %[[FILE:.*]] = tkernel.load {{.*}} {finite} : tensor<3x3xf32>
// CHECK:         tkernel.contract %{{.*}}, %[[FILE]]
// CHECK:         tkernel.load %{{.*}}[%c, %r] : tensor<3x3xf32>
// CHECK:         tkernel.load {{.*}} {finite, name = "w"} : tensor<3x3xf16>
// CHECK:         tkernel.load %{{.*}}[%c, %r] : tensor<3x3xbf16>
// UNREAD-LABEL: @conv
// UNREAD-NOT:     finite
// UNREAD:         {finite, name = "w"}
func.func @conv(%x: tensor<3x8xf32>, %h: tensor<3x8xf16>, %b: tensor<3x8xbf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %w = tgraph.constant #tgraph.file<"w", 0, 36> : tensor<3x3xf32>
  %nan = tgraph.constant #tgraph.file<"w", 36, 36> : tensor<3x3xf32>
  %narrow = tgraph.constant dense<0x7BFF> : tensor<3x3xf16>
  %infinite = tgraph.constant dense<[[1.0, 2.0, 3.0], [4.0, 0xFF80, 5.0], [6.0, 7.0, 8.0]]> : tensor<3x3xbf16>
  %y:4 = tkernel.kernel (%p : 8, %c : 3, %r : 3) reads(%in = %x : tensor<3x8xf32>, %a = %w : tensor<3x3xf32>, %n = %nan : tensor<3x3xf32>, %half = %h : tensor<3x8xf16>, %v = %narrow : tensor<3x3xf16>, %brain = %b : tensor<3x8xbf16>, %u = %infinite : tensor<3x3xbf16>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = tkernel.load %in[%c, %p + %r - 1] : tensor<3x8xf32>
    %1 = tkernel.load %a[%c, %r] : tensor<3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    %3 = tkernel.load %n[%c, %r] : tensor<3x3xf32>
    %4 = tkernel.contract %3, %0 over (%c, %r) : f32
    %5 = tkernel.load %half[%c, %p + %r - 1] : tensor<3x8xf16>
    %6 = tkernel.load %v[%c, %r] {name = "w"} : tensor<3x3xf16>
    %7 = arith.extf %5 : f16 to f32
    %8 = arith.extf %6 : f16 to f32
    %9 = tkernel.contract %7, %8 over (%c, %r) : f32
    %10 = tkernel.load %brain[%c, %p + %r - 1] : tensor<3x8xbf16>
    %11 = tkernel.load %u[%c, %r] : tensor<3x3xbf16>
    %12 = tkernel.contract %10, %11 over (%c, %r) : bf16, bf16 -> f32
    tkernel.store %2, 0[%p] : f32
    tkernel.store %4, 1[%p] : f32
    tkernel.store %9, 2[%p] : f32
    tkernel.store %12, 3[%p] : f32
  }
  return %y#0, %y#1, %y#2, %y#3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Where nothing is outside, nobody asks; an argument may be anything.
// CHECK-LABEL: @product
// CHECK-NOT:     finite
func.func @product(%x: tensor<3x8xf32>, %v: tensor<3x3xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %w = tgraph.constant dense<1.0> : tensor<3xf32>
  %y:2 = tkernel.kernel (%p : 8, %c : 3, %r : 3) reads(%in = %x : tensor<3x8xf32>, %a = %w : tensor<3xf32>, %b = %v : tensor<3x3xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = tkernel.load %in[%c, %p] : tensor<3x8xf32>
    %1 = tkernel.load %a[%c] : tensor<3xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    %3 = tkernel.load %in[%c, %p + %r - 1] : tensor<3x8xf32>
    %4 = tkernel.load %b[%c, %r] : tensor<3x3xf32>
    %5 = tkernel.contract %3, %4 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
    tkernel.store %5, 1[%p] : f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
}
