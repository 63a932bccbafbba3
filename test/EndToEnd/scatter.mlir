// Updates at computed positions, several of them to one element, on every device.
// REQUIRES: compiler, opencl, vulkan
// RUN: tensor-run %s --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --compare=interpreter --no-cache --option=threads=1 | FileCheck %s
// RUN: tensor-run %s --device=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=opencl --target=opencl --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-run %s --device=vulkan --compare=interpreter --no-cache | FileCheck %s
// RUN: tensor-compile %s --target=cuda:sm_80 -o %t.twm
// RUN: tensor-compile %s --target=amd:gfx1100 -o %t.twm
// CHECK-COUNT-7: compare {{.*}} max error 0 {{.*}}: ok

// What begins as a constant is filled in where the result lies; nothing is copied.
// RUN: tensor-compile %s --to=launch | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: tlaunch.launch @fill{{.*}} writes(%[[COUNTS:.*]] :
// LAUNCH: tlaunch.launch @{{.*}}scatter{{.*}} writes({{.*}}%[[COUNTS]]
func.func @main(%x: tensor<80x20xf32> {tgraph.name = "x"}, %u: tensor<20x30x20xf32> {tgraph.name = "u"}, %i: tensor<20x30xi64> {tgraph.name = "i"},
                %w: tensor<50x20xf32> {tgraph.name = "w"}, %j: tensor<50x20xi32> {tgraph.name = "j"})
    -> (tensor<80x20xf32> {tgraph.name = "last"}, tensor<80x20xf32> {tgraph.name = "sum"}, tensor<80xf32> {tgraph.name = "counts"}, tensor<80x20xf32> {tgraph.name = "columns"},
        tensor<20x80xf32> {tgraph.name = "greatest"}, tensor<80x20xf32> {tgraph.name = "own"}, tensor<64xi8> {tgraph.name = "self"}) {
  // Some are outside.
  %m = tgraph.constant dense<90> : tensor<20x30xi64>
  %p = tgraph.mod %i, %m : tensor<20x30xi64>
  %n = tgraph.constant dense<85> : tensor<50x20xi32>
  %q = tgraph.mod %j, %n : tensor<50x20xi32>
  %0 = tgraph.scatter %x, %u at %p {axis = 0 : i64} : tensor<80x20xf32>, tensor<20x30x20xf32> at tensor<20x30xi64> -> tensor<80x20xf32>
  %1 = tgraph.scatter add %x, %u at %p {axis = 0 : i64} : tensor<80x20xf32>, tensor<20x30x20xf32> at tensor<20x30xi64> -> tensor<80x20xf32>
  %zero = tgraph.constant dense<0.0> : tensor<80xf32>
  %one = tgraph.constant dense<1.0> : tensor<20x30xf32>
  %2 = tgraph.scatter add %zero, %one at %p {axis = 0 : i64} : tensor<80xf32>, tensor<20x30xf32> at tensor<20x30xi64> -> tensor<80xf32>
  // Along the columns points differ: they are vectors, though each has a position of its own.
  %c = tgraph.iota dim 1 : tensor<50x20xi32>
  %3 = tgraph.scatter min %x, %w at %q, %c {axis = 0 : i64} : tensor<80x20xf32>, tensor<50x20xf32> at tensor<50x20xi32>, tensor<50x20xi32> -> tensor<80x20xf32>
  %wt = tgraph.permute %w [1, 0] : tensor<50x20xf32> -> tensor<20x50xf32>
  %qt = tgraph.permute %q [1, 0] : tensor<50x20xi32> -> tensor<20x50xi32>
  %xt = tgraph.permute %x [1, 0] : tensor<80x20xf32> -> tensor<20x80xf32>
  %4 = tgraph.scatter max %xt, %wt at %qt {axis = 1 : i64, batch_dims = 1 : i64} : tensor<20x80xf32>, tensor<20x50xf32> at tensor<20x50xi32> -> tensor<20x80xf32>
  // The updates are what is updated.
  %r = tgraph.constant dense<80> : tensor<80xi64>
  %d = tgraph.iota dim 0 : tensor<80xi64>
  %e = tgraph.mul %d, %d : tensor<80xi64>
  %s = tgraph.mod %e, %r : tensor<80xi64>
  %neg = tgraph.neg %x : tensor<80x20xf32>
  %5 = tgraph.scatter %x, %neg at %s {axis = 0 : i64} : tensor<80x20xf32>, tensor<80x20xf32> at tensor<80xi64> -> tensor<80x20xf32>
  // What is updated says where, too: it cannot lie where the result does.
  %k = tgraph.iota dim 0 : tensor<64xi8>
  %l = tgraph.mul %k, %k : tensor<64xi8>
  %f = tgraph.constant dense<64> : tensor<64xi8>
  %g = tgraph.mod %l, %f : tensor<64xi8>
  %h = tgraph.cast %g : tensor<64xi8> to tensor<64xi64>
  %t = tgraph.constant dense<5> : tensor<64xi8>
  %v = tgraph.mul %k, %t : tensor<64xi8>
  %6 = tgraph.scatter max %g, %v at %h {axis = 0 : i64} : tensor<64xi8>, tensor<64xi8> at tensor<64xi64> -> tensor<64xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<80x20xf32>, tensor<80x20xf32>, tensor<80xf32>, tensor<80x20xf32>, tensor<20x80xf32>, tensor<80x20xf32>, tensor<64xi8>
}
