// Scans by regions: recurrences across and along rows, several tensors at once, from either end, of halves, integers
// and bools, and of a size that nothing divides; what comes before and behind them is computed beside.
func.func @main(%a: tensor<3x301x40xf32> {tgraph.name = "a"}, %b: tensor<3x301x40xf32> {tgraph.name = "b"},
                %r: tensor<9x513xf32> {tgraph.name = "r"}, %h: tensor<70x33xbf16> {tgraph.name = "h"},
                %n: tensor<61x20xi32> {tgraph.name = "n"}, %starts: tensor<61x20xi1> {tgraph.name = "s"},
                %l: tensor<4001xf32> {tgraph.name = "l"})
    -> (tensor<3x301x40xf32> {tgraph.name = "states"}, tensor<9x513xf32> {tgraph.name = "products"},
        tensor<9x513xf32> {tgraph.name = "sums"}, tensor<70x33xbf16> {tgraph.name = "halves"},
        tensor<61x20xi32> {tgraph.name = "segments"}, tensor<4001xf32> {tgraph.name = "long"},
        tensor<4001xi64> {tgraph.name = "where"}) {
  // h = sigmoid(a) * h + b, of which the states alone are read.
  %gate = tgraph.sigmoid %a : tensor<3x301x40xf32>
  %0:2 = tgraph.associative_scan %gate, %b dim 1 : tensor<3x301x40xf32>, tensor<3x301x40xf32> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %s : tensor<f32>, tensor<f32>
  }
  %states = tgraph.tanh %0#1 : tensor<3x301x40xf32>
  // The same along rows, from the end, both results.
  %w = tgraph.tanh %r : tensor<9x513xf32>
  %1:2 = tgraph.associative_scan %w, %r dim 1 reverse : tensor<9x513xf32>, tensor<9x513xf32> {
  ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
    %p = tgraph.mul %a1, %a0 : tensor<f32>
    %q = tgraph.mul %a1, %b0 : tensor<f32>
    %s = tgraph.add %q, %b1 : tensor<f32>
    tgraph.yield %p, %s : tensor<f32>, tensor<f32>
  }
  // log(exp(a) + exp(b)) of halves, in f32.
  %halves = tgraph.associative_scan %h dim 0 : tensor<70x33xbf16> {
  ^bb0(%u: tensor<f32>, %v: tensor<f32>):
    %most = tgraph.maximum %u, %v : tensor<f32>
    %least = tgraph.minimum %u, %v : tensor<f32>
    %d = tgraph.sub %least, %most : tensor<f32>
    %e = tgraph.exp %d : tensor<f32>
    %one = tgraph.constant dense<1.0> : tensor<f32>
    %t = tgraph.add %one, %e : tensor<f32>
    %g = tgraph.log %t : tensor<f32>
    %z = tgraph.add %most, %g : tensor<f32>
    tgraph.yield %z : tensor<f32>
  }
  // Sums that begin anew where bools say so.
  %2:2 = tgraph.associative_scan %starts, %n dim 0 : tensor<61x20xi1>, tensor<61x20xi32> {
  ^bb0(%s0: tensor<i1>, %n0: tensor<i32>, %s1: tensor<i1>, %n1: tensor<i32>):
    %any = tgraph.or %s0, %s1 : tensor<i1>
    %sum = tgraph.add %n0, %n1 : tensor<i32>
    %t = tgraph.select %s1, %n1, %sum : tensor<i32>
    tgraph.yield %any, %t : tensor<i1>, tensor<i32>
  }
  // The largest so far and where it is, of one long row.
  %places = tgraph.iota dim 0 : tensor<4001xi64>
  %3:2 = tgraph.associative_scan %l, %places dim 0 : tensor<4001xf32>, tensor<4001xi64> {
  ^bb0(%x0: tensor<f32>, %i0: tensor<i64>, %x1: tensor<f32>, %i1: tensor<i64>):
    %isMore = tgraph.compare gt, %x1, %x0 : tensor<f32>
    %x = tgraph.select %isMore, %x1, %x0 : tensor<f32>
    %i = tgraph.select %isMore, %i1, %i0 : tensor<i64>
    tgraph.yield %x, %i : tensor<f32>, tensor<i64>
  }
  return %states, %1#0, %1#1, %halves, %2#1, %3#0, %3#1
    : tensor<3x301x40xf32>, tensor<9x513xf32>, tensor<9x513xf32>, tensor<70x33xbf16>, tensor<61x20xi32>, tensor<4001xf32>, tensor<4001xi64>
}
