// REQUIRES: compiler
// Shifts of 64 bits by 32 and more, of numbers that fit 32: 0 and the sign.
// RUN: tensor-run %s --device=cuda-emulated --compare=interpreter | FileCheck %s
// RUN: tensor-run %s --compare=interpreter | FileCheck %s
// CHECK: : ok
// CHECK: : ok
// CHECK: : ok

func.func @main(%x: tensor<1000xi32> {tgraph.name = "x"}, %amounts: tensor<1000xi8> {tgraph.name = "amounts"}) -> (tensor<1000xi64> {tgraph.name = "known"}, tensor<1000xi64> {tgraph.name = "unknown"}, tensor<1000xi64> {tgraph.name = "signs"}) {
  %mask = tgraph.constant dense<1023> : tensor<1000xi32>
  %small = tgraph.and %x, %mask : tensor<1000xi32>
  %wide = tgraph.cast %small : tensor<1000xi32> to tensor<1000xui64>
  %forty = tgraph.constant dense<40> : tensor<1000xui64>
  %shifted = tgraph.shr %wide, %forty : tensor<1000xui64>
  %known = tgraph.cast %shifted : tensor<1000xui64> to tensor<1000xi64>
  %limit = tgraph.constant dense<63> : tensor<1000xi8>
  %below = tgraph.and %amounts, %limit : tensor<1000xi8>
  %by = tgraph.cast %below : tensor<1000xi8> to tensor<1000xui64>
  %moved = tgraph.shr %wide, %by : tensor<1000xui64>
  %unknown = tgraph.cast %moved : tensor<1000xui64> to tensor<1000xi64>
  %middle = tgraph.constant dense<4> : tensor<1000xi32>
  %less = tgraph.sub %x, %middle : tensor<1000xi32>
  %signed = tgraph.cast %less : tensor<1000xi32> to tensor<1000xi64>
  %most = tgraph.constant dense<63> : tensor<1000xi64>
  %signs = tgraph.shr %signed, %most : tensor<1000xi64>
  return %known, %unknown, %signs : tensor<1000xi64>, tensor<1000xi64>, tensor<1000xi64>
}
