// RUN: tensor-translate %s --emit=opencl-c | FileCheck %s
// Vectors of all types: conversions, truth values, parts of two, and what a mask lets through.

// Few elements are written where they are used, many are a function that all kernels share.
// CHECK: uint8 join_lanes_1(uint8 a, uint8 b) {
// CHECK-NEXT: return ((uint8)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3));
// CHECK: // The elements for which `inside` holds, elsewhere those of `other`.
// CHECK-NEXT: __attribute__((noinline)) uint8 load_uint8_global_rest(__global const uint *p, ulong i, int8 inside, uint8 other) {
// CHECK-NEXT: if (all(inside))
// CHECK-NEXT: return vload8(0, p + i);
// CHECK-NEXT: if (inside.s0)
// CHECK-NEXT: other.s0 = p[i + 0];
// CHECK: uint8 load_uint8_global(__global const uint *p, ulong i, ulong whole, int8 inside, uint8 other) {
// CHECK-NEXT: if (i < whole)
// CHECK-NEXT: return inside ? vload8(0, p + i) : other;
// CHECK-NEXT: return load_uint8_global_rest(p, i, inside, other);
// CHECK: void store_uint8_global(__global uint *p, ulong i, int8 inside, uint8 x) {
// CHECK-NEXT: if (all(inside))
// CHECK-NEXT: vstore8(x, 0, p + i);
// CHECK-NEXT: else
// CHECK-NEXT: store_uint8_global_rest(p, i, inside, x);

!words = memref<64xi32, #gpu.address_space<global>>
!bytes = memref<64xi8, #gpu.address_space<global>>
module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK: void k_convert_program(
  // CHECK-DAG: const uchar8 in1_1 = vload8(0, in1 + 0);
  // CHECK-DAG: const uint8 in0_1 = vload8(0, in0 + 0);
  // CHECK: = convert_float8(as_int8(as_uint8(convert_int8(as_char8(in1_1))) * convert_uint8(in1_1)));
  // CHECK: vstore8(as_uint8(convert_int8({{.*}})), 0, out0 + 0);
  // CHECK: const int8 [[M:.*]] = convert_int8(in1_1 < [[SEVEN:.*]]) & ((int8)((thread == 0 ? -1 : 0)));
  // CHECK: if (any([[M]])) {
  // CHECK: vstore8(convert_char8([[M]]) ? in1_1 : [[SEVEN]], 0, out1 + 0);
  gpu.func @convert(%x: !words, %b: !bytes, %y: !words, %z: !bytes) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.num_outputs = 2 : i64} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %seven = arith.constant dense<7> : vector<8xi8>
    %t = gpu.thread_id x
    %n = vector.load %b[%c0] : !bytes, vector<8xi8>
    %w = vector.load %x[%c0] : !words, vector<8xi32>
    %s = arith.extsi %n : vector<8xi8> to vector<8xi32>
    %u = arith.extui %n : vector<8xi8> to vector<8xi32>
    %sum = arith.muli %s, %u : vector<8xi32>
    %f = arith.sitofp %sum : vector<8xi32> to vector<8xf32>
    %g = arith.addf %f, %f : vector<8xf32>
    %i = arith.fptosi %g : vector<8xf32> to vector<8xi32>
    vector.store %i, %y[%c0] : !words, vector<8xi32>
    %less = arith.cmpi ult, %n, %seven : vector<8xi8>
    %first = arith.cmpi eq, %t, %c0 : index
    %all = vector.broadcast %first : i1 to vector<8xi1>
    %both = arith.andi %less, %all : vector<8xi1>
    %any = vector.reduction <or>, %both : vector<8xi1> into i1
    scf.if %any {
      vector.store %w, %y[%c8] : !words, vector<8xi32>
    }
    %chosen = arith.select %both, %n, %seven : vector<8xi1>, vector<8xi8>
    vector.store %chosen, %z[%c0] : !bytes, vector<8xi8>
    gpu.return
  }

  // CHECK: void k_shuffle_program(
  // CHECK: vstore8(join_lanes_1(in0_1, in0_2), 0, out0 + 0);
  // CHECK: vstore4(((uint4)(in0_1.s01, in0_2.s67)), 0, out0 + 8);
  // CHECK: vstore4(in0_1.s4567, 0, out0 + 16);
  gpu.func @shuffle(%x: !words, %y: !words) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %a = vector.load %x[%c0] : !words, vector<8xi32>
    %b = vector.load %x[%c8] : !words, vector<8xi32>
    %i = vector.shuffle %a, %b [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xi32>, vector<8xi32>
    vector.store %i, %y[%c0] : !words, vector<8xi32>
    %j = vector.shuffle %a, %b [0, 1, 14, 15] : vector<8xi32>, vector<8xi32>
    vector.store %j, %y[%c8] : !words, vector<4xi32>
    %k = vector.shuffle %a, %a [4, 5, 6, 7] : vector<8xi32>, vector<8xi32>
    vector.store %k, %y[%c16] : !words, vector<4xi32>
    gpu.return
  }

  // A whole vector lies in the buffer of 64 elements at the first 57 indices.
  // CHECK: void k_masked_program(
  // CHECK: const uint8 in0_1 = load_uint8_global(in0, thread, 57, {{.*}}, {{.*}});
  // CHECK: store_uint8_global(out0, 0, {{.*}}, in0_1);
  gpu.func @masked(%x: !words, %y: !words) kernel
      attributes {known_block_size = array<i32: 1, 1, 1>, tw.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0> : vector<8xi32>
    %steps = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
    %t = gpu.thread_id x
    %n = arith.index_cast %t : index to i32
    %s = vector.broadcast %n : i32 to vector<8xi32>
    %m = arith.cmpi slt, %steps, %s : vector<8xi32>
    %v = vector.maskedload %x[%t], %m, %zero : !words, vector<8xi1>, vector<8xi32> into vector<8xi32>
    vector.maskedstore %y[%c0], %m, %v : !words, vector<8xi1>, vector<8xi32>
    gpu.return
  }
}
}
