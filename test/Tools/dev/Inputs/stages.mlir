// Kernels of several stages that need each other: for random schedules, beside those of bench/kernels.

func.func @two_contractions(%x: tensor<7x5xf32>, %w: tensor<5x9xf32>, %v: tensor<9x6xf32>, %u: tensor<9xf32>) -> (tensor<7x6xf32>, tensor<7xf32>) {
  %y:2 = tkernel.kernel (%i : 7, %j : 9, %k : 5, %l : 6) reads(%a = %x : tensor<7x5xf32>, %b = %w : tensor<5x9xf32>, %c = %v : tensor<9x6xf32>, %d = %u : tensor<9xf32>) -> (tensor<7x6xf32>, tensor<7xf32>) {
    %0 = tkernel.load %a[%i, %k] : tensor<7x5xf32>
    %1 = tkernel.load %b[%k, %j] : tensor<5x9xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.load %c[%j, %l] : tensor<9x6xf32>
    %4 = tkernel.contract %2, %3 over (%j) : f32
    %5 = tkernel.load %d[%j] : tensor<9xf32>
    %6 = arith.mulf %2, %5 : f32
    %7 = tkernel.reduce addf %6 over (%j) : f32
    %8 = arith.addf %4, %7 : f32
    tkernel.store %8, 0[%i, %l] : f32
    tkernel.store %7, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<7x6xf32>, tensor<7xf32>
}

func.func @both_axes_then_one(%x: tensor<4x6x11xf32>, %w: tensor<4x11xf32>) -> tensor<4x11xf32> {
  %y = tkernel.kernel (%i : 4, %j : 11, %k : 6) reads(%a = %x : tensor<4x6x11xf32>, %b = %w : tensor<4x11xf32>) -> tensor<4x11xf32> {
    %0 = tkernel.load %a[%i, %k, %j] : tensor<4x6x11xf32>
    %1 = tkernel.reduce addf %0 over (%k, %j) : f32
    %2 = tkernel.load %b[%i, %j] : tensor<4x11xf32>
    %3 = arith.subf %2, %1 : f32
    %4 = tkernel.reduce maximumf %3 over (%j) : f32
    %5 = tkernel.reduce maximumf %0 over (%k) : f32
    %6 = arith.subf %3, %4 : f32
    %7 = arith.addf %6, %5 : f32
    tkernel.store %7, 0[%i, %j] : f32
  }
  return %y : tensor<4x11xf32>
}

func.func @scan_of_sum(%x: tensor<5x12x3xf32>) -> (tensor<5x12xf32>, tensor<5xf32>) {
  %y:2 = tkernel.kernel (%i : 5, %j : 12, %k : 3) reads(%a = %x : tensor<5x12x3xf32>) -> (tensor<5x12xf32>, tensor<5xf32>) {
    %0 = tkernel.load %a[%i, %j, %k] : tensor<5x12x3xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    %2 = tkernel.scan addf %1 over %j : f32
    %3 = tkernel.reduce maximumf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    tkernel.store %4, 0[%i, %j] : f32
    tkernel.store %3, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<5x12xf32>, tensor<5xf32>
}

func.func @softmax_of_sum(%x: tensor<6x13x4xf32>, %w: tensor<13x3xf32>) -> (tensor<6x3xf32>, tensor<6xf32>) {
  %y:2 = tkernel.kernel (%i : 6, %e : 3, %j : 13, %k : 4) reads(%a = %x : tensor<6x13x4xf32>, %b = %w : tensor<13x3xf32>) -> (tensor<6x3xf32>, tensor<6xf32>) {
    %0 = tkernel.load %a[%i, %j, %k] : tensor<6x13x4xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    %last = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    %seen = arith.cmpi sge, %last, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %1, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x1 = arith.subf %s, %m : f32
    %p = math.exp %x1 : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %b[%j, %e] : tensor<13x3xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
    tkernel.store %m, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<6x3xf32>, tensor<6xf32>
}

func.func @norm_of_product(%x: tensor<7x5xf32>, %w: tensor<5x12xf32>) -> tensor<7x12xf32> {
  %y = tkernel.kernel (%i : 7, %j : 12, %k : 5) reads(%a = %x : tensor<7x5xf32>, %b = %w : tensor<5x12xf32>) -> tensor<7x12xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<7x5xf32>
    %1 = tkernel.load %b[%k, %j] : tensor<5x12xf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32
    %3 = tkernel.reduce addf %2 over (%j) : f32
    %4 = arith.subf %2, %3 : f32
    %5 = arith.mulf %4, %4 : f32
    %6 = tkernel.reduce addf %5 over (%j) : f32
    %7 = arith.addf %4, %6 : f32
    tkernel.store %7, 0[%i, %j] : f32
  }
  return %y : tensor<7x12xf32>
}

func.func @columns_and_rows(%x: tensor<9x14xf32>) -> (tensor<9xf32>, tensor<14xf32>, tensor<9x14xf32>) {
  %y:3 = tkernel.kernel (%i : 9, %j : 14) reads(%a = %x : tensor<9x14xf32>) -> (tensor<9xf32>, tensor<14xf32>, tensor<9x14xf32>) {
    %0 = tkernel.load %a[%i, %j] : tensor<9x14xf32>
    %1 = tkernel.reduce addf %0 over (%j) : f32
    tkernel.store %1, 0[%i] : f32
    %3 = arith.addf %0, %1 : f32
    tkernel.store %3, 2[%i, %j] : f32
    %2 = tkernel.reduce maximumf %0 over (%j, %i) : f32
    %4 = tkernel.load %a[0, %j] : tensor<9x14xf32>
    %5 = arith.addf %4, %2 : f32
    tkernel.store %5, 1[%j] : f32
  }
  return %y#0, %y#1, %y#2 : tensor<9xf32>, tensor<14xf32>, tensor<9x14xf32>
}

func.func @narrow_chain(%x: tensor<7x9xi8>, %w: tensor<9x8xi8>, %b: tensor<8xf32>) -> tensor<7x8xf32> {
  %y = tkernel.kernel (%i : 7, %j : 8, %k : 9) reads(%a = %x : tensor<7x9xi8>, %c = %w : tensor<9x8xi8>, %d = %b : tensor<8xf32>) -> tensor<7x8xf32> {
    %0 = tkernel.load %a[%i, %k] : tensor<7x9xi8>
    %1 = tkernel.load %c[%k, %j] : tensor<9x8xi8>
    %2 = tkernel.contract %0, %1 over (%k) : i8, i8 -> i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = tkernel.load %d[%j] : tensor<8xf32>
    %5 = arith.mulf %3, %4 : f32
    %6 = tkernel.reduce maximumf %5 over (%j) : f32
    %7 = arith.subf %5, %6 : f32
    tkernel.store %7, 0[%i, %j] : f32
  }
  return %y : tensor<7x8xf32>
}
