// --deterministic admits only what leaves the order of every sum alone. The default schedule then has no
// lanes along what is reduced.
// RUN: tensor-opt %s --kernel-schedule="deterministic=true traits=threads=1" --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: #tkernel.schedule<[split m = [m_o, m_i 16], order [m_o, k], tile [m_i], edge m mask]>
func.func @sum(%x: tensor<50x100xf32>) -> tensor<50xf32> {
  %y = tkernel.kernel (%m : 50, %k : 100) reads(%a = %x : tensor<50x100xf32>) -> tensor<50xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<50x100xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<50xf32>
}

// -----

func.func @tile(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule is not deterministic: 'tile [ki]' is reassociating: it holds parts of a reduced axis, which are summed before the others; tile axes that are not reduced, and put the reduced ones in order [T0310]}}
  %y = tkernel.kernel (%m : 64, %k : 128) reads(%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, ki 16], grid [m], tile [ki]]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x128xf32>
    %1 = tkernel.reduce addf %0 over (%k) : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

func.func @order(%x: tensor<64x32x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule is not deterministic: 'order [k, j]' is reassociating: reduced axes run in another order than in the kernel; keep theirs [T0310]}}
  %y = tkernel.kernel (%m : 64, %j : 32, %k : 128) reads(%a = %x : tensor<64x32x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[grid [m], order [k, j]]>} {
    %0 = tkernel.load %a[%m, %j, %k] : tensor<64x32x128xf32>
    %1 = tkernel.reduce addf %0 over (%j, %k) : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

func.func @partial(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule is not deterministic: 'keep s result' is reassociating: the loops come back to a sum in memory with parts that were summed apart; put the reduced axes last in order [T0310]}}
  %y = tkernel.kernel (%m : 64, %k : 128) reads(%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, ki 16], order [ko, m, ki], keep s result]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x128xf32>
    %1 = tkernel.reduce addf %0 over (%k) {name = "s"} : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

// One point at a time is added to the sum in memory, in the kernel's order.
// CHECK-LABEL: @points
// CHECK: keep s result
func.func @points(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel (%m : 64, %k : 128) reads(%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[split m = [mo, mi 16], order [k, mo], tile [mi], keep s result]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x128xf32>
    %1 = tkernel.reduce addf %0 over (%k) {name = "s"} : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

// The parts of a split axis, in their order, run as the axis did.
// CHECK-LABEL: @parts
func.func @parts(%x: tensor<64x32x128xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel (%m : 64, %j : 32, %k : 128) reads(%a = %x : tensor<64x32x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, ki 16], split m = [mo, mi 16], order [mo, j, ko, ki], tile [mi]]>} {
    %0 = tkernel.load %a[%m, %j, %k] : tensor<64x32x128xf32>
    %1 = tkernel.reduce addf %0 over (%j, %k) : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

func.func @online(%x: tensor<8x9xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule is not deterministic: 'online j' is reassociating: sums are corrected where the maximum or mean changes; leave it out, and keep what that is taken of local [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9) reads(%a = %x : tensor<8x9xf32>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[grid [i], order [j], online j]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<8x9xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %1 = arith.subf %s, %m : f32
    %p = math.exp %1 : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    tkernel.store %l, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @skip(%x: tensor<8x9xf32>) -> tensor<8xf32> {
  // expected-error @below {{schedule is not deterministic: 'skip j' is reassociating: zeros of masked points times infinity are left out; leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9) reads(%a = %x : tensor<8x9xf32>) -> tensor<8xf32> attributes {schedule = #tkernel.schedule<[grid [i], order [j], skip j]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<8x9xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %1 = arith.subf %s, %m : f32
    %p = math.exp %1 : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    tkernel.store %l, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @parts_apart(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  // expected-error @below {{schedule is not deterministic: 'rfactor s over k = [kp, ki 16]' is reassociating: parts of a reduced axis are combined by themselves; leave it out [T0310]}}
  %y = tkernel.kernel (%m : 64, %k : 128) reads(%a = %x : tensor<64x128xf32>) -> tensor<64xf32> attributes {schedule = #tkernel.schedule<[rfactor s over k = [kp, ki 16]]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x128xf32>
    %1 = tkernel.reduce addf %0 over (%k) {name = "s"} : f32
    tkernel.store %1, 0[%m] : f32
  }
  return %y : tensor<64xf32>
}

// -----

// Integers wrap: their sums are the same in any order and in any groups.
// CHECK-LABEL: @bytes
// CHECK: contract kg dot
func.func @bytes(%x: tensor<64x32xi8>, %w: tensor<32x64xi8>) -> tensor<64x64xi32> {
  %y = tkernel.kernel (%m : 64, %n : 64, %k : 32) reads(%a = %x : tensor<64x32xi8>, %b = %w : tensor<32x64xi8>) -> tensor<64x64xi32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 4], split n = [no, nr 16], grid [m], order [no, ko], tile [kg, nr], contract kg dot]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x32xi8>
    %1 = tkernel.load %b[%k, %n] : tensor<32x64xi8>
    %2 = tkernel.contract %0, %1 over (%k) : i8, i8 -> i32
    tkernel.store %2, 0[%m, %n] : i32
  }
  return %y : tensor<64x64xi32>
}

// -----

func.func @pairs(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x64xf32> {
  // expected-error @below {{schedule is not deterministic: 'tile [kg, nr]' is reassociating: it holds parts of a reduced axis, which are summed before the others; tile axes that are not reduced, and put the reduced ones in order [T0310]}}
  %y = tkernel.kernel (%m : 64, %n : 64, %k : 32) reads(%a = %x : tensor<64x32xbf16>, %b = %w : tensor<32x64xbf16>) -> tensor<64x64xf32> attributes {schedule = #tkernel.schedule<[split k = [ko, kg 2], split n = [no, nr 16], grid [m], order [no, ko], tile [kg, nr], contract kg dot]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x32xbf16>
    %1 = tkernel.load %b[%k, %n] : tensor<32x64xbf16>
    %2 = tkernel.contract %0, %1 over (%k) : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

// Extended operands have the same products.
// CHECK-LABEL: @wide
// CHECK: widen s = [p, q]
func.func @wide(%x: tensor<64x32xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x64xf32> {
  %y = tkernel.kernel (%m : 64, %n : 64, %k : 32) reads(%a = %x : tensor<64x32xbf16>, %b = %w : tensor<32x64xbf16>) -> tensor<64x64xf32> attributes {schedule = #tkernel.schedule<[widen s = [p, q], split n = [no, nr 16], grid [m], order [no, k], tile [nr], stage q as (no, k, nr) at kernel global]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<64x32xbf16>
    %1 = tkernel.load %b[%k, %n] : tensor<32x64xbf16>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : bf16, bf16 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<64x64xf32>
}

// -----

// Lanes along a scan combine in steps of 1, 2, 4 .., in another order for vectors of another width. Integers do not mind.
// CHECK-LABEL: @scans
// CHECK: @floats {{.*}} #tkernel.schedule<[split m = [m_o, m_i 16], order [m_o, k], tile [m_i], edge m mask]>
// CHECK: @integers {{.*}} tile [k_i]
func.func @scans(%x: tensor<50x128xf32>, %z: tensor<50x128xi32>) -> (tensor<50x128xf32>, tensor<50x128xi32>) {
  %y = tkernel.kernel @floats (%m : 50, %k : 128) reads(%a = %x : tensor<50x128xf32>) -> tensor<50x128xf32> {
    %0 = tkernel.load %a[%m, %k] : tensor<50x128xf32>
    %1 = tkernel.scan addf %0 over %k : f32
    tkernel.store %1, 0[%m, %k] : f32
  }
  %w = tkernel.kernel @integers (%m : 50, %k : 128) reads(%a = %z : tensor<50x128xi32>) -> tensor<50x128xi32> {
    %0 = tkernel.load %a[%m, %k] : tensor<50x128xi32>
    %1 = tkernel.scan addi %0 over %k : i32
    tkernel.store %1, 0[%m, %k] : i32
  }
  return %y, %w : tensor<50x128xf32>, tensor<50x128xi32>
}
