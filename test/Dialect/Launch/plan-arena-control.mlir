// RUN: tensor-opt %s --split-input-file --launch-plan-arena | FileCheck %s

ttile.func @f(%a: memref<64xf32>) results(%y: memref<64xf32>) {
  ttile.return
}

// In a straight line %b could have the bytes of %w. But %w is read again in the next iteration.
// CHECK-LABEL: tlaunch.func @lives_over_the_loop
// CHECK-SAME: arena_bytes = 768 : i64, live_bytes = 768 : i64
tlaunch.func @lives_over_the_loop(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "host" {
  %w = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%w : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.repeat 4 {
    %a = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
    tlaunch.launch @f reads(%w : !tlaunch.buffer<tensor<64xf32>>) writes(%a : !tlaunch.buffer<tensor<64xf32>>)
    %b = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
    tlaunch.launch @f reads(%a : !tlaunch.buffer<tensor<64xf32>>) writes(%b : !tlaunch.buffer<tensor<64xf32>>)
    tlaunch.copy %b to %y : !tlaunch.buffer<tensor<64xf32>>
  }
  tlaunch.return
}

// -----

ttile.func @f(%a: memref<64xf32>) results(%y: memref<64xf32>) {
  ttile.return
}

// %b is written in the last iteration of the inner loop only by its own text, and is read by name of %a
// behind it: both live as long as either. What a side reads is dead in it.
// CHECK-LABEL: tlaunch.func @rotated
// CHECK-SAME: arena_bytes = 512 : i64, live_bytes = 512 : i64
// CHECK: %[[A:.*]] = tlaunch.reserve at [[A:0|256]] :
// CHECK: %[[B:.*]] = tlaunch.reserve at {{0|256}} :
// CHECK: tlaunch.reserve at {{0|256}} :
tlaunch.func @rotated(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%a : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.repeat 3 {
    tlaunch.launch @f reads(%a : !tlaunch.buffer<tensor<64xf32>>) writes(%b : !tlaunch.buffer<tensor<64xf32>>)
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<64xf32>>
  }
  tlaunch.copy %a to %y : !tlaunch.buffer<tensor<64xf32>>
  %c = tlaunch.reserve : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.launch @f reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%c : !tlaunch.buffer<tensor<64xf32>>)
  tlaunch.copy %c to %y : !tlaunch.buffer<tensor<64xf32>>
  tlaunch.return
}

// -----

// A use through a part is one of the whole; a condition of `while` is needed up to the loop's end.
// CHECK-LABEL: tlaunch.func @parts
// CHECK-SAME: arena_bytes = 192 : i64
tlaunch.func @parts(%x: !tlaunch.buffer<tensor<16xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<16xf32>>) names ["x", "c", "y"] target "host" {
  %w = tlaunch.reserve : !tlaunch.buffer<tensor<1x16xf32>>
  %d = tlaunch.reserve : !tlaunch.buffer<tensor<i1>>
  tlaunch.copy %c to %d : !tlaunch.buffer<tensor<i1>>
  tlaunch.while %d : !tlaunch.buffer<tensor<i1>> limit 1 {
    %t = tlaunch.reserve : !tlaunch.buffer<tensor<16xf32>>
    tlaunch.copy %x to %t : !tlaunch.buffer<tensor<16xf32>>
    %p = tlaunch.part %w : !tlaunch.buffer<tensor<1x16xf32>> -> !tlaunch.buffer<tensor<16xf32>>
    tlaunch.copy %t to %p : !tlaunch.buffer<tensor<16xf32>>
    tlaunch.copy %p to %y : !tlaunch.buffer<tensor<16xf32>>
  }
  tlaunch.return
}

// -----

// Where a call settles a size, it plans: also of what lies in a loop.
// CHECK-LABEL: tlaunch.func @sizes
// CHECK-NOT: arena_bytes
tlaunch.func @sizes(%x: !tlaunch.buffer<tensor<8xf32, #tview.sizes<[S]>>>) results() names ["x"] target "host" {
  tlaunch.repeat 2 {
    %t = tlaunch.reserve : !tlaunch.buffer<tensor<8xf32, #tview.sizes<[S]>>>
    tlaunch.copy %x to %t : !tlaunch.buffer<tensor<8xf32, #tview.sizes<[S]>>>
  }
  tlaunch.return
}
