// Branches and loops on the host give the interpreter's numbers, for an odd and an even number of iterations.
// REQUIRES: compiler
// RUN: tensor-run %s --device=host --compare=interpreter --no-cache | FileCheck %s
// CHECK: ok
// CHECK-NOT: DIFFERS

func.func @main(%x: tensor<8x64xf32> {tgraph.name = "x"}, %w: tensor<64x64xf32> {tgraph.name = "w"}, %t: tensor<301x8x64xf32> {tgraph.name = "t"},
                %n: tensor<i64> {tgraph.name = "n"})
    -> (tensor<8x64xf32> {tgraph.name = "a"}, tensor<301x8x64xf32> {tgraph.name = "b"}, tensor<8x64xf32> {tgraph.name = "c"}, tensor<8x64xf32> {tgraph.name = "d"},
        tensor<8x64xf32> {tgraph.name = "e"}, tensor<f32> {tgraph.name = "f"}) {
  %scale = tgraph.constant dense<0.05> : tensor<64x64xf32>
  %v = tgraph.mul %w, %scale : tensor<64x64xf32>
  // A recurrence that forgets: what is carried is stacked as well.
  %0:2 = tgraph.for 301 reverse carried(%h = %x : tensor<8x64xf32>) slices(%s = %t : tensor<301x8x64xf32>) -> tensor<8x64xf32>, tensor<301x8x64xf32> {
    %a = tgraph.contract "bi,io->bo" %h, %v : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
    %b = tgraph.add %a, %s : tensor<8x64xf32>
    %c = tgraph.tanh %b : tensor<8x64xf32>
    %d = tgraph.sigmoid %b : tensor<8x64xf32>
    %e = tgraph.mul %c, %d : tensor<8x64xf32>
    tgraph.yield %e, %e : tensor<8x64xf32>, tensor<8x64xf32>
  }
  // Values that change places, as often as an argument says.
  %1:2 = tgraph.for %n : tensor<i64> limit 1000 carried(%a = %x : tensor<8x64xf32>, %b = %0#0 : tensor<8x64xf32>) -> tensor<8x64xf32>, tensor<8x64xf32> {
    %c = tgraph.tanh %a : tensor<8x64xf32>
    tgraph.yield %b, %c : tensor<8x64xf32>, tensor<8x64xf32>
  }
  // A branch that does more than choosing, and a loop that ends by its data.
  %z = tgraph.constant dense<0> : tensor<i64>
  %p = tgraph.compare lt, %n, %z : tensor<i64>
  %2 = tgraph.if %p -> tensor<8x64xf32> {
    %a = tgraph.contract "bi,io->bo" %x, %w : tensor<8x64xf32>, tensor<64x64xf32> -> tensor<8x64xf32>
    tgraph.yield %a : tensor<8x64xf32>
  } else {
    tgraph.yield %x : tensor<8x64xf32>
  }
  %one = tgraph.constant dense<1.0> : tensor<f32>
  %two = tgraph.constant dense<2.0> : tensor<f32>
  %end = tgraph.constant dense<500.0> : tensor<f32>
  %true = tgraph.constant dense<true> : tensor<i1>
  %3:2 = tgraph.while (%c = %true : tensor<i1>, %a = %one : tensor<f32>) limit 9 {
    %b = tgraph.mul %a, %two : tensor<f32>
    %d = tgraph.compare lt, %b, %end : tensor<f32>
    tgraph.yield %d, %b : tensor<i1>, tensor<f32>
  }
  return %0#0, %0#1, %1#0, %1#1, %2, %3#1 : tensor<8x64xf32>, tensor<301x8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<f32>
}
