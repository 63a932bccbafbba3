// RUN: tensor-opt %s --host-print-prices -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --host-print-prices=traits=lanes=8,registers=16,fmaPerCycle=2,loadsPerCycle=2,storesPerCycle=1,l2Bytes=262144,l3Bytes=8388608 -o /dev/null | FileCheck %s --check-prefix=AVX2
// RUN: tensor-opt %s --host-print-prices=traits=lanes=8,registers=16 -o /dev/null | FileCheck %s --check-prefix=EIGHT
// RUN: tensor-opt %s --host-print-prices=traits=dataPathBytes=64,fmaPerCycle=2,loadsPerCycle=2,storesPerCycle=1 -o /dev/null | FileCheck %s --check-prefix=WIDE

// Rows of 4096 bytes collide in the caches: the first level holds no more than eight of them, and the columns are
// packed, once for all programs. The tile fits the registers.
// CHECK-LABEL: @square
// CHECK: split m = [m_o, m_b {{[0-9]+}}, m_r {{6|8|14}}], split n = [n_o, {{(n_b [0-9]+, )?}}n_l {{32|48|64}}]
// CHECK-SAME: tile [m_r, n_l], stage rhs as (n_o, {{(n_b, )?}}k, n_l) at kernel global
// AVX2-LABEL: @square
// AVX2: split m = [m_o, m_b {{[0-9]+}}, m_r {{[4-6]}}], split n = [n_o, {{(n_b [0-9]+, )?}}n_l {{16|24}}]
func.func @square(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = tkernel.kernel (%m : 1024, %n : 1024, %k : 1024) reads(%a = %x : tensor<1024x1024xf32>, %b = %w : tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<1024x1024xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<1024x1024xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1024x1024xf32>
}

// Rows of a constant that begin anew at every kilobyte are read where they lie if the first cache holds as many as
// the tile has.
// CHECK-LABEL: @cold
// CHECK: split o = [o_o, o_b {{[0-9]+}}, o_r {{[0-9]+}}]
func.func @cold(%x: tensor<256x196xf32>, %y: tensor<64x196xf32>) -> (tensor<1024x196xf32>, tensor<64x196xf32>) {
  %w = tgraph.constant #tgraph.file<"weights", 0, 1048576> : tensor<1024x256xf32>
  %v = tgraph.constant #tgraph.file<"weights", 1048576, 16384> : tensor<64x64xf32>
  %0 = tkernel.kernel (%o : 1024, %p : 196, %c : 256) reads(%a = %x : tensor<256x196xf32>, %b = %w : tensor<1024x256xf32>) -> tensor<1024x196xf32> {
    %1 = tkernel.load %a[%c, %p] : tensor<256x196xf32>
    %2 = tkernel.load %b[%o, %c] : tensor<1024x256xf32>
    %3 = tkernel.contract %2, %1 over (%c) : f32
    tkernel.store %3, 0[%o, %p] : f32
  }
  %4 = tkernel.kernel (%o : 64, %p : 196, %c : 64) reads(%a = %y : tensor<64x196xf32>, %b = %v : tensor<64x64xf32>) -> tensor<64x196xf32> {
    %1 = tkernel.load %a[%c, %p] : tensor<64x196xf32>
    %2 = tkernel.load %b[%o, %c] : tensor<64x64xf32>
    %3 = tkernel.contract %2, %1 over (%c) : f32
    tkernel.store %3, 0[%o, %p] : f32
  }
  return %0, %4 : tensor<1024x196xf32>, tensor<64x196xf32>
}

// Small operands are read where they are.
// CHECK-LABEL: @small
func.func @small(%x: tensor<48x40xf32>, %w: tensor<40x64xf32>) -> tensor<48x64xf32> {
  %y = tkernel.kernel (%m : 48, %n : 64, %k : 40) reads(%a = %x : tensor<48x40xf32>, %b = %w : tensor<40x64xf32>) -> tensor<48x64xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<48x40xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<40x64xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<48x64xf32>
}

// Much work on each sum is code for a row in a loop, not for each register of a tile; little work stays in registers.
// CHECK-LABEL: @much_work
// CHECK: order [{{.*}}m_r, k], tile [n_l], {{.*}}stage sum as (m_r, n_l){{( at [a-z_]+)?}} local
// CHECK-LABEL: @little_work
// CHECK: tile [m_r, n_l]
// CHECK-NOT: stage sum
func.func @much_work(%x: tensor<300x256xf32>, %w: tensor<256x320xf32>) -> tensor<300x320xf32> {
  %y = tkernel.kernel (%m : 300, %n : 320, %k : 256) reads(%a = %x : tensor<300x256xf32>, %b = %w : tensor<256x320xf32>) -> tensor<300x320xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<300x256xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<256x320xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = math.erf %2 : f32
    %4 = arith.mulf %3, %2 : f32
    %5 = math.tanh %4 : f32
    tkernel.store %5, 0[%m, %n] : f32
  }
  return %y : tensor<300x320xf32>
}
func.func @little_work(%x: tensor<300x256xf32>, %w: tensor<256x320xf32>) -> tensor<300x320xf32> {
  %y = tkernel.kernel (%m : 300, %n : 320, %k : 256) reads(%a = %x : tensor<300x256xf32>, %b = %w : tensor<256x320xf32>) -> tensor<300x320xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<300x256xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<256x320xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %zero = arith.constant 0.0 : f32
    %3 = arith.maximumf %2, %zero : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %y : tensor<300x320xf32>
}

// Rows of 1028 bytes meet the same sets of a cache a line further on each time round, and rows of 1536 bytes are on
// few pages: both are read where they are. Rows on a page each are packed where many rows pass them; and those of 1028
// bytes, where steps are so short that they hide less.
// CHECK-LABEL: @drifting
// AVX2-LABEL: @drifting
// AVX2: stage {{.*}} at kernel global
// CHECK-LABEL: @few_pages
// CHECK-LABEL: @pages_each
// CHECK: stage {{.*}} at kernel global
func.func @drifting(%x: tensor<127x509xf32>, %w: tensor<509x257xf32>) -> tensor<127x257xf32> {
  %y = tkernel.kernel (%m : 127, %n : 257, %k : 509) reads(%a = %x : tensor<127x509xf32>, %b = %w : tensor<509x257xf32>) -> tensor<127x257xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<127x509xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<509x257xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<127x257xf32>
}
func.func @few_pages(%x: tensor<384x384xf32>, %w: tensor<384x384xf32>) -> tensor<384x384xf32> {
  %y = tkernel.kernel (%m : 384, %n : 384, %k : 384) reads(%a = %x : tensor<384x384xf32>, %b = %w : tensor<384x384xf32>) -> tensor<384x384xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<384x384xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<384x384xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<384x384xf32>
}
func.func @pages_each(%x: tensor<1000x1000xf32>, %w: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %y = tkernel.kernel (%m : 1000, %n : 1000, %k : 1000) reads(%a = %x : tensor<1000x1000xf32>, %b = %w : tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<1000x1000xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<1000x1000xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1000x1000xf32>
}

// A step of 28 multiply-adds hides most of what its page costs, one of 12 less: 640 x 640 x 300 as it lies 2.10 ms, packed 2.12;
// 300 x 300 x 500 as code for x86-64-v3 0.87 ms, packed 0.80.
// CHECK-LABEL: @long_steps
// CHECK-LABEL: @short_steps
// EIGHT-LABEL: @short_steps
// EIGHT: stage {{.*}} at kernel global
// EIGHT-LABEL: @uneven
func.func @long_steps(%x: tensor<640x300xf32>, %w: tensor<300x640xf32>) -> tensor<640x640xf32> {
  %y = tkernel.kernel (%m : 640, %n : 640, %k : 300) reads(%a = %x : tensor<640x300xf32>, %b = %w : tensor<300x640xf32>) -> tensor<640x640xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<640x300xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<300x640xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<640x640xf32>
}
func.func @short_steps(%x: tensor<300x500xf32>, %w: tensor<500x300xf32>) -> tensor<300x300xf32> {
  %y = tkernel.kernel (%m : 300, %n : 300, %k : 500) reads(%a = %x : tensor<300x500xf32>, %b = %w : tensor<500x300xf32>) -> tensor<300x300xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<300x500xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<500x300xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<300x300xf32>
}

// Eleven row tiles as programs leave one of two threads waiting for a tile: halves of them do not. Twelve come out even.
// CHECK-LABEL: @uneven
// CHECK: split m = [m_o, m_r {{1[0-4]}}], split n = [n_o, n_l 32], grid [n_o, m_o], order [k]
// CHECK-LABEL: @even
// CHECK: split m = [m_o, m_r {{1[0-4]}}], split n = [n_o, n_l 32], grid [{{n_o, m_o|m_o}}]
func.func @uneven(%x: tensor<132x200xf32>, %w: tensor<200x64xf32>) -> tensor<132x64xf32> {
  %y = tkernel.kernel (%m : 132, %n : 64, %k : 200) reads(%a = %x : tensor<132x200xf32>, %b = %w : tensor<200x64xf32>) -> tensor<132x64xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<132x200xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<200x64xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<132x64xf32>
}
func.func @even(%x: tensor<144x200xf32>, %w: tensor<200x64xf32>) -> tensor<144x64xf32> {
  %y = tkernel.kernel (%m : 144, %n : 64, %k : 200) reads(%a = %x : tensor<144x200xf32>, %b = %w : tensor<200x64xf32>) -> tensor<144x64xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<144x200xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<200x64xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<144x64xf32>
}

// Both operands run along k: many rows repay it when one of them is packed across.
// CHECK-LABEL: @transposed
// CHECK: stage {{.*}} at kernel global
func.func @transposed(%x: tensor<256x300xf32>, %w: tensor<270x300xf32>) -> tensor<256x270xf32> {
  %y = tkernel.kernel (%m : 256, %n : 270, %k : 300) reads(%a = %x : tensor<256x300xf32>, %b = %w : tensor<270x300xf32>) -> tensor<256x270xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<256x300xf32>
    %1 = tkernel.load %b[%n, %k] : tensor<270x300xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<256x270xf32>
}

// Few rows do not: the lanes are points of k, whose sums are combined at the end.
// CHECK-LABEL: @few_transposed
// CHECK: split k = [k_o, k_l 16], grid [n_o], order [{{.*}}k_o], tile [n_r, m, k_l]
func.func @few_transposed(%x: tensor<5x1000xf32>, %w: tensor<700x1000xf32>) -> tensor<5x700xf32> {
  %y = tkernel.kernel (%m : 5, %n : 700, %k : 1000) reads(%a = %x : tensor<5x1000xf32>, %b = %w : tensor<700x1000xf32>) -> tensor<5x700xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<5x1000xf32>
    %1 = tkernel.load %b[%n, %k] : tensor<700x1000xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<5x700xf32>
}

// Nor do three columns, which are taken out of vectors of the matrix.
// CHECK-LABEL: @three_by_three
// CHECK: #tkernel.schedule<[split k = [k_o, k_l 16], order [k_o], tile [m, n, k_l], edge k peel]>
func.func @three_by_three(%x: tensor<3x65537xf32>, %w: tensor<65537x3xf32>) -> tensor<3x3xf32> {
  %y = tkernel.kernel (%m : 3, %n : 3, %k : 65537) reads(%a = %x : tensor<3x65537xf32>, %b = %w : tensor<65537x3xf32>) -> tensor<3x3xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<3x65537xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<65537x3xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<3x3xf32>
}

// Where sums are short the columns are the lanes.
// CHECK-LABEL: @five_columns
// CHECK: order [{{.*}}k], tile [m_r, n], edge m peel]
func.func @five_columns(%x: tensor<1999x100xf32>, %w: tensor<100x5xf32>) -> tensor<1999x5xf32> {
  %y = tkernel.kernel (%m : 1999, %n : 5, %k : 100) reads(%a = %x : tensor<1999x100xf32>, %b = %w : tensor<100x5xf32>) -> tensor<1999x5xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<1999x100xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<100x5xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<1999x5xf32>
}

// Where they are long, each program copies the few columns so that they lie along k: two programs of six tiles, since a
// copy is a sixth of the work. With rows enough there are eight, or one for each thread.
// CHECK-LABEL: @long_columns
// CHECK: split m = [m_o, m_b 6, m_r 4], split n = [n_o, n_r 5], split k = [k_o, k_l 16], grid [m_o], order [m_b, n_o, k_o], tile [m_r, n_r, k_l], stage inner as (n_o, n_r, k_o, k_l) at grid local
func.func @long_columns(%x: tensor<46x770xf32>, %w: tensor<770x9xf32>) -> tensor<46x9xf32> {
  %y = tkernel.kernel (%m : 46, %n : 9, %k : 770) reads(%a = %x : tensor<46x770xf32>, %b = %w : tensor<770x9xf32>) -> tensor<46x9xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<46x770xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<770x9xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<46x9xf32>
}

// CHECK-LABEL: @two_columns
// CHECK: split m = [m_o, m_b {{26|103}}, m_r 10], {{.*}} tile [m_r, n, k_l], stage inner as (n, k_o, k_l) at grid local
func.func @two_columns(%x: tensor<2050x126xf32>, %w: tensor<126x2xf32>) -> tensor<2050x2xf32> {
  %y = tkernel.kernel (%m : 2050, %n : 2, %k : 126) reads(%a = %x : tensor<2050x126xf32>, %b = %w : tensor<126x2xf32>) -> tensor<2050x2xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<2050x126xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<126x2xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<2050x2xf32>
}

// CHECK-LABEL: @eleven_columns
// CHECK: tile [m_r, n_r, k_l], stage inner
func.func @eleven_columns(%x: tensor<500x400xf32>, %w: tensor<400x11xf32>) -> tensor<500x11xf32> {
  %y = tkernel.kernel (%m : 500, %n : 11, %k : 400) reads(%a = %x : tensor<500x400xf32>, %b = %w : tensor<400x11xf32>) -> tensor<500x11xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<500x400xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<400x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<500x11xf32>
}

// CHECK-LABEL: @tanh_of_eleven_columns
// CHECK: tile [m_r, {{n|n_r, k_l}}]
func.func @tanh_of_eleven_columns(%x: tensor<500x400xf32>, %w: tensor<400x11xf32>) -> tensor<500x11xf32> {
  %y = tkernel.kernel (%m : 500, %n : 11, %k : 400) reads(%a = %x : tensor<500x400xf32>, %b = %w : tensor<400x11xf32>) -> tensor<500x11xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<500x400xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<400x11xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = math.tanh %2 : f32
    tkernel.store %3, 0[%m, %n] : f32
  }
  return %y : tensor<500x11xf32>
}

// A constant is copied once.
// CHECK-LABEL: @constant_columns
// CHECK: tile [m_r, n, k_l], stage inner as (n, k_o, k_l) at kernel global
func.func @constant_columns(%x: tensor<300x300xf32>) -> tensor<300x3xf32> {
  %w = tgraph.constant dense<0.5> : tensor<300x3xf32>
  %y = tkernel.kernel (%m : 300, %n : 3, %k : 300) reads(%a = %x : tensor<300x300xf32>, %b = %w : tensor<300x3xf32>) -> tensor<300x3xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<300x300xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<300x3xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<300x3xf32>
}

// 21 columns fill one vector and a third of another, which takes as long as a whole one: three halves are faster where
// units take half of a register at once.
// CHECK-LABEL: @vector_and_a_third
// CHECK: split m = [m_o, {{(m_b [0-9]+, )?}}m_r {{[89]}}], split n = [n_o, n_l 8], {{.*}} tile [m_r, n_o, n_l], {{(edge m peel, )?}}edge n mask
// WIDE-LABEL: @vector_and_a_third
// WIDE: tile [m_r, n], edge
// AVX2-LABEL: @vector_and_a_third
// AVX2: tile [m_r, n], edge
func.func @vector_and_a_third(%x: tensor<879x58xf32>, %w: tensor<58x21xf32>) -> tensor<879x21xf32> {
  %y = tkernel.kernel (%m : 879, %n : 21, %k : 58) reads(%a = %x : tensor<879x58xf32>, %b = %w : tensor<58x21xf32>) -> tensor<879x21xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<879x58xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<58x21xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<879x21xf32>
}

// One row: the matrix is read once, along all of the result, or strips of a page for each program; the result holds the
// partial sums. Four streams of 16 rows each, where they divide the rows; else eight rows together.
// CHECK-LABEL: @streams
// CHECK: split n = [n_o, n_b 8, n_l 128], split k = [k_o, k_i 4, k_r 16], grid [n_o], order [k_o, k_r, n_b, k_i], tile [n_l], unroll k_i, keep sum result]
func.func @streams(%x: tensor<64xf32>, %w: tensor<64x2048xf32>) -> tensor<2048xf32> {
  %y = tkernel.kernel (%n : 2048, %k : 64) reads(%a = %x : tensor<64xf32>, %b = %w : tensor<64x2048xf32>) -> tensor<2048xf32> {
    %0 = tkernel.load %a[%k] : tensor<64xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<64x2048xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<2048xf32>
}

// CHECK-LABEL: @vector
// CHECK: grid [n_o], order [k_o, n_b, k_i], tile [n_l], unroll k_i, keep sum result, edge k peel]
func.func @vector(%x: tensor<67xf32>, %w: tensor<67x2048xf32>) -> tensor<2048xf32> {
  %y = tkernel.kernel (%n : 2048, %k : 67) reads(%a = %x : tensor<67xf32>, %b = %w : tensor<67x2048xf32>) -> tensor<2048xf32> {
    %0 = tkernel.load %a[%k] : tensor<67xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<67x2048xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%n] : f32
  }
  return %y : tensor<2048xf32>
}

// A few rows of a matrix beyond the caches: a tile that ran through all of k would touch a page per step. Eight of
// the matrix's rows at a time run along a strip, whose partial sums lie side by side in local memory.
// CHECK-LABEL: @skinny
// CHECK: split m = [m_o, m_r 10], split n = [n_o, n_b {{[0-9]+}}, n_l 32], split k = [k_o, k_i 8], grid [n_o], order [k_o, n_b, m_o, k_i]
// CHECK-SAME: stage scalars as (m_o, k_i, m_r) at k_o local, keep sum local
func.func @skinny(%x: tensor<20x3001xf32>, %w: tensor<3001x4001xf32>) -> tensor<20x4001xf32> {
  %y = tkernel.kernel (%m : 20, %n : 4001, %k : 3001) reads(%a = %x : tensor<20x3001xf32>, %b = %w : tensor<3001x4001xf32>) -> tensor<20x4001xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<20x3001xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<3001x4001xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<20x4001xf32>
}

// Caches that hold only short panels: k runs in blocks, and partial sums wait in the result, those
// of a program in the second-level cache.
// AVX2-LABEL: @deep
// AVX2: split n = [n_o, n_b {{[0-9]+}}, n_l {{[0-9]+}}], split k = [k_o, k_i {{[0-9]+}}], grid [n_o, m_o], order [k_o, n_b, m_b, k_i]
// AVX2-SAME: keep sum result
func.func @deep(%x: tensor<2000x4000xf32>, %w: tensor<4000x2000xf32>) -> tensor<2000x2000xf32> {
  %y = tkernel.kernel (%m : 2000, %n : 2000, %k : 4000) reads(%a = %x : tensor<2000x4000xf32>, %b = %w : tensor<4000x2000xf32>) -> tensor<2000x2000xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<2000x4000xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<4000x2000xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<2000x2000xf32>
}

// A matrix times a vector: rows that are left over are a smaller tile, so that no other one is masked.
// CHECK-LABEL: @rows_left
// CHECK: split m = [m_o, m_r 9], split k = [k_o, k_l 16], {{.*}} tile [m_r, n, k_l], edge m peel, edge k peel
func.func @rows_left(%x: tensor<17x10003xf32>, %w: tensor<10003x1xf32>) -> tensor<17x1xf32> {
  %y = tkernel.kernel (%m : 17, %n : 1, %k : 10003) reads(%a = %x : tensor<17x10003xf32>, %b = %w : tensor<10003x1xf32>) -> tensor<17x1xf32> {
    %0 = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<17x10003xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<10003x1xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<17x1xf32>
}

// The same for a matrix that is read behind a padding, which the strategy for any kernel takes.
// CHECK-LABEL: @rows_left_of_padded
// CHECK: split m = [m_o, m_i 8], split k = [k_o, k_i 16], {{.*}} tile [m_i, k_i], edge m peel, edge k
func.func @rows_left_of_padded(%x: tensor<16x10003xf32>, %w: tensor<10003xf32>) -> tensor<17xf32> {
  %y = tkernel.kernel (%m : 17, %k : 10003) reads(%a = %x : tensor<16x10003xf32>, %b = %w : tensor<10003xf32>) -> tensor<17xf32> {
    %0 = tkernel.load %a[%m - 1, %k] else 0.0 : tensor<16x10003xf32>
    %1 = tkernel.load %b[%k] : tensor<10003xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m] : f32
  }
  return %y : tensor<17xf32>
}

// Where a product sums over many rows, as gradients of weights do, panels of vectors are long: of tiles that the
// ports take about equally long for, one of many rows passes through them less often.
// CHECK-LABEL: @gradient
// CHECK-SAME: _r {{9|1[0-9]}}]
func.func @gradient(%x: tensor<2048x256xf32>, %d: tensor<2048x1024xf32>) -> tensor<256x1024xf32> {
  %y = tkernel.kernel (%m : 256, %n : 1024, %k : 2048) reads(%a = %x : tensor<2048x256xf32>, %b = %d : tensor<2048x1024xf32>) -> tensor<256x1024xf32> {
    %0 = tkernel.load %a[%k, %m] {name = "lhs"} : tensor<2048x256xf32>
    %1 = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<2048x1024xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<256x1024xf32>
}
