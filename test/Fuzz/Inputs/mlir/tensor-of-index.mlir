// fuzz: tensor-compile -o /dev/null --target=opencl
func.func @bindings(%x: tensor<index>) -> tensor<index> {
  %0 = tkernel.kernel () reads(%a = %x : tensor<index>, %b = %x : tensor<index>, %c = %x : tensor<index>,
      %d = %x : tensor<index>, %e = %x : tensor<index>, %f = %x : tensor<index>, %g = %x : tensor<index>,
      %h = %x : tensor<index>, %i = %x : tensor<index>, %j = %x : tensor<index>, %k = %x : tensor<index>,
      %l = %x : tensor<index>, %m = %x : tensor<index>, %n = %x : tensor<index>, %o = %x : tensor<index>,
      %p = %x : tensor<index>) -> tensor<index> {
    %1 = tkernel.load %a[] : tensor<index>
    tkernel.store %1, 0[] : index
  }
  return %0 : tensor<index>
}
