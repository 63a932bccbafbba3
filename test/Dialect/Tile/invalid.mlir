// RUN: tensor-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected buffer 0 to be a row-major memref of static shape, found 'memref<?xf32>'}}
ttile.func @dynamic(%x: memref<?xf32>) {
  ttile.return
}

// -----

// expected-error @+1 {{expected to end in ttile.return}}
ttile.func @end(%x: memref<4xf32>) {
  %c = arith.constant 0 : index
}

// -----

ttile.func @dims(%x: memref<4xf32>) {
  // expected-error @+1 {{expected a map with one dimension per dimension of the tile and index, 1, found 2}}
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0)>>() : memref<4xf32> -> tensor<4xf32>
  ttile.return
}

// -----

ttile.func @rank(%x: memref<4x4xf32>) {
  // expected-error @+1 {{expected one coordinate per dimension of 'memref<4x4xf32>', 2, found 1}}
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4x4xf32> -> tensor<4xf32>
  ttile.return
}

// -----

ttile.func @element(%x: memref<4xui8>) {
  // expected-error @+1 {{expected a tile of 'i8', found 'tensor<4xf32>'}}
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() : memref<4xui8> -> tensor<4xf32>
  ttile.return
}

// -----

ttile.func @in_bounds(%x: memref<4xf32>) {
  // expected-error @+1 {{expected in_bounds for 1 dimensions, found 2}}
  %t = ttile.load %x through #tview.map<affine_map<(d0) -> (d0)>>() {in_bounds = array<i1: true, true>} : memref<4xf32> -> tensor<4xf32>
  ttile.return
}

// -----

ttile.func @index_tile(%x: memref<4xf32>) {
  %i = ttile.index affine_map<(d0) -> (d0)>() : tensor<2xindex>
  // expected-error @+1 {{expected index tiles with extents of the tile or 1, found 'tensor<2xindex>'}}
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1)>>(%i : tensor<2xindex>) : memref<4xf32> -> tensor<4xf32>
  ttile.return
}

// -----

ttile.func @index() {
  // expected-error @+1 {{expected a map from 1 dimensions to 1 result}}
  %i = ttile.index affine_map<(d0, d1) -> (d0)>() : tensor<2xindex>
  ttile.return
}

// -----

ttile.func @inside() {
  // expected-error @+1 {{expected a set of 1 dimensions, found 2}}
  %i = ttile.inside affine_set<(d0, d1) : (d0 >= 0)>() : tensor<2xi1>
  ttile.return
}

// -----

ttile.func @broadcast() {
  %t = arith.constant dense<0.0> : tensor<2x1xf32>
  // expected-error @+1 {{expected a result of the source's element type and extents, 1 replaced, found 'tensor<2x1xf32>' -> 'tensor<4x4xf32>'}}
  %b = ttile.broadcast %t : tensor<2x1xf32> -> tensor<4x4xf32>
  ttile.return
}

// -----

ttile.func @reduce_dim() {
  %t = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-error @+1 {{expected dims below 2, found 2}}
  %b = ttile.reduce addf %t dims [2] : tensor<2x4xf32> -> tensor<2x1xf32>
  ttile.return
}

// -----

ttile.func @reduce_type() {
  %t = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-error @+1 {{expected a result of type 'tensor<2x1xf32>', found 'tensor<2xf32>'}}
  %b = ttile.reduce addf %t dims [1] : tensor<2x4xf32> -> tensor<2xf32>
  ttile.return
}

// -----

ttile.func @mma() {
  %t = arith.constant dense<0.0> : tensor<2x4xf32>
  %c = arith.constant dense<0.0> : tensor<4x4xf32>
  // expected-error @+1 {{expected operands of the accumulator's extents or 1, and of one extent in one dimension before the last where the accumulator has 1, found 'tensor<2x4xf32>' and 'tensor<2x4xf32>' for 'tensor<4x4xf32>'}}
  %b = ttile.mma %t, %t, %c : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>
  ttile.return
}

// -----

ttile.func @mma_group() {
  %a = arith.constant dense<0.0> : tensor<2x4x1xbf16>
  %b = arith.constant dense<0.0> : tensor<1x1x8xbf16>
  %c = arith.constant dense<0.0> : tensor<1x4x8xf32>
  // expected-error @+1 {{and of one extent in one dimension before the last where the accumulator has 1, found 'tensor<2x4x1xbf16>' and 'tensor<1x1x8xbf16>' for 'tensor<1x4x8xf32>'}}
  %d = ttile.mma %a, %b, %c : tensor<2x4x1xbf16>, tensor<1x1x8xbf16>, tensor<1x4x8xf32>
  ttile.return
}

// -----

ttile.func @mma_last() {
  %a = arith.constant dense<0.0> : tensor<4x2xbf16>
  %c = arith.constant dense<0.0> : tensor<4x1xf32>
  // expected-error @+1 {{and of one extent in one dimension before the last}}
  %d = ttile.mma %a, %a, %c : tensor<4x2xbf16>, tensor<4x2xbf16>, tensor<4x1xf32>
  ttile.return
}

// -----

ttile.func @mma_types() {
  %a = arith.constant dense<0.0> : tensor<4x1xbf16>
  %c = arith.constant dense<0.0> : tensor<4x1xbf16>
  // expected-error @+1 {{expected operands of the accumulator's element type, of narrow floats for f32, or of i8 for i32, found 'tensor<4x1xbf16>' and 'tensor<4x1xbf16>' for 'tensor<4x1xbf16>'}}
  %d = ttile.mma %a, %a, %c : tensor<4x1xbf16>, tensor<4x1xbf16>, tensor<4x1xbf16>
  ttile.return
}

// -----

ttile.func @mma_unsigned() {
  %a = arith.constant dense<0> : tensor<4x1xi32>
  // expected-error @+1 {{expected unsigned operands of i8 for i32 only, found 'tensor<4x1xi32>' for 'tensor<4x1xi32>'}}
  %d = ttile.mma %a, %a, %a lhs_unsigned : tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>
  ttile.return
}

// -----

ttile.func @global(%x: memref<4xf32>) {
  // expected-error @+1 {{expected memory in #gpu.address_space<workgroup>, found 'memref<4xf32>'}}
  %s = ttile.alloc : memref<4xf32>
  ttile.return
}

// -----

ttile.func @strides(%x: memref<4xf32>) {
  // expected-error @+1 {{expected row-major strides, at least 8 in dimension 0, found}}
  %s = ttile.alloc : memref<4x8xf32, strided<[4, 1]>, #gpu.address_space<workgroup>>
  ttile.return
}

// -----

// expected-error @+1 {{expected a power of two of warps, found 3}}
ttile.func @warps(%x: memref<4xf32>) warps(3) {
  ttile.return
}

// -----

// expected-error @+1 {{expected repetitions of the atom that make extent 16 of dimension 0, found 8}}
#short = #ttile.layout<16, atom 8 {lane [(1), (2), (4)]}>

// -----

#half = #ttile.layout<8, atom 8 {lane [(1), (2), (4)]}>
// expected-error @+1 {{expected a layout of the tile's shape}}
func.func private @shape() -> tensor<16xf32, #half>

// -----

ttile.func @scan_dim() {
  %t = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-error @+1 {{expected a dim below 2, found 2}}
  %a, %b = ttile.scan addf %t dim 2 : tensor<2x4xf32> -> tensor<2x1xf32>
  ttile.return
}

// -----

ttile.func @scan_total() {
  %t = arith.constant dense<0.0> : tensor<2x4xf32>
  // expected-error @+1 {{expected a total of type 'tensor<2x1xf32>', found 'tensor<1x4xf32>'}}
  %a, %b = ttile.scan addf %t dim 1 : tensor<2x4xf32> -> tensor<1x4xf32>
  ttile.return
}

// -----

ttile.func @scan_from(%x: memref<2x4xf32>) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<2x4xf32> -> tensor<2x4xf32>
  %f = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0, d1)>>() : memref<2x4xf32> -> tensor<2x3xf32>
  // expected-error @+1 {{expected to begin from one element for each of some equal parts of 'tensor<2x4xf32>' along dim 1, found 'tensor<2x3xf32>'}}
  %a, %b = ttile.scan addf %t from %f dim 1 : tensor<2x4xf32> from tensor<2x3xf32> -> tensor<2x3xf32>
  ttile.return
}

// -----

ttile.func @reduce_narrow() {
  %t = arith.constant dense<0.0> : tensor<2x4xbf16>
  // expected-error @+1 {{expected 'bf16' to be combined in f32, found 'tensor<2x4xbf16>'}}
  %b = ttile.reduce maximumf %t dims [1] : tensor<2x4xbf16> -> tensor<2x1xbf16>
  ttile.return
}

// -----

ttile.func @team_mapping(%x: memref<4xf32>) {
  // expected-error @+1 {{'scf.forall' op expected the mapping #ttile.team for each dimension}}
  scf.forall (%i) in (4) {
  }
  ttile.return
}

// -----

ttile.func @team_without_kind(%x: memref<4xf32>) {
  // expected-error @+1 {{'scf.forall' op expected the mapping #ttile.team for each dimension}}
  scf.forall (%i) in (4) {
  } {mapping = []}
  ttile.return
}

// -----

ttile.func @team_of_gpu(%x: memref<4xf32>) {
  // expected-error @+1 {{'scf.forall' op expected the mapping #ttile.team for each dimension}}
  scf.forall (%i, %j) in (4, 2) {
  } {mapping = [#ttile.team, #gpu.thread<x>]}
  ttile.return
}

// -----

ttile.func @team_results(%x: memref<4xf32>) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{'scf.forall' op expected no shared_outs, found 1: what a team shares lies in memory}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<4xf32> {
    scf.forall.in_parallel {
    }
  } {mapping = [#ttile.team]}
  ttile.return
}

// -----

ttile.func @team_nested(%x: memref<4xf32>) {
  scf.forall (%i) in (4) {
    // expected-error @+1 {{'scf.forall' op expected no loop of a team inside of another}}
    scf.forall (%j) in (4) {
    } {mapping = [#ttile.team]}
  } {mapping = [#ttile.team]}
  ttile.return
}

// -----

ttile.func @team_warps(%x: memref<4xf32>) warps(4) {
  // expected-error @+1 {{'scf.forall' op expected no loop of a team in a program of 4 warps}}
  scf.forall (%i) in (4) {
  } {mapping = [#ttile.team]}
  ttile.return
}

// -----

ttile.func @team_barrier(%x: memref<4xf32>) {
  scf.forall (%i) in (4) {
  } {mapping = [#ttile.team]}
  // expected-error @+1 {{'ttile.barrier' op expected no barrier in a team's program, whose loops end in one}}
  ttile.barrier
  ttile.return
}

// -----

ttile.func @team_store() results(%y: memref<4xf32>) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  scf.forall (%i) in (4) {
  } {mapping = [#ttile.team]}
  // expected-error @+1 {{'ttile.store' op expected to be in a loop that the team shares: outside, all threads would store at once}}
  ttile.store %t, %y through #tview.map<affine_map<(d0) -> (d0)>>() : tensor<4xf32> -> memref<4xf32>
  ttile.return
}

// -----

// expected-error @+1 {{expected symbol "T" of its grid to be one of its symbols}}
ttile.func @grid_symbol(%x: memref<64xf32>) grid(%i = T <= 8) symbols(%S = S) {
  ttile.return
}

// -----

// expected-error @+1 {{expected a limit for each of 1 symbols, found 2}}
ttile.func @symbol_limits(%x: memref<64xf32>) symbols(%S = S) attributes {symbol_limits = array<i64: 4, 8>} {
  ttile.return
}

// -----

// expected-error @+1 {{expected steps of the grid of at least 1, found 0}}
ttile.func @grid_step(%x: memref<64xf32>) grid(%i = S ceildiv 0 <= 8) symbols(%S = S) {
  ttile.return
}

// -----

ttile.func @release_slot() warps(4) {
  %n = arith.constant 0 : index
  %free = ttile.alloc : memref<2xi64, #gpu.address_space<workgroup>>
  %ring = ttile.alloc : memref<2x64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'ttile.release' op expected one of 2 slots, found 2}}
  ttile.release %free[2] filling %n of %ring : memref<2xi64, #gpu.address_space<workgroup>>, memref<2x64xf32, #gpu.address_space<workgroup>>
  ttile.return
}

// -----

ttile.func @await_words() warps(4) {
  %n = arith.constant 0 : index
  %full = ttile.alloc : memref<2xi32, #gpu.address_space<workgroup>>
  %ring = ttile.alloc : memref<2x64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'ttile.await' op expected a row of i64 in local memory to count in, found 'memref<2xi32, #gpu.address_space<workgroup>>'}}
  ttile.await %full[1] filling %n of %ring : memref<2xi32, #gpu.address_space<workgroup>>, memref<2x64xf32, #gpu.address_space<workgroup>>
  ttile.return
}

// -----

ttile.func @release_rings() warps(4) {
  %n = arith.constant 0 : index
  %free = ttile.alloc : memref<2xi64, #gpu.address_space<workgroup>>
  %ring = ttile.alloc : memref<4x64xf32, #gpu.address_space<workgroup>>
  // expected-error @+1 {{'ttile.release' op expected rings of 2 slots in local memory, found 'memref<4x64xf32, #gpu.address_space<workgroup>>'}}
  ttile.release %free[1] filling %n of %ring : memref<2xi64, #gpu.address_space<workgroup>>, memref<4x64xf32, #gpu.address_space<workgroup>>
  ttile.return
}
