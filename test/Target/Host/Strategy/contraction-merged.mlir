// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet

// Pixels of a convolution 1 by 1 are one axis, also under a bias per channel and what is added elementwise; batch and rows
// before one matrix are one too. A stride keeps rows of pixels apart.
// CHECK-LABEL: @main
// CHECK: @pointwise{{.*}}merge pq = [p, q], {{.*}}split pq
// CHECK: @batch{{.*}}merge bm = [b, m]
// CHECK-NOT: @strided{{.*}}merge
func.func @main(%x: tensor<3x37x7x11xf32>, %w: tensor<29x37x1x1xf32>, %bias: tensor<29xf32>, %add: tensor<3x29x7x11xf32>, %y: tensor<5x23x19xf32>, %z: tensor<19x33xf32>)
    -> (tensor<3x29x7x11xf32>, tensor<5x23x33xf32>, tensor<3x29x4x6xf32>) {
  %0 = tkernel.kernel @pointwise (%n : 3, %f : 29, %p : 7, %q : 11, %c : 37)
      reads(%in = %x : tensor<3x37x7x11xf32>, %weights = %w : tensor<29x37x1x1xf32>, %b = %bias : tensor<29xf32>, %more = %add : tensor<3x29x7x11xf32>) -> tensor<3x29x7x11xf32> {
    %a = tkernel.load %in[%n, %c, %p, %q] : tensor<3x37x7x11xf32>
    %t = tkernel.load %weights[%f, %c, 0, 0] : tensor<29x37x1x1xf32>
    %s = tkernel.contract %a, %t over (%c) : f32
    %u = tkernel.load %b[%f] : tensor<29xf32>
    %v = tkernel.load %more[%n, %f, %p, %q] : tensor<3x29x7x11xf32>
    %su = arith.addf %s, %u : f32
    %suv = arith.addf %su, %v : f32
    tkernel.store %suv, 0[%n, %f, %p, %q] : f32
  }
  %1 = tkernel.kernel @batch (%b : 5, %m : 23, %l : 33, %k : 19) reads(%left = %y : tensor<5x23x19xf32>, %right = %z : tensor<19x33xf32>) -> tensor<5x23x33xf32> {
    %a = tkernel.load %left[%b, %m, %k] : tensor<5x23x19xf32>
    %t = tkernel.load %right[%k, %l] : tensor<19x33xf32>
    %s = tkernel.contract %a, %t over (%k) : f32
    tkernel.store %s, 0[%b, %m, %l] : f32
  }
  %2 = tkernel.kernel @strided (%n : 3, %f : 29, %p : 4, %q : 6, %c : 37) reads(%in = %x : tensor<3x37x7x11xf32>, %weights = %w : tensor<29x37x1x1xf32>) -> tensor<3x29x4x6xf32> {
    %a = tkernel.load %in[%n, %c, 2 * %p, 2 * %q] : tensor<3x37x7x11xf32>
    %t = tkernel.load %weights[%f, %c, 0, 0] : tensor<29x37x1x1xf32>
    %s = tkernel.contract %a, %t over (%c) : f32
    tkernel.store %s, 0[%n, %f, %p, %q] : f32
  }
  return %0, %1, %2 : tensor<3x29x7x11xf32>, tensor<5x23x33xf32>, tensor<3x29x4x6xf32>
}

// An axis that is merged costs what one of that length does: its rows lie pages apart and collide in caches.
// RUN: tensor-opt %s --host-print-prices=traits=lanes=16,registers=32,threads=1 -o /dev/null | FileCheck %s --check-prefix=PAGES
// PAGES: "kernel":"@pixels",{{.*}}merge pq = [p, q]{{.*}}"cycles":[[CYCLES:[0-9.]+]],"core":[[CORE:[0-9.]+]],"pages":[[PAGES:[0-9.]+]],
// PAGES: "kernel":"@flat",{{.*}}"cycles":[[CYCLES]],"core":[[CORE]],"pages":[[PAGES]],
func.func @pixels(%x: tensor<256x56x56xf32>, %w: tensor<64x256xf32>) -> tensor<64x56x56xf32> {
  %y = tkernel.kernel @pixels (%o : 64, %p : 56, %q : 56, %c : 256) reads(%in = %x : tensor<256x56x56xf32>, %weights = %w : tensor<64x256xf32>) -> tensor<64x56x56xf32> {
    %0 = tkernel.load %in[%c, %p, %q] : tensor<256x56x56xf32>
    %1 = tkernel.load %weights[%o, %c] : tensor<64x256xf32>
    %2 = tkernel.contract %1, %0 over (%c) : f32
    tkernel.store %2, 0[%o, %p, %q] : f32
  }
  return %y : tensor<64x56x56xf32>
}

func.func @flat(%x: tensor<256x3136xf32>, %w: tensor<64x256xf32>) -> tensor<64x3136xf32> {
  %y = tkernel.kernel @flat (%o : 64, %p : 3136, %c : 256) reads(%in = %x : tensor<256x3136xf32>, %weights = %w : tensor<64x256xf32>) -> tensor<64x3136xf32> {
    %0 = tkernel.load %in[%c, %p] : tensor<256x3136xf32>
    %1 = tkernel.load %weights[%o, %c] : tensor<64x256xf32>
    %2 = tkernel.contract %1, %0 over (%c) : f32
    tkernel.store %2, 0[%o, %p] : f32
  }
  return %y : tensor<64x3136xf32>
}
