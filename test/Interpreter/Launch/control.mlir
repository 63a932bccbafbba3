// RUN: tensor-opt %s --split-input-file --interpret --verify-diagnostics -o /dev/null | FileCheck %s
// Places in an arena mean the same.
// RUN: tensor-opt %s --split-input-file --launch-plan-arena --interpret --verify-diagnostics -o /dev/null | FileCheck %s

ttile.func @double(%x: memref<2xf32>) results(%y: memref<2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<2xf32> -> tensor<2xf32>
  %d = arith.addf %t, %t : tensor<2xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xf32> -> memref<2xf32>
  ttile.return
}
tlaunch.constant @c : tensor<2xf32> = dense<[1.0, 3.0]> : tensor<2xf32>
// Behind the loop %a is what the last iteration made, after an odd, an even and no number of them.
// CHECK: result 0 : tensor<2xf32> = 8 24
// CHECK: result 1 : tensor<2xf32> = 128 384
// CHECK: result 2 : tensor<2xf32> = 128 384
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2xf32>>, %z: !tlaunch.buffer<tensor<2xf32>>, %u: !tlaunch.buffer<tensor<2xf32>>) names ["y", "z", "u"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<2xf32>>
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %c to %a : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.repeat 3 {
    tlaunch.launch @double reads(%a : !tlaunch.buffer<tensor<2xf32>>) writes(%b : !tlaunch.buffer<tensor<2xf32>>)
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<2xf32>>
  }
  tlaunch.copy %a to %y : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.repeat 4 {
    tlaunch.launch @double reads(%a : !tlaunch.buffer<tensor<2xf32>>) writes(%b : !tlaunch.buffer<tensor<2xf32>>)
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<2xf32>>
  }
  tlaunch.copy %a to %z : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.repeat 0 {
    tlaunch.launch @double reads(%a : !tlaunch.buffer<tensor<2xf32>>) writes(%b : !tlaunch.buffer<tensor<2xf32>>)
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<2xf32>>
  }
  tlaunch.copy %a to %u : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.return
}

// -----

ttile.func @add(%x: memref<2xf32>, %a: memref<2xf32>) results(%y: memref<2xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<2xf32> -> tensor<2xf32>
  %u = ttile.load %a through #tview.map<affine_map<(d0) -> (d0)>>() : memref<2xf32> -> tensor<2xf32>
  %d = arith.addf %t, %u : tensor<2xf32>
  ttile.store %d, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<2xf32> -> memref<2xf32>
  ttile.return
}
tlaunch.constant @xs : tensor<3x2xf32> = dense<[[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]> : tensor<3x2xf32>
tlaunch.constant @zero : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// A scan from the last part on, its sums stacked from the first one on, in each of two outer iterations; what
// rotates in the inner loop goes on where it was.
// CHECK: result 0 : tensor<2x3x2xf32> = 100 200 110 220 111 222 211 422 221 442 222 444
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<2x3x2xf32>>) names ["y"] target "host" {
  %xs = tlaunch.get_constant @xs : !tlaunch.buffer<tensor<3x2xf32>>
  %zero = tlaunch.get_constant @zero : !tlaunch.buffer<tensor<2xf32>>
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.copy %zero to %a : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.repeat 2 {
    %rows = tlaunch.part %y : !tlaunch.buffer<tensor<2x3x2xf32>> -> !tlaunch.buffer<tensor<3x2xf32>>
    tlaunch.repeat 3 {
      %x = tlaunch.part reverse %xs : !tlaunch.buffer<tensor<3x2xf32>> -> !tlaunch.buffer<tensor<2xf32>>
      %row = tlaunch.part %rows : !tlaunch.buffer<tensor<3x2xf32>> -> !tlaunch.buffer<tensor<2xf32>>
      tlaunch.launch @add reads(%x, %a : !tlaunch.buffer<tensor<2xf32>>, !tlaunch.buffer<tensor<2xf32>>) writes(%b : !tlaunch.buffer<tensor<2xf32>>)
      tlaunch.copy %b to %row : !tlaunch.buffer<tensor<2xf32>>
      tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<2xf32>>
    }
  }
  tlaunch.return
}

// -----

// Conditions and amounts are read when their op is reached, those of `while` in each iteration: here it is
// the first part of what is left of a list.
tlaunch.constant @flags : tensor<4xi1> = dense<[true, true, false, true]> : tensor<4xi1>
tlaunch.constant @amounts : tensor<3xi64> = dense<[2, -7, 1]> : tensor<3xi64>
tlaunch.constant @yes : tensor<i1> = dense<true> : tensor<i1>
tlaunch.constant @numbers : tensor<4xi32> = dense<[1, 2, 3, 4]> : tensor<4xi32>
// CHECK: result 0 : tensor<i32> = 3
// CHECK: result 1 : tensor<3x2xi1> = 1 1 0 0 1 0
tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<i32>>, %z: !tlaunch.buffer<tensor<3x2xi1>>) names ["y", "z"] target "host" {
  %flags = tlaunch.get_constant @flags : !tlaunch.buffer<tensor<4xi1>>
  %amounts = tlaunch.get_constant @amounts : !tlaunch.buffer<tensor<3xi64>>
  %yes = tlaunch.get_constant @yes : !tlaunch.buffer<tensor<i1>>
  %numbers = tlaunch.get_constant @numbers : !tlaunch.buffer<tensor<4xi32>>
  %c = tlaunch.reserve : !tlaunch.buffer<tensor<i1>>
  tlaunch.copy %yes to %c : !tlaunch.buffer<tensor<i1>>
  tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit 4 {
    %flag = tlaunch.part %flags : !tlaunch.buffer<tensor<4xi1>> -> !tlaunch.buffer<tensor<i1>>
    %number = tlaunch.part %numbers : !tlaunch.buffer<tensor<4xi32>> -> !tlaunch.buffer<tensor<i32>>
    tlaunch.copy %number to %y : !tlaunch.buffer<tensor<i32>>
    tlaunch.copy %flag to %c : !tlaunch.buffer<tensor<i1>>
  }
  tlaunch.repeat 3 {
    %rows = tlaunch.part %z : !tlaunch.buffer<tensor<3x2xi1>> -> !tlaunch.buffer<tensor<2xi1>>
    tlaunch.repeat 2 {
      %row = tlaunch.part %rows : !tlaunch.buffer<tensor<2xi1>> -> !tlaunch.buffer<tensor<i1>>
      tlaunch.copy %c to %row : !tlaunch.buffer<tensor<i1>>
    }
    %n = tlaunch.part %amounts : !tlaunch.buffer<tensor<3xi64>> -> !tlaunch.buffer<tensor<i64>>
    tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit 2 {
      %row = tlaunch.part %rows : !tlaunch.buffer<tensor<2xi1>> -> !tlaunch.buffer<tensor<i1>>
      tlaunch.if %row : !tlaunch.buffer<tensor<i1>> {
        tlaunch.copy %c to %row : !tlaunch.buffer<tensor<i1>>
      } else {
        tlaunch.copy %yes to %row : !tlaunch.buffer<tensor<i1>>
      }
      tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
        tlaunch.copy %c to %row : !tlaunch.buffer<tensor<i1>>
      }
    }
  }
  tlaunch.return
}

// -----

tlaunch.constant @n : tensor<i64> = dense<5> : tensor<i64>
tlaunch.func @main() results() names [] target "host" {
  %n = tlaunch.get_constant @n : !tlaunch.buffer<tensor<i64>>
  // expected-error @+1 {{'tlaunch.repeat' op is to repeat 5 times, its limit is 4 [T0709]}}
  tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit 4 {
  }
  tlaunch.return
}

// -----

tlaunch.constant @c : tensor<i1> = dense<true> : tensor<i1>
tlaunch.func @main() results() names [] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<i1>>
  // expected-error @+1 {{'tlaunch.while' op would go on after 4 iterations, which are its limit [T0709]}}
  tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit 4 {
  }
  tlaunch.return
}

// -----

tlaunch.func @main() results() names [] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op repeats T times, which is not settled [T0701]}}
  tlaunch.repeat #tview.sizes<[T]> {
  }
  tlaunch.return
}
