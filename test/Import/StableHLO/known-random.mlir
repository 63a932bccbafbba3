// Known answers of the library of the generators' authors (Random123, tests/kat_vectors): zeros, ones, and digits of
// pi for Threefry 2x32-20; zeros and ones for Philox 4x32-10, whose key StableHLO has in the counter, too.
// RUN: cp %s %t.stablehlo.mlir && tensor-translate --import=%t.stablehlo.mlir | tensor-opt --interpret -o /dev/null | FileCheck %s
// RUN: tensor-run %t.stablehlo.mlir --threads=1 --no-cache --compare=interpreter
module @known {
  func.func public @main() -> (tensor<1xui64>, tensor<1xui64>, tensor<1xui64>, tensor<4xui32>, tensor<4xui32>) {
    %0 = stablehlo.constant dense<[0, 0]> : tensor<2xui64>
    %1 = stablehlo.constant dense<[18446744073709551615, 18446744073709551615]> : tensor<2xui64>
    %2 = stablehlo.constant dense<[247824715720788526, 9629550131187509896]> : tensor<2xui64>
    // CHECK: result 0 : tensor<1xui64> = 11077253088097075545
    %s0, %a = stablehlo.rng_bit_generator %0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    // CHECK: result 1 : tensor<1xui64> = 13474818356711888636
    %s1, %b = stablehlo.rng_bit_generator %1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    // CHECK: result 2 : tensor<1xui64> = 5205589014174907036
    %s2, %c = stablehlo.rng_bit_generator %2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui64>)
    // CHECK: result 3 : tensor<4xui32> = 1713891541 3781805453 3159862348 2600524760
    %s3, %d = stablehlo.rng_bit_generator %0, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    // CHECK: result 4 : tensor<4xui32> = 1083123565 1103641358 2718681030 1834242557
    %s4, %e = stablehlo.rng_bit_generator %1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return %a, %b, %c, %d, %e : tensor<1xui64>, tensor<1xui64>, tensor<1xui64>, tensor<4xui32>, tensor<4xui32>
  }
}
