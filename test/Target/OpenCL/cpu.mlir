// A device that runs the threads of a group one after another: rows in vectors of one work-item.
// RUN: tensor-translate %s --emit=opencl-c --target=opencl:cpu | FileCheck %s
// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s --check-prefix=GENERIC
// RUN: not tensor-translate %s --emit=opencl-c --target=opencl:gpu 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: unknown chip 'gpu' of target 'opencl'; did you mean 'cpu'? Known are generic, cpu

// The body is a function, which drivers make code of once.
// CHECK: __attribute__((noinline)) void k_softmax_program(const ulong group,
// CHECK-NEXT: __global const float *restrict in0,
// CHECK-NEXT: __global float *restrict out0,
// CHECK-NEXT: __local float *restrict local0) {
// CHECK: const float16 [[X:.*]] = vload16(0, in0 + {{.*}});
// CHECK: const float16 [[D:.*]] = {{.*}} - {{.*}};
// CHECK: as_float16((as_uint16({{.*}}){{.*}}) << {{.*}});
// CHECK: vstore16({{.*}}, 0, out0 + {{.*}});
// CHECK-NOT: barrier
// CHECK: __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
// CHECK-NEXT: void k_softmax(__global uchar *in0_memory, ulong in0_offset,
// CHECK: __local float local0[2048]
// CHECK-NEXT: k_softmax_program(get_group_id(0), in0, out0, local0);
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
