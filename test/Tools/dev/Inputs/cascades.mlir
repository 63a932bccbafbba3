// Reductions that depend on a mean or a maximum of one of them, alone and with a result along the same axis.
func.func @main(%x: tensor<6x48xf32>, %z: tensor<4x6x32xf32>) -> (tensor<6xf32>, tensor<6x48xf32>, tensor<4x6x32xf32>, tensor<4xf32>, tensor<6xf32>) {
  %0 = tkernel.kernel @var (%i : 6, %j : 48) reads(%xs = %x : tensor<6x48xf32>) -> tensor<6xf32> {
    %n = arith.constant 48.0 : f32
    %v = tkernel.load %xs[%i, %j] {name = "v"} : tensor<6x48xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    %mean = arith.divf %s, %n {name = "mean"} : f32
    %d = arith.subf %v, %mean {name = "d"} : f32
    %q = arith.mulf %d, %d {name = "q"} : f32
    %r = tkernel.reduce addf %q over (%j) {name = "r"} : f32
    tkernel.store %r, 0[%i] : f32
  }
  %1 = tkernel.kernel @norm (%i : 6, %j : 48) reads(%xs = %x : tensor<6x48xf32>) -> tensor<6x48xf32> {
    %n = arith.constant 48.0 : f32
    %v = tkernel.load %xs[%i, %j] {name = "v"} : tensor<6x48xf32>
    %s = tkernel.reduce addf %v over (%j) {name = "s"} : f32
    %mean = arith.divf %s, %n {name = "mean"} : f32
    %d = arith.subf %v, %mean {name = "d"} : f32
    %q = arith.mulf %d, %d {name = "q"} : f32
    %r = tkernel.reduce addf %q over (%j) {name = "r"} : f32
    %y = arith.divf %d, %r {name = "y"} : f32
    tkernel.store %y, 0[%i, %j] : f32
  }
  %2 = tkernel.kernel @softmax (%b : 4, %i : 6, %j : 32) reads(%xs = %z : tensor<4x6x32xf32>) -> tensor<4x6x32xf32> {
    %v = tkernel.load %xs[%b, %i, %j] {name = "v"} : tensor<4x6x32xf32>
    %m = tkernel.reduce maximumf %v over (%j) {name = "m"} : f32
    %d = arith.subf %v, %m {name = "d"} : f32
    %e = math.exp %d {name = "e"} : f32
    %l = tkernel.reduce addf %e over (%j) {name = "l"} : f32
    %y = arith.divf %e, %l {name = "y"} : f32
    tkernel.store %y, 0[%b, %i, %j] : f32
  }
  %3 = tkernel.kernel @group (%b : 4, %i : 6, %j : 32) reads(%xs = %z : tensor<4x6x32xf32>) -> tensor<4xf32> {
    %n = arith.constant 192.0 : f32
    %v = tkernel.load %xs[%b, %i, %j] {name = "v"} : tensor<4x6x32xf32>
    %s = tkernel.reduce addf %v over (%i, %j) {name = "s"} : f32
    %mean = arith.divf %s, %n {name = "mean"} : f32
    %d = arith.subf %v, %mean {name = "d"} : f32
    %q = arith.mulf %d, %d {name = "q"} : f32
    %r = tkernel.reduce addf %q over (%i, %j) {name = "r"} : f32
    tkernel.store %r, 0[%b] : f32
  }
  %4 = tkernel.kernel @weighted (%b : 4, %i : 6, %j : 32) reads(%xs = %z : tensor<4x6x32xf32>) -> tensor<6xf32> {
    %v = tkernel.load %xs[%b, %i, %j] {name = "v"} : tensor<4x6x32xf32>
    %m = tkernel.reduce maximumf %v over (%b, %j) {name = "m"} : f32
    %d = arith.subf %v, %m {name = "d"} : f32
    %e = math.exp %d {name = "e"} : f32
    %w = arith.mulf %e, %v {name = "w"} : f32
    %l = tkernel.reduce addf %w over (%b, %j) {name = "l"} : f32
    tkernel.store %l, 0[%i] : f32
  }
  return %0, %1, %2, %3, %4 : tensor<6xf32>, tensor<6x48xf32>, tensor<4x6x32xf32>, tensor<4xf32>, tensor<6xf32>
}
