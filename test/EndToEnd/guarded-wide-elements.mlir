// RUN: random-schedules --own --cpu=x86-64-v3 --opt=0 %s | FileCheck %s
// RUN: random-schedules --own --cpu=x86-64-v3 --opt=3 --seed=1 %s | FileCheck %s

// A row of 5 elements of 64 bits takes two registers of 256 bits. Where the row of the image is known to be inside
// or not for all lanes, and the columns for each, none of the second register's may be: LLVM read them all.
// CHECK: 1 schedules of 1 kernels, seed {{[0-9]+}}: 0 failures
func.func @main(%x: tensor<23x5xf64>) -> tensor<24x5xf64> {
  %y = tkernel.kernel (%p : 24, %q : 5, %s : 4) reads(%a = %x : tensor<23x5xf64>) -> tensor<24x5xf64>
      attributes {schedule = #tkernel.schedule<[tile [q]]>} {
    %v = tkernel.load %a[%p - 1, %q + %s - 2] else 0xFFF0000000000000 : tensor<23x5xf64>
    %m = tkernel.reduce maximumf %v over (%s) : f64
    tkernel.store %m, 0[%p, %q] : f64
  }
  return %y : tensor<24x5xf64>
}
