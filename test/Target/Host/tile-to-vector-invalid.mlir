// RUN: tensor-opt %s --tile-to-vector=lanes=12 --verify-diagnostics
// RUN: not tensor-opt %s --tile-to-vector=dots=sdot,dpbusd 2>&1 | FileCheck %s --check-prefix=DOTS
// RUN: not tensor-opt %s --host-functions=set=vax 2>&1 | FileCheck %s --check-prefix=SET

// expected-error @below {{expected lanes to be a power of two, found 12 [T0408]}}
module {
}
// DOTS: error: no instruction set has dot products 'dpbusd', expected avx512bf16, avx512vnni, avxvnni, pmaddwd, bfdot, usdot, sdot [T0408]
// SET:  error: no instruction set 'vax', expected x86-64 or aarch64 [T0408]
