// fuzz: tensor-opt "--interpret=integers=true check-races"
#local = #gpu.address_space<workgroup>

ttile.func @main() results(%y: memref<0x6xi32>) grid(%p = 0) {
  %s = ttile.alloc : memref<6xi32, #local>
  scf.forall (%i) = (0) to (5) step (2) {
    %v = ttile.index affine_map<(d0, d1, d2) -> (d2 * 10 + d1 + d0)>(%i, %p) : tensor<0xindex>
    %w = arith.index_cast %v : tensor<0xindex> to tensor<0xi32>
    ttile.store %w, %s through #tview.map<affine_map<(d0, d1) -> (d1 + d0)>>(%i) : tensor<0xi32> -> memref<6xi32, #local>
  } {mapping = [#ttile.team]}
  scf.forall (%i, %j) in (3, 0) {
    %t = ttile.load %s through #tview.map<affine_map<(d0, d1, d2) -> (5 - d1 * 0 - d2)>>(%i, %j) : memref<6xi32, #local> -> tensor<1xi32>
    ttile.store %t, %y through #tview.map<affine_map<(d0, d1, d2, d3) -> (d3, d1 * 0 + d2)>>(%i, %j, %p) : tensor<1xi32> -> memref<0x6xi32>
  } {mapping = [#ttile.team, #ttile.team]}
  ttile.return
}
