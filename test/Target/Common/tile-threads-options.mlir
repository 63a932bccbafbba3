// RUN: not tensor-opt %s --tile-to-threads=subgroup=48 2>&1 | FileCheck %s
// RUN: not tensor-opt %s --tile-assign-layouts=subgroup=48 2>&1 | FileCheck %s
// CHECK: error: expected subgroup to be a power of two, found 48 [T0423]
ttile.func @f() warps(1) {
  ttile.return
}
