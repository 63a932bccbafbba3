// What is updated is made by kernels that have one axis for batch and rows: it is updated where it lies, behind the
// reshape too, in the state, in a result, between kernels and before a loop.
// RUN: tensor-run %s --symbol=B=3 --symbol=S=7 --seed=3 --input=p=%S/Inputs/three.npy --steps=5 --compare=interpreter | FileCheck %s
// CHECK-COUNT-3: compare {{.*}}: ok

// At the sizes of a call, in the loop too.
// RUN: tensor-run %s --symbol=B=3 --symbol=S=7 --seed=3 --input=p=%S/Inputs/three.npy --check-every-kernel | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernels {{[1-9][0-9]*}} launches checked, 0 differ
// RUN: tensor-compile %s --target=host:x86-64-v3 --to=launch | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: tlaunch.func
// LAUNCH-NOT: tlaunch.copy
// LAUNCH: tlaunch.repeat
// LAUNCH-NOT: tlaunch.copy
// LAUNCH: tlaunch.return
!s = tensor<?x?x64xf32, #tgraph.dims<[B, S, 64]>>
!u = tensor<?x1x64xf32, #tgraph.dims<[B, 1, 64]>>
func.func @main(%c: !s {tgraph.name = "c", tgraph.alias = 0 : i64}, %x: !s {tgraph.name = "x"}, %z: !u {tgraph.name = "z"},
    %w: tensor<64x64xf32> {tgraph.name = "w"}, %p: tensor<i64> {tgraph.name = "p"})
    -> (!s {tgraph.name = "c1"}, !s {tgraph.name = "y"}, !s {tgraph.name = "l"})
    attributes {tgraph.symbols = {B = #tgraph.symbol<min = 1, max = 8, step = 1>, S = #tgraph.symbol<min = 1, max = 40, step = 1>}} {
  %tanh = tgraph.tanh %c : !s
  %c1 = tgraph.update_slice %tanh, %z at <[0, 0, 0]> plus %p along [1] : !s, !u, tensor<i64> -> !s
  %a = tgraph.contract "bsi,io->bso" %x, %w : !s, tensor<64x64xf32> -> !s
  %y = tgraph.update_slice %a, %z at <[0, 0, 0]> plus %p along [1] : !s, !u, tensor<i64> -> !s
  %b = tgraph.contract "bsi,io->bso" %y, %w : !s, tensor<64x64xf32> -> !s
  %d = tgraph.update_slice %b, %z at <[0, 0, 0]> plus %p along [1] : !s, !u, tensor<i64> -> !s
  %e = tgraph.contract "bsi,io->bso" %d, %w : !s, tensor<64x64xf32> -> !s
  %l = tgraph.for %p : tensor<i64> limit 1000 carried(%h = %e : !s) -> !s {
    %n = tgraph.update_slice %h, %z at <[0, 0, 0]> plus %p along [1] : !s, !u, tensor<i64> -> !s
    tgraph.yield %n : !s
  }
  %f = tgraph.contract "bsi,io->bso" %l, %w : !s, tensor<64x64xf32> -> !s
  return %c1, %y, %f : !s, !s, !s
}
