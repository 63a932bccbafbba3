// Values that are kept in a result lie where it is stored in the end, and are brought once for both: softmax of rows that
// the second cache holds computes each exponential once, where units are as wide as registers.
// RUN: tensor-opt %s --host-print-prices=traits=dataPathBytes=64,fmaPerCycle=2,divideCycles=2.5 -o /dev/null | %python %S/Inputs/check-prices.py

func.func @kept_fast(%x: tensor<37x100003xf32>) -> tensor<37x100003xf32> {
  %y = tkernel.kernel @kept_fast (%i : 37, %j : 100003) reads(%a = %x : tensor<37x100003xf32>) -> tensor<37x100003xf32>
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], keep e result, edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<37x100003xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<37x100003xf32>
}

func.func @kept_slow(%x: tensor<37x100003xf32>) -> tensor<37x100003xf32> {
  %y = tkernel.kernel @kept_slow (%i : 37, %j : 100003) reads(%a = %x : tensor<37x100003xf32>) -> tensor<37x100003xf32>
      attributes {schedule = #tkernel.schedule<[split j = [j_o, j_i 64], grid [i], order [j_o], tile [j_i], edge j peel]>} {
    %v = tkernel.load %a[%i, %j] : tensor<37x100003xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d {name = "e"} : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<37x100003xf32>
}
