// RUN: tensor-opt %s --split-input-file --interpret --verify-diagnostics -o /dev/null

func.func @main() -> tensor<4xi32> {
  %y = tkernel.kernel (%i : 4) reads() -> tensor<4xi32> {
    %c = arith.constant 7 : i32
    %v = arith.index_cast %i : index to i32
    // expected-error @+1 {{'arith.divsi' op poison: the result is undefined for 7, 0 [T0704]}}
    %q = arith.divsi %c, %v : i32
    tkernel.store %q, 0[%i] : i32
  }
  return %y : tensor<4xi32>
}

// -----

func.func @main() -> tensor<9xi8> {
  %y = tkernel.kernel (%i : 9) reads() -> tensor<9xi8> {
    %c = arith.constant 1 : i8
    %v = arith.index_cast %i : index to i8
    // expected-error @+1 {{'arith.shli' op poison: the result is undefined for 1, 8 [T0704]}}
    %q = arith.shli %c, %v : i8
    tkernel.store %q, 0[%i] : i8
  }
  return %y : tensor<9xi8>
}

// -----

func.func @main() -> tensor<2xi8> {
  %x = tgraph.constant dense<[127.9, -129.0]> : tensor<2xf32>
  %y = tkernel.kernel (%i : 2) reads(%a = %x : tensor<2xf32>) -> tensor<2xi8> {
    %v = tkernel.load %a[%i] : tensor<2xf32>
    // expected-error @+1 {{'arith.fptosi' op poison: the result is undefined for -129 [T0704]}}
    %q = arith.fptosi %v : f32 to i8
    tkernel.store %q, 0[%i] : i8
  }
  return %y : tensor<2xi8>
}

// -----

func.func @main() -> tensor<2xi64> {
  %x = tgraph.constant dense<[-1, -9223372036854775808]> : tensor<2xi64>
  %y = tkernel.kernel (%i : 2) reads(%a = %x : tensor<2xi64>) -> tensor<2xi64> {
    %v = tkernel.load %a[%i] : tensor<2xi64>
    %c = arith.constant -1 : i64
    // expected-error @+1 {{'arith.remsi' op poison: the result is undefined for -9223372036854775808, -1 [T0704]}}
    %q = arith.remsi %v, %c : i64
    tkernel.store %q, 0[%i] : i64
  }
  return %y : tensor<2xi64>
}
