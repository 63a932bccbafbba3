// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tensor-translate %s --emit=ptx | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_70 | FileCheck %s --check-prefixes=CHECK,SM70
// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_90a | FileCheck %s --check-prefixes=CHECK,SM90A
// RUN: tensor-translate %s --emit=ptx --target=cuda:sm_100 | FileCheck %s --check-prefixes=CHECK,SM100

#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>

// SM70: .version 7.0
// SM70: .target sm_70
// SM80: .version 7.0
// SM80: .target sm_80
// SM90A: .version 8.0
// SM90A: .target sm_90a
// SM100: .version 8.6
// SM100: .target sm_100

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: .visible .entry scale(
  // CHECK: .reqntid 128, 1, 1
  // CHECK-NEXT: .minnctapersm 1
  // CHECK-NOT: maxntid
  gpu.func @scale(%x: memref<4096xf32, #global>, %y: memref<4096xf32, #global>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 8 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %half = arith.constant dense<0.5> : vector<4xf32>
    %one = arith.constant dense<1.0> : vector<4xf32>
    %t = gpu.thread_id x
    %p = gpu.block_id x
    %row = arith.muli %p, %c512 : index
    %column = arith.muli %t, %c4 : index
    %i = arith.addi %row, %column : index
    // SM80: ld.global.v4.b32
    // SM100: ld.global.v2.b64
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<4096xf32, #global>, vector<4xf32>
    // A product and a sum stay two operations: the same bits on every target.
    // CHECK-NOT: fma
    // CHECK: mul.rn.f32
    %m = arith.mulf %v, %half : vector<4xf32>
    // CHECK: add.rn.f32
    %a = arith.addf %m, %one : vector<4xf32>
    // SM80: st.global.v4.b32
    // SM100: st.global.v2.b64
    vector.store %a, %y[%i] {alignment = 16 : i64} : memref<4096xf32, #global>, vector<4xf32>
    gpu.return
  }

  // What expand-math leaves becomes instructions, correctly rounded; what it expands calls nothing.
  // CHECK-LABEL: .visible .entry math(
  gpu.func @math(%x: memref<128xf32, #global>, %y: memref<128xf32, #global>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<128xf32, #global>
    // CHECK-DAG: sqrt.rn.f32
    %s = math.sqrt %v : f32
    // CHECK-DAG: cvt.rmi.f32.f32
    %f = math.floor %s : f32
    // CHECK-DAG: cvt.rni.f32.f32
    %r = math.roundeven %s : f32
    // CHECK-DAG: div.rn.f32
    %d = arith.divf %f, %r : f32
    // CHECK-DAG: fma.rn.f32
    %fma = math.fma %d, %f, %r : f32
    // SM80-DAG: max.NaN.f32
    // SM90A-DAG: max.NaN.f32
    %m = arith.maximumf %fma, %d : f32
    %e = math.tanh %m : f32
    // CHECK-NOT: call
    // CHECK: st.global.b32
    memref.store %e, %y[%t] : memref<128xf32, #global>
    gpu.return
  }

  // A grid over 65,535 programs is folded over y.
  // CHECK-LABEL: .visible .entry folded(
  // CHECK-DAG: %nctaid.x
  // CHECK-DAG: %ctaid.y
  // Ranges show that numbers of programs and addresses fit 32 bits; the pointer alone is wider.
  // CHECK-NOT: mul{{.*}}s64
  // CHECK: st.global.b8
  gpu.func @folded(%y: memref<8960000xi8, #global>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 70000 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %programs = arith.constant 70000 : index
    %c128 = arith.constant 128 : index
    %one = arith.constant 1 : i8
    %t = gpu.thread_id x
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %nx = gpu.grid_dim x
    %above = arith.muli %by, %nx : index
    %p = arith.addi %above, %bx : index
    %inside = arith.cmpi ult, %p, %programs : index
    scf.if %inside {
      %row = arith.muli %p, %c128 : index
      %i = arith.addi %row, %t : index
      memref.store %one, %y[%i] : memref<8960000xi8, #global>
    }
    gpu.return
  }

  // Local memory that fits 48 KB is the kernel's own; more is the array that the launch sizes.
  // CHECK-LABEL: .visible .entry small(
  // CHECK: .shared .align 16 .b8 {{.*}}[512]
  gpu.func @small(%y: memref<128xf32, #global>) workgroup(%s : memref<128xf32, #local>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64, tw.num_outputs = 1 : i64, tw.warps = 4 : i64} {
    %c127 = arith.constant 127 : index
    %t = gpu.thread_id x
    %v = memref.load %y[%t] : memref<128xf32, #global>
    memref.store %v, %s[%t] : memref<128xf32, #local>
    // CHECK: bar{{.*}}.sync
    gpu.barrier
    %o = arith.subi %c127, %t : index
    %w = memref.load %s[%o] : memref<128xf32, #local>
    memref.store %w, %y[%t] : memref<128xf32, #global>
    gpu.return
  }
}
}
