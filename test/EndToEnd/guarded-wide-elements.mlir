// RUN: random-schedules --own --cpu=x86-64-v3 --opt=0 %s | FileCheck %s
// RUN: random-schedules --own --cpu=x86-64-v3 --opt=3 --seed=1 %s | FileCheck %s
// RUN: random-schedules --own --opt=3 --seed=1 %s | FileCheck %s
// RUN: random-schedules --own --opt=3 --seed=2 %s | FileCheck %s

// CHECK: 2 schedules of 2 kernels, seed {{[0-9]+}}: 0 failures

// A row of 5 elements of 64 bits takes two registers of 256 bits. Where the row of the image is known to be inside
// or not for all lanes, and the columns for each, none of the second register's may be: LLVM read them all.
func.func @pool(%x: tensor<23x5xf64>) -> tensor<24x5xf64> {
  %y = tkernel.kernel (%p : 24, %q : 5, %s : 4) reads(%a = %x : tensor<23x5xf64>) -> tensor<24x5xf64>
      attributes {schedule = #tkernel.schedule<[tile [q]]>} {
    %v = tkernel.load %a[%p - 1, %q + %s - 2] else 0xFFF0000000000000 : tensor<23x5xf64>
    %m = tkernel.reduce maximumf %v over (%s) : f64
    tkernel.store %m, 0[%p, %q] : f64
  }
  return %y : tensor<24x5xf64>
}

// The last two lanes that an argmax is left with: LLVM compared the first one with itself.
func.func @argmax(%x: tensor<40x15xf64>) -> tensor<40xi64> {
  %y = tkernel.kernel (%i : 40, %j : 15) reads(%a = %x : tensor<40x15xf64>) -> tensor<40xi64>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 16], grid [i], tile [ji]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<40x15xf64>
    %p = arith.index_cast %j : index to i64
    %m:2 = tkernel.reduce %v, %p over (%j) identities [0xFFF0000000000000 : f64, 9223372036854775807 : i64] : f64, i64 {
    ^bb0(%a0: f64, %a1: i64, %v0: f64, %v1: i64):
      %more = arith.cmpf ogt, %v0, %a0 : f64
      %same = arith.cmpf oeq, %v0, %a0 : f64
      %before = arith.cmpi slt, %v1, %a1 : i64
      %first = arith.andi %same, %before : i1
      %take = arith.ori %more, %first : i1
      %r0 = arith.select %take, %v0, %a0 : f64
      %r1 = arith.select %take, %v1, %a1 : i64
      tkernel.yield %r0, %r1 : f64, i64
    }
    tkernel.store %m#1, 0[%i] : i64
  }
  return %y : tensor<40xi64>
}
