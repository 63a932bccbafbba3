// How often a loop runs is settled with the sizes of what it takes parts of.
// RUN: tensor-opt %s --settle-sizes=sizes=T=3 --launch-plan-arena --interpret=elements=100 | FileCheck %s

// CHECK: result 0 : tensor<3xi64> = 7 7 7
// CHECK: tlaunch.repeat 3 {
// CHECK-NEXT: tlaunch.part %{{.*}} : !tlaunch.buffer<tensor<3xi64>> -> !tlaunch.buffer<tensor<i64>>
tlaunch.constant @c : tensor<i64> = dense<7> : tensor<i64>
tlaunch.func @main(%x: !tlaunch.buffer<tensor<64xi64, #tview.sizes<[T]>>>) results(%y: !tlaunch.buffer<tensor<64xi64, #tview.sizes<[T]>>>) names ["x", "y"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<i64>>
  tlaunch.repeat #tview.sizes<[T]> {
    %p = tlaunch.part %y : !tlaunch.buffer<tensor<64xi64, #tview.sizes<[T]>>> -> !tlaunch.buffer<tensor<i64>>
    tlaunch.copy %c to %p : !tlaunch.buffer<tensor<i64>>
  }
  tlaunch.return
}
