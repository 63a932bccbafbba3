// Scans along tiles by lists: of one subgroup and of eight, several rows beside each other, elements of a thread that lie apart but for
// the scan, of rows in one program, and across what memory runs along.
func.func @main(%x: tensor<16x1000xi32> {tgraph.name = "x"})
    -> (tensor<16x1000xi32> {tgraph.name = "one"}, tensor<16x1000xi32> {tgraph.name = "eight"}, tensor<16x1000xi32> {tgraph.name = "rows"},
        tensor<16x1000xi32> {tgraph.name = "odd"}, tensor<16x1000xi32> {tgraph.name = "across"}) {
  %one = tkernel.kernel (%i : 16, %j : 1000) reads(%a = %x : tensor<16x1000xi32>) -> tensor<16x1000xi32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 128], grid [i], order [jo], tile [ji], warps 1]>} {
    %v = tkernel.load %a[%i, %j] : tensor<16x1000xi32>
    %s = tkernel.scan addi %v over %j exclusive : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  %eight = tkernel.kernel (%i : 16, %j : 1000) reads(%a = %x : tensor<16x1000xi32>) -> tensor<16x1000xi32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 1024], grid [i], order [jo], tile [ji], warps 8]>} {
    %v = tkernel.load %a[%i, %j] : tensor<16x1000xi32>
    %s = tkernel.scan addi %v over %j reverse : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  %rows = tkernel.kernel (%i : 16, %j : 1000) reads(%a = %x : tensor<16x1000xi32>) -> tensor<16x1000xi32>
      attributes {schedule = #tkernel.schedule<[split i = [io, ii 8], split j = [jo, ji 64], grid [io], order [jo], tile [ii, ji], warps 4]>} {
    %v = tkernel.load %a[%i, %j] : tensor<16x1000xi32>
    %s = tkernel.scan addi %v over %j : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  %odd = tkernel.kernel (%i : 16, %j : 1000) reads(%a = %x : tensor<16x1000xi32>) -> tensor<16x1000xi32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 32], order [jo], tile [i, ji], warps 2]>} {
    %v = tkernel.load %a[%i, %j] : tensor<16x1000xi32>
    %s = tkernel.scan addi %v over %j exclusive reverse : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  %across = tkernel.kernel (%i : 16, %j : 1000) reads(%a = %x : tensor<16x1000xi32>) -> tensor<16x1000xi32>
      attributes {schedule = #tkernel.schedule<[split j = [jo, ji 32], grid [jo], tile [i, ji], warps 4]>} {
    %v = tkernel.load %a[%i, %j] : tensor<16x1000xi32>
    %s = tkernel.scan addi %v over %i : i32
    tkernel.store %s, 0[%i, %j] : i32
  }
  return %one, %eight, %rows, %odd, %across : tensor<16x1000xi32>, tensor<16x1000xi32>, tensor<16x1000xi32>, tensor<16x1000xi32>, tensor<16x1000xi32>
}
