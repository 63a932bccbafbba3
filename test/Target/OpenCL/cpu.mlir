// A device that runs the threads of a group one after another: rows in vectors of one work-item.
// RUN: tensor-translate %s --emit=opencl-c --target=opencl:cpu | FileCheck %s
// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s --check-prefix=GENERIC
// RUN: not tensor-translate %s --emit=opencl-c --target=opencl:gpu 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: unknown chip 'gpu' of target 'opencl'; did you mean 'cpu'? Known are generic, cpu

// CHECK: float16 maximum_float16(float16 a, float16 b) {
// CHECK-NEXT: return a > b ? a : a < b ? b : a == b ? as_float16(as_uint16(a) & as_uint16(b)) : a + b;
// CHECK: reqd_work_group_size(1, 1, 1)
// CHECK: const float16 [[X:.*]] = *(__global const float16 *)(in0 + {{.*}});
// CHECK: carried = maximum_float16(carried, [[X]]);
// CHECK: const float16 [[D:.*]] = {{.*}} - {{.*}};
// CHECK: const float16 [[L:.*]] = [[D]] < [[C:.*]] ? [[C]] : [[D]];
// CHECK: as_float16((as_uint16({{.*}}){{.*}}) << {{.*}});
// CHECK: *(__global float16 *)(out0 + {{.*}}) = {{.*}};
// CHECK-NOT: barrier
// GENERIC: reqd_work_group_size(64, 1, 1)
// GENERIC: barrier
func.func @main(%x: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %y = tkernel.kernel @softmax (%i : 128, %j : 256) reads(%a = %x : tensor<128x256xf32>) -> tensor<128x256xf32> {
    %v = tkernel.load %a[%i, %j] : tensor<128x256xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<128x256xf32>
}
