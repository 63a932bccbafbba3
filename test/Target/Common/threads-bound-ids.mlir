// RUN: tensor-opt %s --pass-pipeline="builtin.module(gpu.module(threads-bound-ids))" | FileCheck %s

module attributes {gpu.container_module} {
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @one_row(
  gpu.func @one_row() kernel attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 65535 : i64} {
    // CHECK: gpu.block_id x upper_bound 65535
    %x = gpu.block_id x
    // CHECK: gpu.block_id y upper_bound 1
    %y = gpu.block_id y
    // CHECK: gpu.grid_dim x upper_bound 65535
    %n = gpu.grid_dim x
    gpu.return
  }

  // How long the rows are is the driver's choice, up to all programs.
  // CHECK-LABEL: gpu.func @rows(
  gpu.func @rows() kernel attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 131071 : i64} {
    // CHECK: gpu.block_id x upper_bound 131071
    %x = gpu.block_id x
    // CHECK: gpu.block_id y upper_bound 3
    %y = gpu.block_id y
    // CHECK: gpu.grid_dim x upper_bound 131071
    %n = gpu.grid_dim x
    gpu.return
  }

  // What is not known, or bounded already, stays.
  // CHECK-LABEL: gpu.func @none(
  gpu.func @none() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // CHECK: gpu.block_id x{{$}}
    %x = gpu.block_id x
    gpu.return
  }

  // CHECK-LABEL: gpu.func @bounded(
  gpu.func @bounded() kernel attributes {known_block_size = array<i32: 32, 1, 1>, tw.programs = 4294967296 : i64} {
    // CHECK: gpu.block_id x upper_bound 7
    %x = gpu.block_id x upper_bound 7
    // CHECK: gpu.grid_dim x{{$}}
    %n = gpu.grid_dim x
    gpu.return
  }
}
}
