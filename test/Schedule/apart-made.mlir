// A kernel whose list makes another one has no functions of its parts: what is left of it reads what the other one makes.
// RUN: tensor-opt %s --kernel-schedule="make-kernels=true search=150" | FileCheck %s
// CHECK: tkernel.kernel @product_parts
// CHECK-NOT: apart =
// CHECK: tkernel.kernel @product (%m : S <= 64, %n : 768, %k_p :
// CHECK-NOT: apart =
// CHECK: return
!in = tensor<64x768xf32, #tview.sizes<[S, 768]>>
!one = tensor<1x768xf32>
!w = tensor<768x768xf32>
func.func @main(%x: !in) -> !in attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %w = tgraph.constant dense<1.0> : !w
  %y = tkernel.kernel @product (%m : S <= 64, %n : 768, %k : 768) reads(%a = %x : !in, %b = %w : !w) -> !in attributes {tkernel.apart = [{apart = @few, least = 1 : i64, most = 1 : i64, symbol = "S"}]} {
    %0 = tkernel.load %a[%m, %k] : !in
    %1 = tkernel.load %b[%k, %n] : !w
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : !in
}
func.func private @few(%x: !one, %w: !w) -> !one attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 64, step = 1>}, tkernel.least = {S = 1 : i64}, tkernel.positions = []} {
  %y = tkernel.kernel @product (%m : 1, %n : 768, %k : 768) reads(%a = %x : !one, %b = %w : !w) -> !one {
    %0 = tkernel.load %a[%m, %k] : !one
    %1 = tkernel.load %b[%k, %n] : !w
    %2 = tkernel.contract %0, %1 over(%k) : f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : !one
}
