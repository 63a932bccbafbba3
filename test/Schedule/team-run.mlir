// Loops that a team shares, by one thread up to more than there are cores: equal to the interpreter's results, and
// no race between iterations.
// RUN: tensor-run %s --compare=interpreter --threads=1 --quiet --output=%t.1.npy
// RUN: tensor-run %s --compare=interpreter --threads=2 --quiet --output=%t.2.npy
// RUN: tensor-run %s --compare=interpreter --threads=7 --quiet --output=%t.7.npy
// RUN: tensor-run %s --check-every-kernel --threads=3 --quiet
// RUN: cmp %t.1.npy %t.2.npy
// RUN: cmp %t.1.npy %t.7.npy
// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse -o %t.tile
// RUN: tensor-opt %t.tile --interpret="entry=panels check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=blocks check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=softmax check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=window check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=contracted check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=once check-races" -o /dev/null
// RUN: tensor-opt %t.tile --interpret="entry=parts check-races" -o /dev/null
// RUN: FileCheck %s --check-prefix=PARTS < %t.tile
// PARTS-LABEL: ttile.func @parts
// PARTS:         scf.forall (%{{.*}}) in (5) {
// PARTS:         scf.forall (%{{.*}}, %{{.*}}) in (4, 2) {

func.func @main(%x: tensor<29x23xf32> {tgraph.name = "x"}, %w: tensor<23x37xf32> {tgraph.name = "w"}) -> tensor<29x37xf32> {
  // Panels of both operands, masked at the ends of both axes.
  %0 = tkernel.kernel @panels (%m : 29, %n : 37, %k : 23) reads(%a = %x : tensor<29x23xf32>, %b = %w : tensor<23x37xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mi 2, mr 4], split n = [no, nr 16], order [no, mo, mi, k], team [mo], tile [mr, nr], stage rhs as (k, nr) at no local, stage lhs as (mi, k, mr) at mo local]>} {
    %p = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<29x23xf32>
    %q = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<23x37xf32>
    %s = tkernel.contract %p, %q over (%k) : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  // Blocks of k outside, partial sums in the result; rows peeled, panels of the columns as long as tiles reach.
  %1 = tkernel.kernel @blocks (%m : 29, %n : 37, %k : 37) reads(%a = %0 : tensor<29x37xf32>, %b = %w : tensor<23x37xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 16], split k = [ko, ki 8], order [ko, mo, no, ki], team [mo], tile [mr, nr], stage rhs as (no, ki, nr) at ko local, keep c result, edge m peel, edge k peel]>} {
    %p = tkernel.load %a[%m, %k] : tensor<29x37xf32>
    %c22 = arith.constant 22 : index
    %row = arith.minsi %k, %c22 : index
    %q = tkernel.load %b[%row, %n] {name = "rhs"} : tensor<23x37xf32>
    %s = tkernel.contract %p, %q over (%k) {name = "c"} : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  // A softmax with its exponentials in memory of the team; programs one after the other.
  %2 = tkernel.kernel @softmax (%h : 1, %i : 29, %j : 37) reads(%a = %1 : tensor<29x37xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split i = [ia, ib 5, ic 3], split j = [jo, jt 8], grid [ia], order [ib, ic, jo], team [ib], tile [jt], keep e local, edge i peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<29x37xf32>
    %top = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %top : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  // Two axes at once, a window that all copy, programs that share memory one after the other.
  %3 = tkernel.kernel @window (%p : 27, %q : 35, %r : 3, %s : 3) reads(%a = %2 : tensor<29x37xf32>) -> tensor<27x35xf32>
      attributes {schedule = #tkernel.schedule<[split p = [po, pi 9], split q = [qo, qr 8], grid [po], order [pi, qo, r, s], team [pi, qo], tile [qr], stage v window at grid local]>} {
    %v = tkernel.load %a[%p + %r, %q + %s] {name = "v"} : tensor<29x37xf32>
    %m = tkernel.reduce addf %v over (%r, %s) : f32
    tkernel.store %m, 0[%p, %q] : f32
  }
  // A contraction that all compute in memory of the team, from panels that one thread has for itself or all share.
  %4 = tkernel.kernel @contracted (%m : 29, %n : 37, %k : 23) reads(%a = %x : tensor<29x23xf32>, %b = %w : tensor<23x37xf32>, %z = %3 : tensor<27x35xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 8], order [mo, no, k], team [no], tile [mr, nr], stage rhs at grid local, stage s at mo local]>} {
    %p = tkernel.load %a[%m, %k] : tensor<29x23xf32>
    %q = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<23x37xf32>
    %s = tkernel.contract %p, %q over (%k) {name = "s"} : f32
    %c26 = arith.constant 26 : index
    %c34 = arith.constant 34 : index
    %row = arith.minsi %m, %c26 : index
    %column = arith.minsi %n, %c34 : index
    %u = tkernel.load %z[%row, %column] : tensor<27x35xf32>
    %t = arith.addf %s, %u : f32
    tkernel.store %t, 0[%m, %n] : f32
  }
  // The same where the team's first loop has one iteration, which is not a dimension of the buffer that all fill.
  %5 = tkernel.kernel @once (%m : 29, %n : 37, %k : 37) reads(%a = %4 : tensor<29x37xf32>, %b = %w : tensor<23x37xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mi 4, mr 8], split n = [no, nr 8], order [mi, mo, no, k], team [mo, no], tile [mr, nr], stage s at mi local]>} {
    %p = tkernel.load %a[%m, %k] : tensor<29x37xf32>
    %c22 = arith.constant 22 : index
    %row = arith.minsi %k, %c22 : index
    %q = tkernel.load %b[%row, %n] : tensor<23x37xf32>
    %s = tkernel.contract %p, %q over (%k) {name = "s"} : f32
    tkernel.store %s, 0[%m, %n] : f32
  }
  // Two parts of one axis, named in another order than that of the loops, and sums that are the same for all of the
  // team's iterations, which is right for a buffer that all fill.
  %6 = tkernel.kernel @parts (%m : 29, %n : 37, %k : 37) reads(%a = %5 : tensor<29x37xf32>, %b = %w : tensor<23x37xf32>) -> tensor<29x37xf32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mi 2, mr 4], split n = [no, nr 8], order [mo, mi, no, k], team [mi, mo], tile [mr, nr], stage s at grid local]>} {
    %c0 = arith.constant 0 : index
    %c22 = arith.constant 22 : index
    %row = arith.minsi %k, %c22 : index
    %p = tkernel.load %a[%c0, %k] : tensor<29x37xf32>
    %q = tkernel.load %b[%row, %n] : tensor<23x37xf32>
    %s = tkernel.contract %p, %q over (%k) {name = "s"} : f32
    %v = tkernel.load %a[%m, %n] : tensor<29x37xf32>
    %t = arith.addf %s, %v : f32
    tkernel.store %t, 0[%m, %n] : f32
  }
  return %6 : tensor<29x37xf32>
}
