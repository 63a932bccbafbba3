// Branches and loops, as they stand and with kernels in them.
// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-fuse --kernel-verify --kernel-drop-results --kernel-schedule --interpret -o /dev/null \
// RUN:   | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --launch-hoist-initializer --launch-plan-arena \
// RUN:   --kernel-to-tile --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>,
                      tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>) {
  %x = tgraph.constant dense<[1, 2]> : tensor<2xi32>
  %y = tgraph.constant dense<[10, 20]> : tensor<2xi32>
  %t = tgraph.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %true = tgraph.constant dense<true> : tensor<i1>
  %false = tgraph.constant dense<false> : tensor<i1>
  // CHECK: result 0 : tensor<2xi32> = 11 22
  %0 = tgraph.if %true -> tensor<2xi32> {
    %a = tgraph.add %x, %y : tensor<2xi32>
    tgraph.yield %a : tensor<2xi32>
  } else {
    tgraph.yield %y : tensor<2xi32>
  }
  // The other side, which yields a value from outside.
  // CHECK: result 1 : tensor<2xi32> = 10 20
  %1 = tgraph.if %false -> tensor<2xi32> {
    %a = tgraph.add %x, %y : tensor<2xi32>
    tgraph.yield %a : tensor<2xi32>
  } else {
    tgraph.yield %y : tensor<2xi32>
  }
  // A running sum: the last one, and each before its slice was added.
  // CHECK: result 2 : tensor<2xi32> = 10 14
  // CHECK: result 3 : tensor<3x2xi32> = 1 2 2 4 5 8
  %2:2 = tgraph.for 3 carried(%s = %x : tensor<2xi32>) slices(%u = %t : tensor<3x2xi32>) -> tensor<2xi32>, tensor<3x2xi32> {
    %a = tgraph.add %s, %u : tensor<2xi32>
    tgraph.yield %a, %s : tensor<2xi32>, tensor<2xi32>
  }
  // The same from the last slice on.
  // CHECK: result 4 : tensor<2xi32> = 10 14
  // CHECK: result 5 : tensor<3x2xi32> = 9 12 6 8 1 2
  %3:2 = tgraph.for 3 reverse carried(%s = %x : tensor<2xi32>) slices(%u = %t : tensor<3x2xi32>) -> tensor<2xi32>, tensor<3x2xi32> {
    %a = tgraph.add %s, %u : tensor<2xi32>
    tgraph.yield %a, %s : tensor<2xi32>, tensor<2xi32>
  }
  // Values that change places, an odd number of times.
  // CHECK: result 6 : tensor<2xi32> = 10 20
  // CHECK: result 7 : tensor<2xi32> = 1 2
  %n = tgraph.constant dense<5> : tensor<i64>
  %4:2 = tgraph.for %n : tensor<i64> limit 5 carried(%a = %x : tensor<2xi32>, %b = %y : tensor<2xi32>) -> tensor<2xi32>, tensor<2xi32> {
    tgraph.yield %b, %a : tensor<2xi32>, tensor<2xi32>
  }
  // A count below 0 is none.
  // CHECK: result 8 : tensor<2xi32> = 1 2
  %m = tgraph.constant dense<-3> : tensor<i64>
  %5 = tgraph.for %m : tensor<i64> limit 5 carried(%a = %x : tensor<2xi32>) -> tensor<2xi32> {
    %b = tgraph.add %a, %y : tensor<2xi32>
    tgraph.yield %b : tensor<2xi32>
  }
  // Doubled until above 100, with a branch inside and a loop that reads what is around it.
  // CHECK: result 9 : tensor<i32> = 128
  // CHECK: result 10 : tensor<2xi32> = 70 140
  %one = tgraph.constant dense<1> : tensor<i32>
  %five = tgraph.constant dense<[5, 5]> : tensor<2xi32>
  %zero = tgraph.constant dense<[0, 0]> : tensor<2xi32>
  %hundred = tgraph.constant dense<100> : tensor<i32>
  %6:3 = tgraph.while (%c = %true : tensor<i1>, %a = %one : tensor<i32>, %b = %zero : tensor<2xi32>) limit 7 {
    %d = tgraph.add %a, %a : tensor<i32>
    %e = tgraph.compare le, %d, %hundred : tensor<i32>
    %f = tgraph.for 2 carried(%g = %b : tensor<2xi32>) -> tensor<2xi32> {
      %h = tgraph.if %c -> tensor<2xi32> {
        %i = tgraph.mul %x, %five : tensor<2xi32>
        tgraph.yield %i : tensor<2xi32>
      } else {
        tgraph.yield %y : tensor<2xi32>
      }
      %j = tgraph.add %g, %h : tensor<2xi32>
      tgraph.yield %j : tensor<2xi32>
    }
    tgraph.yield %e, %d, %f : tensor<i1>, tensor<i32>, tensor<2xi32>
  }
  return %0, %1, %2#0, %2#1, %3#0, %3#1, %4#0, %4#1, %5, %6#1, %6#2
    : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>,
      tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>
}
