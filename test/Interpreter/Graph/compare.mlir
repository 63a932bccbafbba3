// RUN: tensor-opt %s --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --interpret -o /dev/null | FileCheck %s
// RUN: tensor-opt %s --graph-to-view --view-to-kernel --kernel-schedule --kernel-to-launch --kernel-to-tile --interpret -o /dev/null \
// RUN:   | FileCheck %s

func.func @main() -> (tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<2xi1>, tensor<2xi1>, tensor<5xf32>, tensor<5xf32>,
    tensor<6xi8>, tensor<6xui8>, tensor<6xi64>, tensor<6xi1>, tensor<3xui8>, tensor<3xf32>, tensor<2xi32>, tensor<6xi32>) {
  %a = tgraph.constant dense<[1.0, -0.0, 3.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  %b = tgraph.constant dense<[2.0, 0.0, 3.0, 0x7FC00000, 1.0]> : tensor<5xf32>
  // CHECK: result 0 : tensor<5xi1> = 1 0 0 0 0
  %lt = tgraph.compare lt, %a, %b : tensor<5xf32>
  // CHECK: result 1 : tensor<5xi1> = 0 1 1 0 0
  %eq = tgraph.compare eq, %a, %b : tensor<5xf32>
  // CHECK: result 2 : tensor<5xi1> = 1 0 0 1 1
  %ne = tgraph.compare ne, %a, %b : tensor<5xf32>
  %i = tgraph.constant dense<[-1, 1]> : tensor<2xi8>
  %j = tgraph.constant dense<[1, -1]> : tensor<2xi8>
  // CHECK: result 3 : tensor<2xi1> = 0 1
  %sgt = tgraph.compare gt, %i, %j : tensor<2xi8>
  %u = tgraph.constant dense<[255, 1]> : tensor<2xui8>
  %v = tgraph.constant dense<[1, 255]> : tensor<2xui8>
  // CHECK: result 4 : tensor<2xi1> = 1 0
  %ugt = tgraph.compare gt, %u, %v : tensor<2xui8>
  // CHECK: result 5 : tensor<5xf32> = 1 0 3 nan 1
  %select = tgraph.select %lt, %a, %b : tensor<5xf32>
  %low = tgraph.constant dense<[0.0, 1.0, 4.0, 0.0, 0.0]> : tensor<5xf32>
  %high = tgraph.constant dense<[0.5, 2.0, 2.0, 1.0, 9.0]> : tensor<5xf32>
  // The upper limit wins where the limits cross.
  // CHECK: result 6 : tensor<5xf32> = 0.5 1 2 nan 9
  %clamp = tgraph.clamp %a, %low, %high : tensor<5xf32>

  // Floats to integers truncate and saturate.
  %x = tgraph.constant dense<[1.9, -1.9, 300.0, -300.0, 0x7FC00000, 0xFF800000]> : tensor<6xf32>
  // CHECK: result 7 : tensor<6xi8> = 1 -1 127 -128 0 -128
  %i8 = tgraph.cast %x : tensor<6xf32> to tensor<6xi8>
  // CHECK: result 8 : tensor<6xui8> = 1 0 255 0 0 0
  %u8 = tgraph.cast %x : tensor<6xf32> to tensor<6xui8>
  // CHECK: result 9 : tensor<6xi64> = 1 -1 300 -300 0 -9223372036854775808
  %i64 = tgraph.cast %x : tensor<6xf32> to tensor<6xi64>
  // CHECK: result 10 : tensor<6xi1> = 1 1 1 1 1 1
  %bool = tgraph.cast %x : tensor<6xf32> to tensor<6xi1>
  %wide = tgraph.constant dense<[-1, 256, 511]> : tensor<3xi32>
  // CHECK: result 11 : tensor<3xui8> = 255 0 255
  %wrapped = tgraph.cast %wide : tensor<3xi32> to tensor<3xui8>
  // CHECK: result 12 : tensor<3xf32> = 255 0 255
  %float = tgraph.cast %wrapped : tensor<3xui8> to tensor<3xf32>
  // CHECK: result 13 : tensor<2xi32> = 0 1
  %frombool = tgraph.cast %sgt : tensor<2xi1> to tensor<2xi32>
  // CHECK: result 14 : tensor<6xi32> = 1 -1 300 -300 0 -2147483648
  %i32 = tgraph.cast %x : tensor<6xf32> to tensor<6xi32>
  return %lt, %eq, %ne, %sgt, %ugt, %select, %clamp, %i8, %u8, %i64, %bool, %wrapped, %float, %frombool, %i32
      : tensor<5xi1>, tensor<5xi1>, tensor<5xi1>, tensor<2xi1>, tensor<2xi1>, tensor<5xf32>, tensor<5xf32>,
    tensor<6xi8>, tensor<6xui8>, tensor<6xi64>, tensor<6xi1>, tensor<3xui8>, tensor<3xf32>, tensor<2xi32>, tensor<6xi32>
}
