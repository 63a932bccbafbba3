// RUN: tensor-opt %s --tile-expand-exchanges | FileCheck %s
// RUN: tensor-opt %s --tile-expand-exchanges --tile-to-threads --cse | FileCheck %s --check-prefix=THREADS
// RUN: tensor-opt %s --tile-expand-exchanges=shuffles=true --tile-to-threads --cse | FileCheck %s --check-prefix=TRADE

#a = #ttile.layout<8x2, atom 8x2 {reg [(0, 1)], lane [(1, 0), (2, 0), (4, 0), (0, 0), (0, 0)]}>
#b = #ttile.layout<8x2, atom 8x2 {reg [(0, 1), (0, 0)], lane [(1, 0), (2, 0), (4, 0), (0, 0), (0, 0)]}>

// A conversion of what each thread has already stays; one that changes nothing goes.
// CHECK-LABEL: @registers
// CHECK-NOT: ttile.alloc
// CHECK: ttile.convert %{{.*}} -> tensor<8x2xf32, #[[B:.*]]>
// CHECK-NOT: ttile.convert
// THREADS-LABEL: @registers
// THREADS-COUNT-2: memref.load
// THREADS-NOT: memref.load
ttile.func @registers(%x: memref<16xf32>) results(%y: memref<16xf32>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>() : memref<16xf32> -> tensor<8x2xf32, #a>
  %u = ttile.convert %t : tensor<8x2xf32, #a> -> tensor<8x2xf32, #b>
  %v = ttile.convert %u : tensor<8x2xf32, #b> -> tensor<8x2xf32, #b>
  ttile.store %v, %y through #tview.map<affine_map<(d0, d1) -> (d1 * 8 + d0)>>() : tensor<8x2xf32, #b> -> memref<16xf32>
  ttile.return
}

#c = #ttile.layout<8x16, atom 8x16 {reg [(0, 1), (0, 8)], lane [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)]}>
#d = #ttile.layout<8x16, atom 8x16 {reg [(0, 1), (0, 2)], lane [(0, 8), (0, 4), (1, 0), (2, 0), (4, 0)]}>

// A trade of registers between lanes whose number differs in a bit is a shuffle of words, where there are shuffles, and else goes through
// local memory.
// CHECK-LABEL: @trade
// CHECK: ttile.alloc
// CHECK-NOT: ttile.convert
// TRADE-LABEL: @trade
// TRADE-NOT: memref<{{.*}}workgroup
// TRADE: %[[BIT:.*]] = arith.cmpi ne
// TRADE: %[[LOW:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// TRADE: %[[HIGH:.*]] = llvm.bitcast %{{.*}} : vector<2xbf16> to i32
// TRADE: %[[SENT:.*]] = arith.select %[[BIT]], %[[LOW]], %[[HIGH]] : i32
// TRADE: %[[GOT:.*]], %{{.*}} = gpu.shuffle xor %[[SENT]]
// TRADE-DAG: arith.select %[[BIT]], %[[GOT]], %[[LOW]] : i32
// TRADE-DAG: arith.select %[[BIT]], %[[HIGH]], %[[GOT]] : i32
// TRADE-NOT: gpu.shuffle
// TRADE: vector.store %{{.*}} {alignment = 8 : i64} : memref<128xbf16, {{.*}}>, vector<4xbf16>
ttile.func @trade(%x: memref<128xbf16>) results(%y: memref<128xbf16>) warps(1) {
  %t = ttile.load %x through #tview.map<affine_map<(d0, d1) -> (d0 * 16 + d1)>>() : memref<128xbf16> -> tensor<8x16xbf16, #c>
  %u = ttile.convert %t : tensor<8x16xbf16, #c> -> tensor<8x16xbf16, #d>
  ttile.store %u, %y through #tview.map<affine_map<(d0, d1) -> (d0 * 16 + d1)>>() : tensor<8x16xbf16, #d> -> memref<128xbf16>
  ttile.return
}
