// Reductions along memory: odd rows, short rows, integers, doubles, truth values, several results.
func.func @main(%x: tensor<5x67xf32> {tgraph.name = "x"}, %z: tensor<33x5xf32> {tgraph.name = "z"},
                %i: tensor<3x96xi32> {tgraph.name = "i"}, %d: tensor<3x40xf64> {tgraph.name = "d"})
    -> (tensor<5x67xf32> {tgraph.name = "softmax"}, tensor<33xf32> {tgraph.name = "short"},
        tensor<3xi32> {tgraph.name = "smallest"}, tensor<3xf64> {tgraph.name = "product"},
        tensor<5x67xf32> {tgraph.name = "chosen"}, tensor<3xi32> {tgraph.name = "bits"}) {
  %softmax = tkernel.kernel (%r : 5, %c : 67) reads(%a = %x : tensor<5x67xf32>) -> tensor<5x67xf32> {
    %v = tkernel.load %a[%r, %c] : tensor<5x67xf32>
    %m = tkernel.reduce maximumf %v over (%c) : f32
    %e0 = arith.subf %v, %m : f32
    %e = math.exp %e0 : f32
    %s = tkernel.reduce addf %e over (%c) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%r, %c] : f32
  }
  %short = tkernel.kernel (%r : 33, %c : 5) reads(%a = %z : tensor<33x5xf32>) -> tensor<33xf32> {
    %v = tkernel.load %a[%r, %c] : tensor<33x5xf32>
    %t = math.tanh %v : f32
    %s = tkernel.reduce addf %t over (%c) : f32
    tkernel.store %s, 0[%r] : f32
  }
  %smallest = tkernel.kernel (%r : 3, %c : 96) reads(%a = %i : tensor<3x96xi32>) -> tensor<3xi32> {
    %v = tkernel.load %a[%r, %c] : tensor<3x96xi32>
    %s = tkernel.reduce mins %v over (%c) : i32
    tkernel.store %s, 0[%r] : i32
  }
  %product = tkernel.kernel (%r : 3, %c : 40) reads(%a = %d : tensor<3x40xf64>) -> tensor<3xf64> {
    %v = tkernel.load %a[%r, %c] : tensor<3x40xf64>
    %s = tkernel.reduce addf %v over (%c) : f64
    tkernel.store %s, 0[%r] : f64
  }
  %chosen = tkernel.kernel (%r : 5, %c : 67) reads(%a = %x : tensor<5x67xf32>) -> tensor<5x67xf32> {
    %v = tkernel.load %a[%r, %c] : tensor<5x67xf32>
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %m = tkernel.reduce addf %v over (%c) : f32
    %less = arith.cmpf olt, %v, %m : f32
    %small = arith.cmpf ult, %v, %one : f32
    %both = arith.andi %less, %small : i1
    %n = arith.cmpf ord, %v, %m : f32
    %all = arith.xori %both, %n : i1
    %w = arith.select %all, %v, %zero : f32
    %f = math.floor %w : f32
    %k = arith.fptosi %f : f32 to i32
    %g = arith.sitofp %k : i32 to f32
    %h = arith.subf %w, %g : f32
    tkernel.store %h, 0[%r, %c] : f32
  }
  %bits = tkernel.kernel (%r : 3, %c : 96) reads(%a = %i : tensor<3x96xi32>) -> tensor<3xi32> {
    %v = tkernel.load %a[%r, %c] : tensor<3x96xi32>
    %three = arith.constant 3 : i32
    %s = arith.shrsi %v, %three : i32
    %d2 = arith.divsi %s, %three : i32
    %u = arith.maxsi %d2, %v : i32
    %t = arith.xori %u, %s : i32
    %m = tkernel.reduce addi %t over (%c) : i32
    tkernel.store %m, 0[%r] : i32
  }
  return %softmax, %short, %smallest, %product, %chosen, %bits : tensor<5x67xf32>, tensor<33xf32>, tensor<3xi32>, tensor<3xf64>, tensor<5x67xf32>, tensor<3xi32>
}
