// Programs of more threads than small devices have in a group: 256 of them, and 70,000 programs of 64.
func.func @main(%x: tensor<300x1024xf32> {tgraph.name = "x"}, %z: tensor<70000x64xi8> {tgraph.name = "z"})
    -> (tensor<300x1024xf32> {tgraph.name = "sum"}, tensor<70000x64xi8> {tgraph.name = "many"}) {
  %sum = tkernel.kernel @sum (%i : 300, %j : 1024) reads(%a = %x : tensor<300x1024xf32>) -> tensor<300x1024xf32>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], warps 8]>} {
    %v = tkernel.load %a[%i, %j] : tensor<300x1024xf32>
    %s = arith.addf %v, %v : f32
    tkernel.store %s, 0[%i, %j] : f32
  }
  %many = tkernel.kernel @many (%i : 70000, %j : 64) reads(%a = %z : tensor<70000x64xi8>) -> tensor<70000x64xi8>
      attributes {schedule = #tkernel.schedule<[grid [i], tile [j], warps 2]>} {
    %v = tkernel.load %a[%i, %j] : tensor<70000x64xi8>
    %s = arith.addi %v, %v : i8
    tkernel.store %s, 0[%i, %j] : i8
  }
  return %sum, %many : tensor<300x1024xf32>, tensor<70000x64xi8>
}
