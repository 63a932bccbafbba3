// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

func.func @rfactor_unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 't' names no value: give a reduction of the kernel name = "t" [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor t over j = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_value(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 'v' names no reduction: name a reduce, a contract or a scan [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor v over j = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 'm': expected one of the axes that it reduces, j, found 'i' [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over i = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_name(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 'm' gives the name 'i', which another axis has: choose another one [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over j = [i, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_long(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 'm': parts of 5 of the 8 points of 'j' are fewer than two: at most 4 [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over j = [p, q 5]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_second(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 's' is computed from the results of another reduce, 'm': use rfactor on the first one [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_late(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 'm' comes after other primitives, or in a plan: it makes kernels of their own, so it belongs to the head of the list, after merges [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], rfactor m over j = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_rest(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: tile 'j' names no axis: expected one of p, q [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 8) reads(%a = %x : tensor<8xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over j = [p, q 4], tile [j]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<8xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %s = tkernel.reduce addf %d over (%j) {name = "s"} : f32
    %q = arith.divf %d, %s : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @rfactor_scan_axis(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 's': expected one of the axes that it scans, j, found 'i' [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over i = [p, q 2]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x8xf32>
    %s = tkernel.scan addf %v over %j {name = "s"} : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @main(%x: tensor<2x10xi32>, %d: tensor<2x10xi32>) -> tensor<2x10xi32> {
  // expected-error @+1 {{illegal schedule: rfactor 's': parts of 4 end behind the 10 points of 'j', where what is scanned may divide by zero: choose a length that divides them [T0310]}}
  %y = tkernel.kernel (%i : 2, %j : 10) reads(%a = %x : tensor<2x10xi32>, %b = %d : tensor<2x10xi32>) -> tensor<2x10xi32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [jp, ji 4], grid [jp], tile [i]]>} {
    %0 = tkernel.load %a[%i, %j] : tensor<2x10xi32>
    %1 = tkernel.load %b[%i, %j] : tensor<2x10xi32>
    %2 = arith.divui %0, %1 : i32
    %3 = tkernel.scan addi %2 over %j {name = "s"} : i32
    tkernel.store %3, 0[%i, %j] : i32
  }
  return %y : tensor<2x10xi32>
}

// -----

func.func @scan_by_region(%x: tensor<4x24xf32>) -> tensor<4x24xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 's' names a scan by a region, which runs in order: leave it whole [T0310]}}
  %y = tkernel.kernel (%i : 4, %j : 24) reads(%a = %x : tensor<4x24xf32>) -> tensor<4x24xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [jp, ji 4]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x24xf32>
    %s = tkernel.scan %v over %j identities [0.0 : f32] {name = "s"} : f32 {
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      tkernel.yield %t : f32
    }
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x24xf32>
}

// -----

func.func @rfactor_led(%x: tensor<9xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{illegal schedule: rfactor 's': parts of 4 do not divide the 9 points of 'j', as parts under maxima of their own do: choose a length that divides them [T0310]}}
  %y = tkernel.kernel (%i : 1, %j : 9) reads(%a = %x : tensor<9xf32>) -> tensor<1xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over j = [p, q 4]]>} {
    %v = tkernel.load %a[%j] {name = "v"} : tensor<9xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) {name = "s"} : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<1xf32>
}
