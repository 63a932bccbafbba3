// REQUIRES: compiler
// RUN: tensor-run %s --device=amd-emulated:gfx942 --compare=interpreter --no-cache --quiet
// RUN: tensor-run %s --device=amd-emulated:gfx1100 --compare=interpreter --no-cache --quiet
// RUN: tensor-run %s --device=amd-emulated:gfx1201 --compare=interpreter --no-cache --quiet

// Arithmetic on pairs of halves.
func.func @main(%a: tensor<33x64xf16>, %b: tensor<33x64xf16>) -> (tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>) {
  %0 = tgraph.add %a, %b : tensor<33x64xf16>
  %1 = tgraph.mul %a, %b : tensor<33x64xf16>
  %2 = tgraph.div %a, %b : tensor<33x64xf16>
  %3 = tgraph.maximum %a, %b : tensor<33x64xf16>
  %4 = tgraph.minimum %a, %b : tensor<33x64xf16>
  return %0, %1, %2, %3, %4 : tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>, tensor<33x64xf16>
}
