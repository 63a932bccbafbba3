// RUN: tensor-run %s --compare=interpreter --quiet

// The same as extrema-bits.mlir where loops carry one maximum at a time, alone and in vectors.
func.func @main() -> (tensor<4x17xi32>, tensor<4x35xi32>, tensor<4x35xi32>, tensor<4x35xi32>) {
  %x = tgraph.constant dense<"0x000080FF0000008000000000000000800000807F00000080000080FF000080BF000080BF0000C0FF000000000000008000000080000080FF0000000000000000000000800000C07F0000C07F0000008000000000000080FF00000000000080FF0000807F0000C07F0000C07F000000800000C07F0000807F000080FF000000000000008000000000000080BF00000000000000000000008000000080000080FF0000008000000000000080FF0000807F0000C0FF000080BF00000080000080BF0000C0FF000080FF000080FF000080FF0000807F0000C0FF0000C0FF0000008000000080000080BF0000008000000080000080FF00000080000000800000C0FF000080FF00000080000080BF00000080000080FF00000000000000800000C07F0000807F000080FF000080BF00000000000000800000C07F000080BF0000807F0000C0FF000000000000807F000080BF0000C0FF000000000000008000000000000080FF00000000000000000000000000000080000080FF0000807F00000080000080FF0000C0FF0000C07F0000C0FF0000807F000080FF0000C0FF0000008000000000000080FF000000800000000000000000000080FF0000C0FF000000800000807F00000000000080FF0000C07F0000008000000000000080FF000080FF00000080000000800000C07F00000080000000800000C07F000000800000008000000000000080FF0000807F0000C0FF000080FF00000000000080BF00000080000080FF00000080000000000000008000000080000000000000807F000080FF000000000000807F000000800000C0FF"> : tensor<4x37xf32>
  %0 = tkernel.kernel @largest (%c : 4, %q : 17, %s : 4) reads(%in = %x : tensor<4x37xf32>) -> tensor<4x17xi32> attributes {schedule = #tkernel.schedule<[order [c, q, s]]>} {
    %a = tkernel.load %in[%c, 2 * %q + %s] : tensor<4x37xf32>
    %m = tkernel.reduce maximumf %a over (%s) : f32
    %nan = arith.cmpf uno, %m, %m : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %m : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%c, %q] : i32
  }
  %1 = tkernel.kernel @smallest (%c : 4, %q : 35, %s : 3) reads(%in = %x : tensor<4x37xf32>) -> tensor<4x35xi32> attributes {schedule = #tkernel.schedule<[split q = [qo, qi 8], order [c, qo, s], tile [qi], edge q peel]>} {
    %a = tkernel.load %in[%c, %q + %s] : tensor<4x37xf32>
    %m = tkernel.reduce minimumf %a over (%s) : f32
    %nan = arith.cmpf uno, %m, %m : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %m : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%c, %q] : i32
  }
  %2 = tkernel.kernel @smallest_of_16 (%c : 4, %q : 35, %s : 3) reads(%in = %x : tensor<4x37xf32>) -> tensor<4x35xi32> attributes {schedule = #tkernel.schedule<[split q = [qo, qi 16], order [c, qo, s], tile [qi], edge q peel]>} {
    %a = tkernel.load %in[%c, %q + %s] : tensor<4x37xf32>
    %m = tkernel.reduce minimumf %a over (%s) : f32
    %nan = arith.cmpf uno, %m, %m : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %m : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%c, %q] : i32
  }
  %3 = tkernel.kernel @largest_of_16 (%c : 4, %q : 35, %s : 3) reads(%in = %x : tensor<4x37xf32>) -> tensor<4x35xi32> attributes {schedule = #tkernel.schedule<[split q = [qo, qi 16], order [c, qo, s], tile [qi], edge q peel]>} {
    %a = tkernel.load %in[%c, %q + %s] : tensor<4x37xf32>
    %m = tkernel.reduce maximumf %a over (%s) : f32
    %nan = arith.cmpf uno, %m, %m : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %m : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%c, %q] : i32
  }
  return %0, %1, %2, %3 : tensor<4x17xi32>, tensor<4x35xi32>, tensor<4x35xi32>, tensor<4x35xi32>
}
