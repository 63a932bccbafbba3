// RUN: tensor-opt %s "--host-print-prices=traits=lanes=16,fmaLatency=4,threads=1" -o /dev/null | FileCheck %s

// A position and its value wait for each other through a comparison, conditions and a choice: two and a half latencies a
// step, 63 steps, 1,000 rows. Four vectors wait together.
// CHECK: "one",{{.*}}"core":{{6[3-6][0-9][0-9][0-9][0-9][.]}}
// CHECK: "four",{{.*}}"core":{{[1-4][0-9][0-9][0-9][0-9][0-9][.]}}
!X = tensor<1000x1008xf32>
!Y = tensor<1000xi64>
func.func @main(%x: !X) -> (!Y, !Y) {
  %0 = tkernel.kernel @one (%i : 1000, %j : 1008) reads(%a = %x : !X) -> !Y
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i]]>} {
    %v = tkernel.load %a[%i, %j] : !X
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f32
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  %1 = tkernel.kernel @four (%i : 1000, %j : 1008) reads(%a = %x : !X) -> !Y
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : !X
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f32
      %same = arith.cmpf oeq, %v0, %a0 : f32
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f32
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f32, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %0, %1 : !Y, !Y
}

// Loops over parts of an axis that leave out a part between them: each of the 341 iterations that begin inside of the axis
// waits for the one before, 4 cycles each.
// CHECK: "parts",{{.*}}"core":{{1[3-9][0-9][0-9][.]}}
// Running maxima take what a maximum does for each step within a register, and for what comes before it: more than twice
// what running sums take.
// CHECK: "sums",{{.*}}"core":{{[3-4][0-9][0-9][0-9][0-9][0-9][,.]}}
// CHECK: "maxima",{{.*}}"core":{{1[0-3][0-9][0-9][0-9][0-9][0-9][,.]}}
func.func @more(%x: tensor<333x13xf32>, %y: !X) -> (tensor<13xf32>, !X, !X) {
  %0 = tkernel.kernel @parts (%i : 333, %j : 13) reads(%a = %x : tensor<333x13xf32>) -> tensor<13xf32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 31], edge i mask, split io = [ioo, ioi 16, ioj 11], edge io peel, tile [ioo, j], order [ioi, ii, ioj]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<333x13xf32>
    %r = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %r, 0[%j] : f32
  }
  %1 = tkernel.kernel @sums (%i : 1000, %j : 1008) reads(%a = %y : !X) -> !X
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i]]>} {
    %v = tkernel.load %a[%i, %j] : !X
    %r = tkernel.scan addf %v over %j : f32
    tkernel.store %r, 0[%i, %j] : f32
  }
  %2 = tkernel.kernel @maxima (%i : 1000, %j : 1008) reads(%a = %y : !X) -> !X
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 16], grid [i], order [j_o], tile [j_i]]>} {
    %v = tkernel.load %a[%i, %j] : !X
    %r = tkernel.scan maximumf %v over %j : f32
    tkernel.store %r, 0[%i, %j] : f32
  }
  return %0, %1, %2 : tensor<13xf32>, !X, !X
}
