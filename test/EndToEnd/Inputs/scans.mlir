// Running sums along rows and across them: long and short, from either end, with and without the element itself, of
// integers, doubles and halves, of extents that nothing divides, and beside sums of the same row.
func.func @main(%x: tensor<5x3001xf32> {tgraph.name = "x"}, %l: tensor<1x20000xi32> {tgraph.name = "l"},
                %t: tensor<700x5xi32> {tgraph.name = "t"}, %d: tensor<3x513xf64> {tgraph.name = "d"},
                %h: tensor<2x300xf16> {tgraph.name = "h"}, %g: tensor<4x97x20xi64> {tgraph.name = "g"},
                %n: tensor<8x300xi16> {tgraph.name = "s"}, %u: tensor<8x300xui32> {tgraph.name = "u"},
                %p: tensor<1x50001xf32> {tgraph.name = "p"}, %back: tensor<2x40000x1xi32> {tgraph.name = "e"})
    -> (tensor<5x3001xf32> {tgraph.name = "rows"}, tensor<1x20000xi32> {tgraph.name = "long"},
        tensor<700x5xi32> {tgraph.name = "across"}, tensor<3x513xf64> {tgraph.name = "largest"},
        tensor<2x300xf16> {tgraph.name = "halves"}, tensor<5x3001xf32> {tgraph.name = "shares"},
        tensor<4x97x20xi64> {tgraph.name = "between"}, tensor<8x300xi16> {tgraph.name = "short"},
        tensor<8x300xui32> {tgraph.name = "unsigned"}, tensor<1x50001xf32> {tgraph.name = "parts"},
        tensor<2x40000x1xi32> {tgraph.name = "ends"}) {
  %rows = tgraph.scan add %x dim 1 : tensor<5x3001xf32>
  %long = tgraph.scan add %l dim 1 {exclusive} : tensor<1x20000xi32>
  %across = tgraph.scan add %t dim 0 {reverse} : tensor<700x5xi32>
  %largest = tkernel.kernel (%i : 3, %j : 513) reads(%a = %d : tensor<3x513xf64>) -> tensor<3x513xf64> {
    %v = tkernel.load %a[%i, %j] : tensor<3x513xf64>
    %s = tkernel.scan maximumf %v over %j exclusive reverse : f64
    tkernel.store %s, 0[%i, %j] : f64
  }
  %halves = tgraph.scan add %h dim 1 : tensor<2x300xf16>
  %shares = tkernel.kernel (%i : 5, %j : 3001) reads(%a = %x : tensor<5x3001xf32>) -> tensor<5x3001xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<5x3001xf32>
    %e = math.exp %v : f32
    %all = tkernel.reduce addf %e over (%j) : f32
    %s = tkernel.scan addf %e over %j : f32
    %q = arith.divf %s, %all : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  %between = tgraph.scan add %g dim 1 {exclusive} : tensor<4x97x20xi64>
  %short = tgraph.scan max %n dim 1 : tensor<8x300xi16>
  %unsigned = tgraph.scan max %u dim 1 : tensor<8x300xui32>
  // Few and long: in parts on GPUs.
  %parts = tgraph.scan max %p dim 1 : tensor<1x50001xf32>
  %ends = tgraph.scan add %back dim 1 {exclusive, reverse} : tensor<2x40000x1xi32>
  return %rows, %long, %across, %largest, %halves, %shares, %between, %short, %unsigned, %parts, %ends
    : tensor<5x3001xf32>, tensor<1x20000xi32>, tensor<700x5xi32>, tensor<3x513xf64>, tensor<2x300xf16>, tensor<5x3001xf32>, tensor<4x97x20xi64>,
      tensor<8x300xi16>, tensor<8x300xui32>, tensor<1x50001xf32>, tensor<2x40000x1xi32>
}
