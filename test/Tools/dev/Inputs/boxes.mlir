// What windows read of what is computed: staged as boxes, each point of which is computed once.
func.func @main(%x: tensor<3x19x21xf32>, %w: tensor<5x3x3x3xf32>, %k: tensor<5x3x3xf32>, %y: tensor<4x67xf32>, %z: tensor<2x9x33xi32>)
    -> (tensor<5x10x11xf32>, tensor<5x19x21xf32>, tensor<4x29xf32>, tensor<2x5x15xi32>, tensor<3x17x19xf32>) {
  // A convolution and a pool beyond whose border is nothing.
  %0 = tkernel.kernel @pool (%c : 5, %h : 10, %v : 11, %r : 3, %s : 3, %d : 3, %p : 3, %q : 3) reads(%a = %x : tensor<3x19x21xf32>, %b = %w : tensor<5x3x3x3xf32>) -> tensor<5x10x11xf32> {
    %1 = tkernel.load %a[%d, 2 * %h + %r + %p - 2, 2 * %v + %s + %q - 2] else 0.0 : tensor<3x19x21xf32>
    %2 = tkernel.load %b[%c, %d, %p, %q] : tensor<5x3x3x3xf32>
    %3 = tkernel.contract %1, %2 over (%d, %p, %q) : f32
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %4 = arith.maximumf %3, %zero : f32
    %row = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>(%h, %r)
    %column = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 - 1)>(%v, %s)
    %first = arith.constant 0 : index
    %below = arith.cmpi sge, %row, %first : index
    %behind = arith.cmpi sge, %column, %first : index
    %inside = arith.andi %below, %behind : i1
    %m = arith.select %inside, %4, %low {name = "box"} : f32
    %5 = tkernel.reduce maximumf %m over (%r, %s) : f32
    tkernel.store %5, 0[%c, %h, %v] : f32
  }
  // A product of channels and a convolution of each; elementwise ops between.
  %1 = tkernel.kernel @depthwise (%c : 5, %h : 19, %v : 21, %r : 3, %s : 3, %d : 3) reads(%a = %x : tensor<3x19x21xf32>, %b = %w : tensor<5x3x3x3xf32>, %e = %k : tensor<5x3x3xf32>) -> tensor<5x19x21xf32> {
    %2 = tkernel.load %a[%d, %h + %r - 1, %v + %s - 1] else 0.0 : tensor<3x19x21xf32>
    %3 = tkernel.load %b[%c, %d, 0, 1] : tensor<5x3x3x3xf32>
    %4 = tkernel.contract %2, %3 over (%d) {name = "sum"} : f32
    %m = math.tanh %4 {name = "box"} : f32
    %5 = tkernel.load %e[%c, %r, %s] : tensor<5x3x3xf32>
    %6 = tkernel.contract %m, %5 over (%r, %s) : f32
    tkernel.store %6, 0[%c, %h, %v] : f32
  }
  // One dimension, strides and dilations; nothing is summed in the box.
  %2 = tkernel.kernel @line (%c : 4, %h : 29, %r : 4) reads(%a = %y : tensor<4x67xf32>) -> tensor<4x29xf32> {
    %3 = tkernel.load %a[%c, %h + 3 * %r - 2] else 1.0 : tensor<4x67xf32>
    %m = math.exp %3 {name = "box"} : f32
    %4 = tkernel.reduce addf %m over (%r) : f32
    tkernel.store %4, 0[%c, %h] : f32
  }
  // Integers; the box in one direction alone, the other one through every second point.
  %3 = tkernel.kernel @integers (%c : 2, %h : 5, %v : 15, %r : 3, %s : 2, %p : 2) reads(%a = %z : tensor<2x9x33xi32>) -> tensor<2x5x15xi32> {
    %4 = tkernel.load %a[%c, %h + 2 * %r, 2 * %v + 2 * %s + %p] : tensor<2x9x33xi32>
    %m = arith.muli %4, %4 {name = "box"} : i32
    %5 = tkernel.reduce addi %m over (%r, %s, %p) : i32
    tkernel.store %5, 0[%c, %h, %v] : i32
  }
  // A maximum below a sum.
  %4 = tkernel.kernel @pools (%c : 3, %h : 17, %v : 19, %r : 2, %s : 2, %p : 2, %q : 2) reads(%a = %x : tensor<3x19x21xf32>) -> tensor<3x17x19xf32> {
    %5 = tkernel.load %a[%c, %h + %r + %p, %v + %s + %q] : tensor<3x19x21xf32>
    %m = tkernel.reduce maximumf %5 over (%p, %q) {name = "box"} : f32
    %6 = tkernel.reduce addf %m over (%r, %s) : f32
    tkernel.store %6, 0[%c, %h, %v] : f32
  }
  return %0, %1, %2, %3, %4 : tensor<5x10x11xf32>, tensor<5x19x21xf32>, tensor<4x29xf32>, tensor<2x5x15xi32>, tensor<3x17x19xf32>
}
