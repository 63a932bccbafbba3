// Reductions that follow a maximum or a mean in one sweep, with lanes along the axis or without, and what comes after
// the sweep.
// RUN: tensor-opt %s --kernel-schedule --kernel-to-launch --kernel-to-tile --canonicalize --cse | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --quiet --max-error=5e-5

// Each lane has a maximum and a sum of its own, which are combined after the loop.
// CHECK-LABEL: ttile.func @lanes
// CHECK:         scf.for {{.*}} -> (tensor<16xf32>, tensor<16xf32>)
// CHECK:           scf.for
// CHECK:             arith.maximumf
// CHECK:           math.exp {{.*}} : tensor<16xf32>
// CHECK:           arith.mulf
// CHECK:           scf.for
// CHECK:             math.exp
// CHECK:         ttile.reduce maximumf
// CHECK:         math.exp
// CHECK:         arith.mulf
// CHECK:         ttile.reduce addf

// The mean moves by what a part adds to it, and the squares so far grow by how far it moved.
// CHECK-LABEL: ttile.func @variance
// CHECK:         scf.for {{.*}} -> (tensor<16xf32>, tensor<16xf32>)
// CHECK:           %[[SUM:.*]] = scf.for
// CHECK-NOT:         ttile.store
// CHECK:           arith.sitofp
// CHECK:           %[[MEAN:.*]] = arith.divf %[[SUM]]
// CHECK:           arith.subf
// CHECK:           arith.addf
// CHECK:           scf.for
// CHECK:             arith.subf
// CHECK:         ttile.reduce addf
// CHECK:         ttile.reduce addf
func.func @main(%x: tensor<5x512xf32>, %far: tensor<5x512xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x512xf32>, tensor<5xf32>, tensor<5x512xf32>) {
  %lanes = tkernel.kernel @lanes (%i : 5, %j : 512) reads(%xs = %x : tensor<5x512xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jm 8, jl 16], grid [i], order [jo, jm], tile [jl], online jo]>} {
    %v = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %l = tkernel.reduce addf %e over (%j) : f32
    %log = math.log %l : f32
    %r = arith.addf %log, %m : f32
    tkernel.store %r, 0[%i] : f32
  }
  %variance = tkernel.kernel @variance (%i : 5, %j : 512) reads(%xs = %far : tensor<5x512xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jm 8, jl 16], grid [i], order [jo, jm], tile [jl], online jo]>} {
    %thousand = arith.constant 1.0e+3 : f32
    %n = arith.constant 512.0 : f32
    %v0 = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %v = arith.addf %v0, %thousand : f32
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.divf %s, %n : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  %loops = tkernel.kernel @loops (%i : 5, %j : 512) reads(%xs = %x : tensor<5x512xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[order [j], tile [i], online j]>} {
    %share = arith.constant 1.953125e-03 : f32
    %v = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.mulf %s, %share : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    tkernel.store %r, 0[%i] : f32
  }
  %norm = tkernel.kernel @norm (%i : 5, %j : 512) reads(%xs = %x : tensor<5x512xf32>) -> tensor<5x512xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jm 8, jl 16], grid [i], order [jo, jm], tile [jl], online jo]>} {
    %share = arith.constant 1.953125e-03 : f32
    %small = arith.constant 1.0e-05 : f32
    %v = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    %mean = arith.mulf %s, %share : f32
    %d = arith.subf %v, %mean : f32
    %q = arith.mulf %d, %d : f32
    %r = tkernel.reduce addf %q over (%j) : f32
    %var = arith.mulf %r, %share : f32
    %safe = arith.addf %var, %small : f32
    %root = math.sqrt %safe : f32
    %y = arith.divf %d, %root : f32
    tkernel.store %y, 0[%i, %j] : f32
  }
  // Whole parts, and one lane's points, are minus infinity.
  %masked = tkernel.kernel @masked (%i : 5, %j : 512) reads(%xs = %x : tensor<5x512xf32>) -> tensor<5xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jm 8, jl 16], grid [i], order [jo, jm], tile [jl], online jo]>} {
    %never = arith.constant 0xFF800000 : f32
    %v0 = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %c = arith.constant 200 : index
    %late = arith.cmpi sge, %j, %c : index
    %lane = affine.apply affine_map<(d0) -> (d0 mod 16)>(%j)
    %three = arith.constant 3 : index
    %other = arith.cmpi ne, %lane, %three : index
    %seen = arith.andi %late, %other : i1
    %v = arith.select %seen, %v0, %never : f32
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %l = tkernel.reduce addf %e over (%j) : f32
    tkernel.store %l, 0[%i] : f32
  }
  %softmax = tkernel.kernel @softmax (%i : 5, %j : 512) reads(%xs = %x : tensor<5x512xf32>) -> tensor<5x512xf32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, jm 8, jl 16], grid [i], order [jo, jm], tile [jl], online jo]>} {
    %v = tkernel.load %xs[%i, %j] : tensor<5x512xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %l = tkernel.reduce addf %e over (%j) : f32
    %y = arith.divf %e, %l : f32
    tkernel.store %y, 0[%i, %j] : f32
  }
  return %lanes, %variance, %loops, %norm, %masked, %softmax : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x512xf32>, tensor<5xf32>, tensor<5x512xf32>
}
