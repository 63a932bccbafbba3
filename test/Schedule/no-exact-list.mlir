// RUN: not tensor-opt %s --kernel-schedule=deterministic 2>&1 | FileCheck %s
// RUN: tensor-opt %s --kernel-schedule | FileCheck %s --check-prefix=ANY

// Sums of running sums along another axis: sums in their order need the running ones of a row in memory, which scans do not
// have. What the message speaks of is not a list that someone wrote.
// CHECK: error: no schedule is known that is legal and leaves the order of every sum as it is: without one, order puts loop 'k'
// CHECK-SAME: write what it reduces or scans as a kernel of its own, or leave out deterministic
// ANY: @k {{.*}}schedule = #tkernel.schedule<[
func.func @main(%x: tensor<67x13x16xf32>) -> tensor<67x13xf32> {
  %y = tkernel.kernel @k (%i : 67, %j : 13, %k : 16) reads(%a = %x : tensor<67x13x16xf32>) -> tensor<67x13xf32> {
    %0 = tkernel.load %a[%i, %j, %k] : tensor<67x13x16xf32>
    %1 = tkernel.scan addf %0 over %j : f32
    %2 = tkernel.reduce addf %1 over (%k) : f32
    tkernel.store %2, 0[%i, %j] : f32
  }
  return %y : tensor<67x13xf32>
}
