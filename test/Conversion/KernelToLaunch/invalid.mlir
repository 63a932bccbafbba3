// RUN: tensor-opt %s --split-input-file --verify-diagnostics --kernel-to-launch

// expected-error @+1 {{expected function 'number' to take and give tensors of integers or floats of static shapes, found 'i1' [T0312]}}
func.func @number(%x: i1) {
  return
}

// -----

// expected-error @+1 {{expected function 'dynamic' to take and give tensors of integers or floats of static shapes, found 'tensor<?xf32>' [T0312]}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
