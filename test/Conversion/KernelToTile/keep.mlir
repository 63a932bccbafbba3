// RUN: tensor-opt %s --kernel-to-launch --kernel-to-tile --canonicalize --cse --split-input-file | FileCheck %s
// The tile forms compute what the kernels do.
// RUN: tensor-opt %s --split-input-file --interpret=digits=3 -o /dev/null > %t.kernel
// RUN: tensor-opt %s --split-input-file --kernel-to-launch --kernel-to-tile --interpret=digits=3 -o /dev/null | diff %t.kernel -

// `keep e result`: the second stage stores the exponentials into the result, the third reads them back.
// The marks say that x - max x is not positive and its exponential at most 1.
// CHECK-LABEL: ttile.func @softmax
// CHECK-SAME: results(%[[Y:.*]]: memref<4x96xf32>)
// CHECK:   scf.for
// CHECK:   ttile.reduce maximumf
// CHECK:   scf.for
// CHECK:     %[[E:.*]] = math.exp %{{.*}} {ttile.not_positive}
// CHECK:     ttile.store %[[E]], %[[Y]]
// CHECK:   ttile.reduce addf
// CHECK:   scf.for
// CHECK-NOT: math.exp
// CHECK:     %[[K:.*]] = ttile.load %[[Y]]
// CHECK:     arith.divf %[[K]], %{{.*}} {ttile.fraction}
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @softmax (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], order [jo], tile [jt], keep e result]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// The whole row as one tile: nothing is computed twice and no loop is left.
// CHECK-LABEL: ttile.func @softmax
// CHECK-NOT: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: ttile.return
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @softmax (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], keep e register]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// A scan is a loop that carries its running value.
// CHECK-LABEL: ttile.func @cumsum
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK:   %[[N:.*]] = arith.addf %[[C]]
// CHECK:   ttile.store %[[N]]
// CHECK:   scf.yield %[[N]]
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @cumsum (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[tile [i]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %s = tkernel.scan addf %v over %j : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// `keep e local`: memory of the program for one row, not the result.
// CHECK-LABEL: ttile.func @local
// CHECK-SAME: results(%[[Y:.*]]: memref<4x96xf32>)
// CHECK:   %[[M:.*]] = ttile.alloc : memref<3x32xf32, #gpu.address_space<workgroup>>
// CHECK:   %[[E:.*]] = math.exp
// CHECK:   ttile.store %[[E]], %[[M]] through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>
// CHECK:   ttile.reduce addf
// CHECK:   %[[K:.*]] = ttile.load %[[M]]
// CHECK:   %[[Q:.*]] = arith.divf %[[K]]
// CHECK:   ttile.store %[[Q]], %[[Y]]
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @local (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], order [jo], tile [jt], keep e local]>} {
    %v = tkernel.load %a[%i, %j] : tensor<4x96xf32>
    %e = math.exp %v {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// `keep s result` on a reduction: its loops may enclose those of its result, where partial results
// begin with the identity and grow. The mean is taken at the end.
// CHECK-LABEL: ttile.func @mean
// CHECK-SAME: results(%[[Y:.*]]: memref<96xf32>)
// CHECK:   scf.for
// CHECK:     ttile.store %cst{{.*}}, %[[Y]]
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       %[[R:.*]] = ttile.reduce addf %{{.*}} dims [0] : tensor<5x32xf32> -> tensor<1x32xf32>
// CHECK:       %[[P:.*]] = ttile.load %[[Y]]
// CHECK:       %[[S:.*]] = arith.addf %[[P]], %[[R]]
// CHECK:       ttile.store %[[S]], %[[Y]]
// CHECK:   scf.for
// CHECK:     %[[L:.*]] = ttile.load %[[Y]]
// CHECK:     %[[D:.*]] = arith.divf %[[L]]
// CHECK:     ttile.store %[[D]], %[[Y]]
func.func @main(%x: tensor<20x96xf32>) -> tensor<96xf32> {
  %y = tkernel.kernel @mean (%i : 20, %j : 96) reads(%a = %x : tensor<20x96xf32>) -> tensor<96xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, it 5], split j = [jo, jt 32], order [io, jo], tile [it, jt], keep s result]>} {
    %n = arith.constant 20.0 : f32
    %v = tkernel.load %a[%i, %j] : tensor<20x96xf32>
    %s = tkernel.reduce addf %v over (%i) {name = "s"} : f32
    %q = arith.divf %s, %n : f32
    tkernel.store %q, 0[%j] : f32
  }
  return %y : tensor<96xf32>
}

// -----

// The sum itself is there when the loops end; a partial strip and partial rows are peeled.
// CHECK-LABEL: ttile.func @sum
// CHECK:   ttile.store
// CHECK:   scf.for
// CHECK:   ttile.inside
// CHECK-NOT: arith.divf
// CHECK: ttile.return
func.func @main(%x: tensor<23x77xf32>) -> tensor<77xf32> {
  %y = tkernel.kernel @sum (%i : 23, %j : 77) reads(%a = %x : tensor<23x77xf32>) -> tensor<77xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, it 8], split j = [jg, jo 2, jt 16], grid [jg], order [io, jo], tile [it, jt], keep s result, edge i peel, edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<23x77xf32>
    %s = tkernel.reduce addf %v over (%i) {name = "s"} : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<77xf32>
}

// -----

// A product in pieces: a block of the sum stays in registers, the blocks add up in the result.
// CHECK-LABEL: ttile.func @product
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     %[[B:.*]] = scf.for {{.*}} iter_args
// CHECK:       ttile.mma
// CHECK:     %[[P:.*]] = ttile.load
// CHECK:     %[[S:.*]] = arith.addf %[[P]], %[[B]]
// CHECK:     ttile.store %[[S]]
func.func @main(%x: tensor<8x24xf32>, %w: tensor<24x32xf32>) -> tensor<8x32xf32> {
  %y = tkernel.kernel @product (%m : 8, %n : 32, %k : 24) reads(%a = %x : tensor<8x24xf32>, %b = %w : tensor<24x32xf32>) -> tensor<8x32xf32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 6], split n = [no, nr 16], order [ko, no, ki], tile [m, nr], keep c result]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<8x24xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<24x32xf32>
    %2 = tkernel.contract %0, %1 over(%k) {name = "c"} : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<8x32xf32>
}

// -----

// `prefetch v`: the second stage, which finds its row in the caches, fetches the next program's.
// CHECK-LABEL: ttile.func @ahead
// CHECK:   scf.for
// CHECK:     ttile.load
// CHECK-NOT: ahead
// CHECK:   ttile.reduce
// CHECK:   scf.for
// CHECK:     ttile.load {{.*}}ttile.ahead = 96
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @ahead (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], order [jo], tile [jt], prefetch v]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x96xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %q = arith.divf %v, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// `prefetch v 64`: the first stage fetches so far ahead.
// CHECK-LABEL: ttile.func @far
// CHECK:   scf.for
// CHECK:     ttile.load {{.*}}ttile.ahead = 64
// CHECK:   ttile.reduce
// CHECK-NOT: ahead
// CHECK:   ttile.return
func.func @main(%x: tensor<4x96xf32>) -> tensor<4x96xf32> {
  %y = tkernel.kernel @far (%i : 4, %j : 96) reads(%a = %x : tensor<4x96xf32>) -> tensor<4x96xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], split j = [jo, jt 32], order [jo], tile [jt], prefetch v 64]>} {
    %v = tkernel.load %a[%i, %j] {name = "v"} : tensor<4x96xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %q = arith.divf %v, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<4x96xf32>
}

// -----

// `keep c local`: the same in the program's local memory, where the result has another type. What
// follows the sum reads it back when its loops have ended.
// CHECK-LABEL: ttile.func @wide
// CHECK: %[[M:.*]] = ttile.alloc : memref<2x5x16xf32, #gpu.address_space<workgroup>>
// CHECK: ttile.store %cst{{.*}}, %[[M]]
// CHECK: %[[B:.*]] = scf.for {{.*}} iter_args
// CHECK: %[[P:.*]] = ttile.load %[[M]]
// CHECK: arith.addf %[[P]], %[[B]]
// CHECK: arith.addf
// CHECK: %[[S:.*]] = ttile.load %[[M]]
// CHECK-NEXT: arith.extf %[[S]]
func.func @main(%x: tensor<5x20xf32>, %w: tensor<20x32xf32>) -> tensor<5x32xf64> {
  %y = tkernel.kernel @wide (%m : 5, %n : 32, %k : 20) reads(%a = %x : tensor<5x20xf32>, %b = %w : tensor<20x32xf32>) -> tensor<5x32xf64>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 6], split n = [no, nr 16], order [ko, no, ki], tile [m, nr], keep c local, edge k peel]>} {
    %0 = tkernel.load %a[%m, %k] : tensor<5x20xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<20x32xf32>
    %c = tkernel.contract %0, %1 over (%k) {name = "c"} : f32
    %t = arith.extf %c : f32 to f64
    tkernel.store %t, 0[%m, %n] : f64
  }
  return %y : tensor<5x32xf64>
}
