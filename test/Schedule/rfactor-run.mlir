// Reductions in parts give what the unscheduled kernels do: with and without a rest, of several values, in sequence.
// RUN: tensor-run %s --compare=interpreter --threads=2 --quiet
// RUN: tensor-run %s --check-every-kernel --threads=1 --quiet
func.func @main(%x: tensor<1x1009xf32> {tgraph.name = "x"}, %w: tensor<1009x37xf32> {tgraph.name = "w"})
    -> (tensor<37xf32> {tgraph.name = "gemv"}, tensor<1xi64> {tgraph.name = "argmax"}, tensor<1009xf32> {tgraph.name = "softmax"}, tensor<1xf32> {tgraph.name = "all"}) {
  %p = tkernel.kernel @gemv (%n : 37, %k : 1009) reads(%a = %x : tensor<1x1009xf32>, %b = %w : tensor<1009x37xf32>) -> tensor<37xf32>
      attributes {schedule = #tkernel.schedule<[rfactor s over k = [kp, ki 100], split n = [no, nl 16], grid [kp, no], order [ki], tile [nl]]>} {
    %0 = tkernel.load %a[0, %k] : tensor<1x1009xf32>
    %1 = tkernel.load %b[%k, %n] : tensor<1009x37xf32>
    %2 = tkernel.contract %0, %1 over (%k) {name = "s"} : f32
    %3 = math.tanh %2 : f32
    tkernel.store %3, 0[%n] : f32
  }
  %q = tkernel.kernel @argmax (%o : 1, %j : 1009) reads(%a = %x : tensor<1x1009xf32>) -> tensor<1xi64>
      attributes {schedule = #tkernel.schedule<[rfactor best over j = [jp, ji 144], split ji = [jo, jl 16], grid [jp], order [jo], tile [jl]]>} {
    %v = tkernel.load %a[%o, %j] : tensor<1x1009xf32>
    %n = arith.index_cast %j : index to i64
    %b:2 = tkernel.reduce %v, %n over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] {name = "best"} : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      %g = arith.cmpf ogt, %v0, %a0 : f32
      %e = arith.cmpf oeq, %v0, %a0 : f32
      %l = arith.cmpi slt, %v1, %a1 : i64
      %f = arith.andi %e, %l : i1
      %c = arith.ori %g, %f : i1
      %s0 = arith.select %c, %v0, %a0 : f32
      %s1 = arith.select %c, %v1, %a1 : i64
      tkernel.yield %s0, %s1 : f32, i64
    }
    tkernel.store %b#1, 0[%o] : i64
  }
  %r = tkernel.kernel @softmax (%j : 1009) reads(%a = %x : tensor<1x1009xf32>) -> tensor<1009xf32>
      attributes {schedule = #tkernel.schedule<[rfactor m over j = [jp, ji 504]]>} {
    %v = tkernel.load %a[0, %j] : tensor<1x1009xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %t = arith.divf %e, %s : f32
    tkernel.store %t, 0[%j] : f32
  }
  %t = tkernel.kernel @all (%o : 1, %i : 1009, %j : 37) reads(%a = %w : tensor<1009x37xf32>) -> tensor<1xf32>
      attributes {schedule = #tkernel.schedule<[merge r = [i, j], rfactor s over r = [rp, ri 4096], rfactor s over ri = [rq, rr 1000], grid [rp, rq]]>} {
    %v = tkernel.load %a[%i, %j] : tensor<1009x37xf32>
    %s = tkernel.reduce addf %v over (%i, %j) {name = "s"} : f32
    tkernel.store %s, 0[%o] : f32
  }
  return %p, %q, %r, %t : tensor<37xf32>, tensor<1xi64>, tensor<1009xf32>, tensor<1xf32>
}
