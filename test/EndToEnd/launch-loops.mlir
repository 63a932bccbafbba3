// A launch program written by hand, from tlaunch through a module to the host: nested loops, a count from memory, a side, and
// what happens past a limit.
// REQUIRES: compiler
// RUN: rm -rf %t && mkdir %t
// RUN: tensor-compile %s --target=host -o %t/loops.twm && tensor-translate --describe %t/loops.twm | FileCheck %s --check-prefix=MODULE
// RUN: tensor-compile %s --target=host --to=tile -o %t/tile.mlir && tensor-opt %t/tile.mlir --interpret -o /dev/null | FileCheck %s --check-prefix=INTERPRETED
// RUN: tensor-run %t/loops.twm --output=y=%t/y.npy && tail -c 16 %t/y.npy | od -A n -t d4 | FileCheck %s --check-prefix=HOST
// RUN: sed 's/dense<3>/dense<8>/' %s > %t/past.mlir && tensor-compile %t/past.mlir --target=host -o %t/past.twm
// RUN: not tensor-run %t/past.twm 2>&1 | FileCheck %s --check-prefix=PAST

// MODULE: repeat r{{[0-9]+}}: 2
// MODULE:   repeat-read
// MODULE:     rotate
// MODULE:   end-loop
// MODULE:   if
// MODULE:   else
// MODULE:   end-if
// MODULE: end-loop
// Three times doubled and one more, in each of two iterations: ((1 * 8) + 1) * 8 + 1.
// INTERPRETED: result 0 : tensor<4xi32> = 73 137 201 265
// HOST: 73 137 201 265
// PAST: the loop at command {{[0-9]+}} is to run 8 iterations, its limit is 7
module {
  tlaunch.constant @n : tensor<i64> = dense<3> : tensor<i64>
  tlaunch.constant @start : tensor<4xi32> = dense<[1, 2, 3, 4]> : tensor<4xi32>
  tlaunch.constant @yes : tensor<2xi1> = dense<true> : tensor<2xi1>
  func.func private @double(%x: tensor<4xi32>) -> tensor<4xi32> {
    %0 = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xi32>) -> tensor<4xi32> {
      %1 = tkernel.load %a[%i] : tensor<4xi32>
      %2 = arith.addi %1, %1 : i32
      tkernel.store %2, 0[%i] : i32
    }
    return %0 : tensor<4xi32>
  }
  func.func private @next(%x: tensor<4xi32>) -> tensor<4xi32> {
    %0 = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xi32>) -> tensor<4xi32> {
      %1 = tkernel.load %a[%i] : tensor<4xi32>
      %c = arith.constant 1 : i32
      %2 = arith.addi %1, %c : i32
      tkernel.store %2, 0[%i] : i32
    }
    return %0 : tensor<4xi32>
  }
  tlaunch.func @main() results(%y: !tlaunch.buffer<tensor<4xi32>>) names ["y"] target "host" {
    %n = tlaunch.get_constant @n : !tlaunch.buffer<tensor<i64>>
    %start = tlaunch.get_constant @start : !tlaunch.buffer<tensor<4xi32>>
    %yes = tlaunch.get_constant @yes : !tlaunch.buffer<tensor<2xi1>>
    %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xi32>>
    %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xi32>>
    tlaunch.copy %start to %a : !tlaunch.buffer<tensor<4xi32>>
    tlaunch.repeat 2 {
      tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit 7 {
        tlaunch.launch @double reads(%a : !tlaunch.buffer<tensor<4xi32>>) writes(%b : !tlaunch.buffer<tensor<4xi32>>)
        tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xi32>>
      }
      %c = tlaunch.part %yes : !tlaunch.buffer<tensor<2xi1>> -> !tlaunch.buffer<tensor<i1>>
      tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
        tlaunch.launch @next reads(%a : !tlaunch.buffer<tensor<4xi32>>) writes(%b : !tlaunch.buffer<tensor<4xi32>>)
      } else {
        tlaunch.copy %start to %b : !tlaunch.buffer<tensor<4xi32>>
      }
      tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xi32>>
    }
    tlaunch.copy %a to %y : !tlaunch.buffer<tensor<4xi32>>
    tlaunch.return
  }
}
