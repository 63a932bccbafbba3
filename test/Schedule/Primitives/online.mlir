// RUN: tensor-opt %s --kernel-schedule --split-input-file --verify-diagnostics

// What online and skip refuse, and the nearest legal form.

func.func @online_twice(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jr': 'jo' is online already, leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [jo, e, jr, d], tile [i], stage s as (jr, i) at jo local, keep o local, online jo, online jr]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_result(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'e' is no loop over a reduced axis: put such an axis in order, or leave online out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[order [e, j, d], tile [i], online e]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_tile(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jr' is no loop over a reduced axis: put such an axis in order, or leave online out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, d], tile [i, jr], online jr]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_inner(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jr' runs inside of 'jo', which is another part of the axis: make the outermost one online [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jr]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_warps(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': a tile holds parts of the axes of 'tkernel.contract', which is a sum of products: order these parts as loops [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 4], split e = [eo, er 4], order [jo, eo, d], tile [i, jr, er], warps 1, online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_parts(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': a tile holds parts of the axes of 'tkernel.contract', which is a sum of products: order these parts as loops [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, d], tile [i, jr], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_nest(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: order puts loop 'e' inside a reduced axis of a result that keeps it: its partial results would need memory; order it before, put it in grid or tile, or keep the result [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [jo, e, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_sum(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': no maximum or mean is reduced over 'j': without one its stages need no online, leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %p = math.exp %s : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_maxima(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': there are two maxima over 'j': leave online out, or make a kernel of one [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %n = tkernel.reduce maximumf %s0 over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %n : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_division(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': 'tkernel.contract' depends on the maximum by other means than a factor exp(x - maximum), x being what it is the maximum of: leave online out, and keep x local [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.divf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_normalised(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': 'tkernel.contract' depends on the maximum by other means than a factor exp(x - maximum), x being what it is the maximum of: leave online out, and keep x local [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %w = arith.divf %p, %l : f32
    %o = tkernel.contract %w, %2 over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_shifted(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': 'tkernel.reduce' depends on the maximum by other means than a factor exp(x - maximum), x being what it is the maximum of: leave online out, and keep x local [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], order [e, jo, jr, d], tile [i], online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s0, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_part(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'jo' names no axis of the kernel: name the whole axis, not its parts [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 3], skip jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_twice(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j' is given twice: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[skip j, skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_warps(%x: tensor<6xf32>, %w: tensor<3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip of points outside of a tensor is for programs of one thread, not with warps: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %r : 3) reads(%a = %x : tensor<6xf32>, %b = %w : tensor<3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [r], tile [i], warps 1, skip r]>} {
    %0 = tkernel.load %a[%i + %r - 2] {finite} : tensor<6xf32>
    %1 = tkernel.load %b[%r] {finite} : tensor<3xf32>
    %2 = tkernel.contract %0, %1 over (%r) : f32
    tkernel.store %2, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @skip_other(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'e': no value is masked along it: expected a select of a constant by a comparison of affine functions of axes that is false beyond a point of it, or a load of zero outside of its tensor; leave skip out where there is none [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[skip e]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_begin(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j': no value is masked along it: expected a select of a constant by a comparison of affine functions of axes that is false beyond a point of it, or a load of zero outside of its tensor; leave skip out where there is none [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sle, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_unseen(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j': some points of the results see no point of it, and what they are would change: leave skip out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[order [e, j, d], skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sgt, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_maximum(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j': 'tkernel.reduce' counts masked points: expected a maximum of minus infinity, or a sum of zero, there [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[order [e, j, d], skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s0 over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_product(%a: tensor<8x4xf32>, %b: tensor<9x4xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j': 'tkernel.contract' counts masked points: expected a maximum of minus infinity, or a sum of zero, there [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %d : 4, %e : 3) reads(%q = %a : tensor<8x4xf32>, %k = %b : tensor<9x4xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[order [e, j, d], skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<8x4xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x4xf32>
    %2 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %o = tkernel.contract %s, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %m : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @skip_store(%a: tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8xf32>) {
  // expected-error @+1 {{illegal schedule: skip 'j': a store works along it: only what is reduced over it can be left out [T0310]}}
  %y:2 = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8xf32>)
      attributes {schedule = #tkernel.schedule<[skip j]>} {
    %0 = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %0, %never : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    tkernel.store %s, 0[%i, %j] : f32
    tkernel.store %m, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<8x9xf32>, tensor<8xf32>
}

// -----

func.func @online_store(%a: tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8xf32>) {
  // expected-error @+1 {{illegal schedule: online 'j': a store works along it before the last reduction: leave online out [T0310]}}
  %y:2 = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> (tensor<8x9xf32>, tensor<8xf32>)
      attributes {schedule = #tkernel.schedule<[order [j], tile [i], online j]>} {
    %0 = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %0, %never : f32
    tkernel.store %s, 0[%i, %j] : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    tkernel.store %m, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<8x9xf32>, tensor<8xf32>
}

// -----

func.func @online_around(%a: tensor<8x9xf32>, %c: tensor<9x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': loop 'e' lies around it, along which 'tkernel.contract' runs but the maximum does not: put it in grid or tile, or leave online out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %e : 3) reads(%q = %a : tensor<8x9xf32>, %v = %c : tensor<9x3xf32>) -> tensor<8x3xf32>
      attributes {schedule = #tkernel.schedule<[order [i, e, j], online j]>} {
    %s = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %0 = tkernel.load %v[%j, %e] : tensor<9x3xf32>
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %o = tkernel.contract %p, %0 over (%j) : f32
    tkernel.store %o, 0[%i, %e] : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @online_between(%a: tensor<8x9xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{illegal schedule: online 'j': 'tkernel.store' comes between the maximum and its sums but does not run along 'j': leave online out [T0310]}}
  %y:2 = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> (tensor<8xf32>, tensor<8xf32>)
      attributes {schedule = #tkernel.schedule<[order [i, j], online j]>} {
    %s = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %m = tkernel.reduce maximumf %s over (%j) : f32
    tkernel.store %m, 0[%i] : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    tkernel.store %l, 1[%i] : f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @skip_packed(%a: tensor<8x9xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'j': what masks it is packed at kernel global, or what alone uses it is, and read there: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[tile [i], skip j, stage s at kernel global]>} {
    %0 = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_inside(%a: tensor<8x9xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': loop 'i' lies inside of it, along which the maximum varies: order it before, or put it in grid or tile [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[keep m local, order [j, i], online j]>} {
    %s = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %m = tkernel.reduce maximumf %s over (%j) {name = "m"} : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_part_inside(%a: tensor<13x3xf32>, %b: tensor<9x3xf32>, %c: tensor<9x8xf32>) -> tensor<13x8xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': loop 'e' of 'tkernel.contract' lies inside of loop 'jr', over which it sums: order it before [T0310]}}
  %y = tkernel.kernel (%i : 13, %j : 9, %d : 3, %e : 8) reads(%q = %a : tensor<13x3xf32>, %k = %b : tensor<9x3xf32>, %v = %c : tensor<9x8xf32>) -> tensor<13x8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ir 4], split j = [jo, jm 2, jr 4], grid [io], order [jo, jm, jr, e, d], tile [ir], keep o local, online jo]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<13x3xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%j, %e] : tensor<9x8xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<13x8xf32>
}

// -----

func.func @skip_of_parts_out_of_order(%a: tensor<13x3xf32>, %b: tensor<9x3xf32>, %c: tensor<9x8xf32>) -> tensor<13x8xf32> {
  // expected-error @+1 {{illegal schedule: stage 's' has dimension 'jr' before 'jo', which is outside of it, and points of their axis are skipped: name 'jo' first [T0310]}}
  %y = tkernel.kernel (%i : 13, %j : 9, %d : 3, %e : 8) reads(%q = %a : tensor<13x3xf32>, %k = %b : tensor<9x3xf32>, %v = %c : tensor<9x8xf32>) -> tensor<13x8xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ir 4], split j = [jo, jm 2, jr 4], grid [io], order [jo, jm, jr, d], tile [e, ir], stage s as (jm, jr, ir, jo) at grid local, skip j]>} {
    %0 = tkernel.load %q[%i, %d] : tensor<13x3xf32>
    %1 = tkernel.load %k[%j, %d] : tensor<9x3xf32>
    %s0 = tkernel.contract %0, %1 over (%d) : f32
    %seen = arith.cmpi sge, %i, %j : index
    %never = arith.constant 0xFF800000 : f32
    %s = arith.select %seen, %s0, %never {name = "s"} : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %v[%j, %e] : tensor<9x8xf32>
    %o = tkernel.contract %p, %2 over (%j) {name = "o"} : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%i, %e] : f32
  }
  return %y : tensor<13x8xf32>
}

// -----

func.func @online_of_sum(%a: tensor<8x9xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': the maximum is of what another reduction over 'j' gives, which is complete only after the loop: leave online out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9) reads(%q = %a : tensor<8x9xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j], online j]>} {
    %s = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %l = tkernel.reduce addf %s over (%j) : f32
    %x = arith.subf %s, %l : f32
    %m = tkernel.reduce maximumf %x over (%j) : f32
    tkernel.store %m, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_before(%a: tensor<8x9xf32>, %b: tensor<5xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': 'tkernel.reduce' comes between the maximum and its sums but does not run along 'i': leave online out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 9, %k : 5) reads(%q = %a : tensor<8x9xf32>, %w = %b : tensor<5xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [i, j, k], online j]>} {
    %s = tkernel.load %q[%i, %j] : tensor<8x9xf32>
    %l = tkernel.reduce addf %s over (%j) : f32
    %u = tkernel.load %w[%k] : tensor<5xf32>
    %t = tkernel.reduce addf %u over (%k) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.addf %l, %t : f32
    %r = arith.addf %x, %m : f32
    tkernel.store %r, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// Where a guard within the tensor fails there is one, beside the tensor too.
func.func @skip_guarded(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'r': no value is masked along it: expected a select of a constant by a comparison of affine functions of axes that is false beyond a point of it, or a load of zero outside of its tensor; leave skip out where there is none [T0310]}}
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%x = %a : tensor<4x8xf32>, %w = %b : tensor<4x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[skip r]>} {
    %0 = tkernel.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d0, d1 + d2 - 1)>, [(d0, d1, d2) : (d1 + d2 - 2 ge 0) else 1.0 : f32], else 0.0 : f32>(%c, %p, %r) : tensor<4x8xf32>
    %1 = tkernel.load %w[%c, %r] : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// An infinite weight times a zero outside is no zero.
func.func @skip_infinite(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'r': 'tkernel.contract' multiplies zeros outside of a tensor with what may be infinite: expected a constant of finite numbers, whose load is 'finite'; leave skip out [T0310]}}
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%in = %a : tensor<4x8xf32>, %weights = %b : tensor<4x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1] else 0.0 : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, %r] : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @skip_ones(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'r': 'tkernel.contract' counts masked points: expected a maximum of minus infinity, or a sum of zero, there [T0310]}}
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%in = %a : tensor<4x8xf32>, %weights = %b : tensor<4x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1] else 1.0 : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @skip_packed_border(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'r': what masks it is packed at kernel global, or what alone uses it is, and read there: leave one of them out [T0310]}}
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%in = %a : tensor<4x8xf32>, %weights = %b : tensor<4x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [c, r], tile [p], stage x as (c, r, p) at kernel global, skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r - 1] else 0.0 {name = "x"} : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @skip_inside(%a: tensor<4x10xf32>, %b: tensor<4x3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: skip 'r': no value is masked along it: expected a select of a constant by a comparison of affine functions of axes that is false beyond a point of it, or a load of zero outside of its tensor; leave skip out where there is none [T0310]}}
  %y = tkernel.kernel (%p : 8, %c : 4, %r : 3) reads(%in = %a : tensor<4x10xf32>, %weights = %b : tensor<4x3xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[skip r]>} {
    %0 = tkernel.load %in[%c, %p + %r] else 0.0 : tensor<4x10xf32>
    %1 = tkernel.load %weights[%c, %r] : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    tkernel.store %2, 0[%p] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_mean_parts(%a: tensor<8x10xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': the parts of 'j' do not divide it, so that lanes have different numbers of points: split it by divisors [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 10) reads(%x = %a : tensor<8x10xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 4], order [jo, jr], tile [i], online jo]>} {
    %n = arith.constant 10.0 : f32
    %v = tkernel.load %x[%i, %j] : tensor<8x10xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_mean_warps(%a: tensor<8x10xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'jo': a mean leads it in programs of one thread alone: leave one of them out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 10) reads(%x = %a : tensor<8x10xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jr 2], order [jo], tile [i, jr], warps 1, online jo]>} {
    %v = tkernel.load %x[%i, %j] : tensor<8x10xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %n = arith.constant 10.0 : f32
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %d2 = arith.mulf %d, %d : f32
    %q = tkernel.reduce addf %d2 over (%j) : f32
    tkernel.store %q, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

// A sum that is divided by another number is no mean.
func.func @online_no_mean(%a: tensor<8x10xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': no maximum or mean is reduced over 'j': without one its stages need no online, leave it out [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 10) reads(%x = %a : tensor<8x10xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [j], tile [i], online j]>} {
    %n = arith.constant 9.0 : f32
    %v = tkernel.load %x[%i, %j] : tensor<8x10xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @online_mean_cubed(%a: tensor<8x10xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{illegal schedule: online 'j': 'tkernel.reduce' depends on the mean by other means than (x - mean)^2, x being what it is the mean of: leave online out, and keep x local [T0310]}}
  %y = tkernel.kernel (%i : 8, %j : 10) reads(%x = %a : tensor<8x10xf32>) -> tensor<8xf32>
      attributes {schedule = #tkernel.schedule<[order [j], tile [i], online j]>} {
    %n = arith.constant 10.0 : f32
    %v = tkernel.load %x[%i, %j] : tensor<8x10xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %c = arith.mulf %q, %d : f32
    %r = tkernel.reduce addf %c over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  return %y : tensor<8xf32>
}
