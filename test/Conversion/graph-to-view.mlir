// RUN: tensor-opt %s --graph-to-view --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @permute
// CHECK-NEXT: tview.view %{{.*}} through <affine_map<(d0, d1, d2) -> (d1, d2, d0)>> : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %y = tgraph.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: through <affine_map<(d0) -> (d0 floordiv 6, d0 mod 6)>>
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<12xf32> {
  %y = tgraph.reshape %x : tensor<2x6xf32> -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK-NEXT: through <affine_map<(d0, d1) -> (d0, 0)>> : tensor<4x1xf32> -> tensor<4x8xf32>
func.func @expand(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %y = tgraph.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK-NEXT: through <affine_map<(d0, d1) -> (d0, d1 - 1)>, else 3 : ui8> : tensor<4x4xui8> -> tensor<6x5xui8>
func.func @pad(%x: tensor<4x4xui8>) -> tensor<6x5xui8> {
  %y = tgraph.pad %x low [0, 1] high [2, 0] value 3 : ui8 : tensor<4x4xui8> -> tensor<6x5xui8>
  return %y : tensor<6x5xui8>
}

// CHECK-LABEL: func.func @slice
// CHECK-NEXT: through <affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>> : tensor<4x5xf32> -> tensor<4x2xf32>
func.func @slice(%x: tensor<4x5xf32>) -> tensor<4x2xf32> {
  %y = tgraph.slice %x offsets [0, 1] sizes [4, 2] strides [1, 2] : tensor<4x5xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @flip
// CHECK-NEXT: through <affine_map<(d0, d1) -> (d0, -d1 + 2)>> : tensor<2x3xf32> -> tensor<2x3xf32>
func.func @flip(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = tgraph.flip %x dims [1] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: tview.view %{{.*}} through <affine_map<(d0, d1) -> (d1 + (d0 mod 4) * 2 - 1, d0 floordiv 4)>> : tensor<6x4xf32> -> tensor<16x2xf32>
// CHECK-NEXT: return
func.func @chain(%x: tensor<6x4xf32>) -> tensor<16x2xf32> {
  %p = tgraph.pad %x low [1, 0] high [1, 0] value 0.0 : f32 : tensor<6x4xf32> -> tensor<8x4xf32>
  %t = tgraph.permute %p [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %y = tgraph.reshape %t : tensor<4x8xf32> -> tensor<16x2xf32>
  return %y : tensor<16x2xf32>
}

// A view in the middle that others read stays beside the one that reads past it.
// CHECK-LABEL: func.func @shared
// CHECK: %[[T:.*]] = tview.view %[[X:.*]] through <affine_map<(d0, d1) -> (d1, d0)>>
// CHECK: %[[E:.*]] = tgraph.exp %[[T]]
// CHECK: %[[F:.*]] = tview.view %[[X]] through <affine_map<(d0) -> (d0 mod 2, d0 floordiv 2)>>
// CHECK: return %[[E]], %[[F]]
func.func @shared(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<6xf32>) {
  %t = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %e = tgraph.exp %t : tensor<3x2xf32>
  %f = tgraph.reshape %t : tensor<3x2xf32> -> tensor<6xf32>
  return %e, %f : tensor<3x2xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @there_and_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = tgraph.reshape %x : tensor<2x3x4xf32> -> tensor<24xf32>
  %b = tgraph.reshape %a : tensor<24xf32> -> tensor<8x3xf32>
  %c = tgraph.reshape %b : tensor<8x3xf32> -> tensor<2x3x4xf32>
  return %c : tensor<2x3x4xf32>
}

// Two paddings of unequal fills: a guard for the outer, the extents for the inner.
// CHECK-LABEL: func.func @two_fills
// CHECK-NEXT: through <affine_map<(d0) -> (d0 - 2)>, [(d0) : (d0 ge 1, d0 le 10) else 0xFF800000 : f32]> : tensor<8xf32> -> tensor<12xf32>
func.func @two_fills(%x: tensor<8xf32>) -> tensor<12xf32> {
  %a = tgraph.pad %x low [1] high [1] value 0.0 : f32 : tensor<8xf32> -> tensor<10xf32>
  %b = tgraph.pad %a low [1] high [1] value 0xFF800000 : f32 : tensor<10xf32> -> tensor<12xf32>
  return %b : tensor<12xf32>
}

// CHECK-LABEL: func.func @empty
// CHECK-NEXT: tview.view {{.*}} : tensor<0x2xf32> -> tensor<2x0xf32>
func.func @empty(%x: tensor<0x2xf32>) -> tensor<2x0xf32> {
  %y = tgraph.reshape %x : tensor<0x2xf32> -> tensor<2x0xf32>
  return %y : tensor<2x0xf32>
}

// -----

// What moves whole dimensions of a changing size, and splits the others, is a map.
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: tview.view %{{.*}} through <affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 16 + d3)>> : tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>> -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
func.func @dynamic(%x: tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>>) -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %r = tgraph.reshape %x : tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>> -> tensor<?x?x4x16xf32, #tgraph.dims<[B, S, 4, 16]>>
  %y = tgraph.permute %r [0, 2, 1, 3] : tensor<?x?x4x16xf32, #tgraph.dims<[B, S, 4, 16]>> -> tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
  return %y : tensor<?x4x?x16xf32, #tgraph.dims<[B, 4, S, 16]>>
}

// -----

// Rows of several batches are one dimension, led by the batch.
// CHECK-LABEL: func.func @led
// CHECK-NEXT: tview.view %{{.*}} through <affine_map<(d0, d1) -> (d0 floordiv 5, d0 mod 5, d1)>>
func.func @led(%x: tensor<?x5x32xf32, #tgraph.dims<[B, 5, 32]>>) -> tensor<?x32xf32, #tgraph.dims<[5 * B, 32]>>
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>}} {
  %y = tgraph.reshape %x : tensor<?x5x32xf32, #tgraph.dims<[B, 5, 32]>> -> tensor<?x32xf32, #tgraph.dims<[5 * B, 32]>>
  return %y : tensor<?x32xf32, #tgraph.dims<[5 * B, 32]>>
}

// -----

func.func @undeclared(%x: tensor<?x4xf32, #tgraph.dims<[4 * S, 4]>>) -> tensor<4x?xf32, #tgraph.dims<[4, 4 * S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 9223372036854775807, step = 1>}} {
  // expected-error @+1 {{'tgraph.permute' op has the dynamic type 'tensor<?x4xf32, #tgraph.dims<[4 * S, 4]>>', expected sizes whose ranges are declared [T0215]}}
  %y = tgraph.permute %x [1, 0] : tensor<?x4xf32, #tgraph.dims<[4 * S, 4]>> -> tensor<4x?xf32, #tgraph.dims<[4, 4 * S]>>
  return %y : tensor<4x?xf32, #tgraph.dims<[4, 4 * S]>>
}

// -----

// What has no map without divisions by sizes stays: both sides are one buffer.
// CHECK-LABEL: func.func @flat
// CHECK-NEXT: tgraph.reshape
func.func @flat(%x: tensor<?x?xf32, #tgraph.dims<[2 * S, S]>>) -> tensor<?x?xf32, #tgraph.dims<[S, 2 * S]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %y = tgraph.reshape %x : tensor<?x?xf32, #tgraph.dims<[2 * S, S]>> -> tensor<?x?xf32, #tgraph.dims<[S, 2 * S]>>
  return %y : tensor<?x?xf32, #tgraph.dims<[S, 2 * S]>>
}

// -----

// A flip is a gather.
// CHECK-LABEL: func.func @flip
// CHECK: %[[SIZE:.*]] = tgraph.size <[S]> : tensor<i64>
// CHECK: tview.view %[[SIZE]]
// CHECK: tgraph.gather %{{.*}} {axis = 0 : i64}
func.func @flip(%x: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<?x4xf32, #tgraph.dims<[S, 4]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %y = tgraph.flip %x dims [0] : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
  return %y : tensor<?x4xf32, #tgraph.dims<[S, 4]>>
}

// -----

// Parts are counted from the beginning; what is padded is not read through another map, which would know the end of
// the largest size alone.
// CHECK-LABEL: func.func @ends
// CHECK: %[[PART:.*]] = tview.view %{{.*}} through <affine_map<(d0, d1) -> (d1, d0 * 2 + 1)>> : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<2x?xf32, #tgraph.dims<[2, S]>>
// CHECK: tview.view %[[PART]] through <affine_map<(d0, d1) -> (d0, d1 - 1)>, else 1.000000e+00 : f32>
func.func @ends(%x: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<2x?xf32, #tgraph.dims<[2, S + 3]>>
    attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %p = tgraph.slice %x offsets [0, 1] sizes [-1, 2] strides [1, 2] : tensor<?x4xf32, #tgraph.dims<[S, 4]>> -> tensor<?x2xf32, #tgraph.dims<[S, 2]>>
  %t = tgraph.permute %p [1, 0] : tensor<?x2xf32, #tgraph.dims<[S, 2]>> -> tensor<2x?xf32, #tgraph.dims<[2, S]>>
  %y = tgraph.pad %t low [0, 1] high [0, 2] value 1.0 : f32 : tensor<2x?xf32, #tgraph.dims<[2, S]>> -> tensor<2x?xf32, #tgraph.dims<[2, S + 3]>>
  return %y : tensor<2x?xf32, #tgraph.dims<[2, S + 3]>>
}

// -----

// Rows of all sequences are put together behind the heads of each, and taken apart before.
// CHECK-LABEL: func.func @heads
// CHECK: %[[ROWS:.*]] = tview.view %arg0 through <affine_map<(d0, d1, d2) -> (d0, d1, d2 floordiv 8, d2 mod 8)>> : tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>> -> tensor<?x?x48xf32, #tgraph.dims<[B, S, 48]>>
// CHECK: %[[FLAT:.*]] = tgraph.reshape %[[ROWS]] : {{.*}} -> tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
// CHECK: %[[EXP:.*]] = tgraph.exp %[[FLAT]]
// CHECK: %[[APART:.*]] = tgraph.reshape %[[EXP]] : {{.*}} -> tensor<?x?x48xf32, #tgraph.dims<[B, S, 48]>>
// CHECK: tview.view %[[APART]] through <affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 8 + d3)>> : {{.*}} -> tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
func.func @heads(%x: tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>) -> tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %f = tgraph.reshape %x : tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>> -> tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %e = tgraph.exp %f : tensor<?x48xf32, #tgraph.dims<[B * S, 48]>>
  %y = tgraph.reshape %e : tensor<?x48xf32, #tgraph.dims<[B * S, 48]>> -> tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
  return %y : tensor<?x?x6x8xf32, #tgraph.dims<[B, S, 6, 8]>>
}
