// RUN: tensor-opt %s --kernel-fuse | FileCheck %s

// Rows of all sequences are rows of one product: it stores them so, and what reads heads apart does so through the
// copy. Where the copy is what a call gives, the product stores that.
// CHECK-LABEL: func.func @heads
// CHECK: %[[P:.*]] = tkernel.kernel @contract (%b : B <= 8, %s : S <= 40, %n : 32, %k : 16)
// CHECK:   tkernel.store %{{.*}}, 0[%b, %s, %n]
// CHECK: %[[Y:.*]] = tkernel.kernel {{.*}}reads(%[[A:.*]] = %[[P]] :
// CHECK:   tkernel.load %[[A]][%b, %i, %h * 8 + %d]
// CHECK: %[[Z:.*]] = tkernel.kernel @contract (%b : B <= 8, %h : 4, %s : S <= 40, %d : 8, %k : 16)
// CHECK:   tkernel.store %{{.*}}, 0[%b, %h, %s, %d]
// CHECK: return %[[Y]], %[[Z]]
func.func @heads(%x: tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>, %w: tensor<16x32xf32>, %v: tensor<16x32xf32>) -> (tensor<8x4x40x40xf32, #tview.sizes<[B, 4, S, S]>>, tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>>) {
  %p = tkernel.kernel @contract (%b : B <= 8, %s : S <= 40, %n : 32, %k : 16) reads(%a = %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>, %c = %w : tensor<16x32xf32>) -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>> {
    %0 = tkernel.load %a[%b, %s, %k] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
    %1 = tkernel.load %c[%k, %n] : tensor<16x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%b, %s, %n] : f32
  }
  %q = tkernel.kernel @view (%b : B <= 8, %h : 4, %s : S <= 40, %d : 8) reads(%a = %p : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>) -> tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>> {
    %0 = tkernel.load %a[%b, %s, %h * 8 + %d] : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
    tkernel.store %0, 0[%b, %h, %s, %d] : f32
  }
  %y = tkernel.kernel @scores (%b : B <= 8, %h : 4, %i : S <= 40, %j : S <= 40, %d : 8) reads(%a = %q : tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>>) -> tensor<8x4x40x40xf32, #tview.sizes<[B, 4, S, S]>> {
    %0 = tkernel.load %a[%b, %h, %i, %d] : tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>>
    %1 = tkernel.load %a[%b, %h, %j, %d] : tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>>
    %2 = tkernel.contract %0, %1 over(%d) : f32
    tkernel.store %2, 0[%b, %h, %i, %j] : f32
  }
  %r = tkernel.kernel @contract (%b : B <= 8, %s : S <= 40, %n : 32, %k : 16) reads(%a = %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>, %c = %v : tensor<16x32xf32>) -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>> {
    %0 = tkernel.load %a[%b, %s, %k] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
    %1 = tkernel.load %c[%k, %n] : tensor<16x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%b, %s, %n] : f32
  }
  %z = tkernel.kernel @view (%b : B <= 8, %h : 4, %s : S <= 40, %d : 8) reads(%a = %r : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>) -> tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>> {
    %0 = tkernel.load %a[%b, %s, %h * 8 + %d] : tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
    tkernel.store %0, 0[%b, %h, %s, %d] : f32
  }
  return %y, %z : tensor<8x4x40x40xf32, #tview.sizes<[B, 4, S, S]>>, tensor<8x4x40x8xf32, #tview.sizes<[B, 4, S, 8]>>
}
