// Where code cannot scan along a tile, scans are loops.
// RUN: tensor-opt %s --kernel-schedule=machine=host | FileCheck %s --check-prefix=TILE
// RUN: tensor-opt %s --kernel-schedule="machine=host traits=tileScans=false" | FileCheck %s --check-prefix=LOOP

// TILE: tile [i]
// LOOP-NOT: tile [{{.*}}i{{.*}}]
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = tkernel.kernel (%i : 16) reads(%a = %x : tensor<16xf32>) -> tensor<16xf32> {
    %v = tkernel.load %a[%i] : tensor<16xf32>
    %s = tkernel.scan minimumf %v over %i : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<16xf32>
}
