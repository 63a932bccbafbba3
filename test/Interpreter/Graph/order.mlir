// arg_sort, random and bitcast: the interpreter's own, and their parts.
// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-decompose --interpret -o /dev/null | FileCheck %s

func.func @main() -> (tensor<8xi64>, tensor<8xi64>, tensor<2x2xi64>, tensor<5xui32>, tensor<3xi32>, tensor<0xi64>) {
  // NaN is the greatest, the zeros are equal, of equals the first one comes first.
  %x = tgraph.constant dense<[0.0, 0x7FC00000, -1.0, -0.0, 0x7F800000, 2.0, 0xFF800000, 2.0]> : tensor<8xf32>
  // CHECK: result 0 : tensor<8xi64> = 6 2 0 3 5 7 4 1
  %0 = tgraph.arg_sort %x dim 0 first 8 : tensor<8xf32> -> tensor<8xi64>
  // CHECK: result 1 : tensor<8xi64> = 1 4 5 7 0 3 2 6
  %1 = tgraph.arg_sort %x dim 0 descending first 8 : tensor<8xf32> -> tensor<8xi64>
  %m = tgraph.constant dense<[[3, 250], [1, 7], [255, 7]]> : tensor<3x2xui8>
  // CHECK: result 2 : tensor<2x2xi64> = 2 0 0 1
  %2 = tgraph.arg_sort %m dim 0 descending first 2 : tensor<3x2xui8> -> tensor<2x2xi64>
  // The first known answer of the authors' library, and what follows at counter 1.
  %key = tgraph.constant dense<0> : tensor<ui64>
  // CHECK: result 3 : tensor<5xui32> = 1713891541 3781805453 3159862348 2600524760 {{[0-9]+$}}
  %3 = tgraph.random bits %key, %key : tensor<ui64> -> tensor<5xui32>
  %f = tgraph.constant dense<[1.0, -0.0, 0x7FC00001]> : tensor<3xf32>
  // CHECK: result 4 : tensor<3xi32> = 1065353216 -2147483648 2143289345
  %4 = tgraph.bitcast %f : tensor<3xf32> to tensor<3xi32>
  // CHECK: result 5 : tensor<0xi64> =
  %5 = tgraph.arg_sort %x dim 0 first 0 : tensor<8xf32> -> tensor<0xi64>
  return %0, %1, %2, %3, %4, %5 : tensor<8xi64>, tensor<8xi64>, tensor<2x2xi64>, tensor<5xui32>, tensor<3xi32>, tensor<0xi64>
}
