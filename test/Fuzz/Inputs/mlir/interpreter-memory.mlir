// fuzz: tensor-opt --interpret=integers=true
func.func @main(%q: tensor<2x520x1xf32>, %k: tensor<2x9223372036854775807x1xf32>, %v: tensor<2x9223372036854775807x2xf32>) -> tensor<2x520x2xf32> {
  %y = tkernel.kernel (%h : 2, %i : 520, %j : 9223372036854775807, %d : 1, %e : 2) reads(%a = %q : tensor<2x520x1xf32>, %b = %k : tensor<2x9223372036854775807x1xf32>, %c = %v : tensor<2x9223372036854775807x2xf32>) -> tensor<2x520x2xf32> {
    %0 = tkernel.load %a[%h, %i, %d] : tensor<2x520x1xf32>
    %1 = tkernel.load %b[%h, %j, %d] : tensor<2x9223372036854775807x1xf32>
    %s = tkernel.contract %0, %1 over (%d) : f32
    %m = tkernel.reduce maximumf %s over (%j) : f32
    %x = arith.subf %s, %m : f32
    %p = math.exp %x : f32
    %l = tkernel.reduce addf %p over (%j) : f32
    %2 = tkernel.load %c[%h, %j, %e] : tensor<2x9223372036854775807x2xf32>
    %o = tkernel.contract %p, %2 over (%j) : f32
    %r = arith.divf %o, %l : f32
    tkernel.store %r, 0[%h, %i, %e] : f32
  }
  return %y : tensor<2x520x2xf32>
}
