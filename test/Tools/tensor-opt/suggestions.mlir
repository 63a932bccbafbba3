// Names that are nearly known: ops, dialects, passes, their options, stages.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics
// RUN: echo | not tensor-opt --pass-pipeline="builtin.module(graph-decompos)" 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: echo | not tensor-opt --pass-pipeline="builtin.module(func.func(graph-fold-constants{foldr=x}))" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: echo | not tensor-opt --kernel-schedule=machin=gpu 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not tensor-compile %s --to=schdule 2>&1 | FileCheck %s --check-prefix=TO
// RUN: not tensor-compile %s --from=scheduel -o %t 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not tensor-translate %s --emit=opencl-c --from=kernl 2>&1 | FileCheck %s --check-prefix=TRANSLATE
// RUN: not tensor-compile %s --to=view 2>&1 | FileCheck %s --check-prefix=QUOTED
// RUN: not tensor-run %s --no-cache 2>&1 | FileCheck %s --check-prefixes=QUOTED,REMEDY
// RUN: printf 'func.func @f() { "tgrph.softmax"() : () -> () return }' > %t.generic.mlir
// RUN: not tensor-opt %t.generic.mlir 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not tensor-compile %t.generic.mlir -o %t 2>&1 | FileCheck %s --check-prefix=GENERIC

// GENERIC: error: operation being parsed with an unregistered dialect{{.*}}; did you mean 'tgraph.softmax'?
// PASS: 'graph-decompos' does not refer to a registered pass or pass pipeline
// PASS: did you mean 'graph-decompose'?
// OPTION: no such option foldr
// OPTION: did you mean 'folder'?
// FLAG: no such option machin
// FLAG: did you mean 'machine'?
// TO: error: --to=schdule: no such stage; did you mean 'schedule'? Known are graph, view, kernel, schedule, launch, tile, code, loops [T0602]
// FROM: error: --from=scheduel: no stage to begin at; did you mean 'schedule'? Known are graph, view, kernel, schedule, launch, tile [T0602]
// TRANSLATE: error: --from=kernl: no such stage; did you mean 'kernel'? Known are {{.*}} [T0602]

// The other tools quote the line too.
// QUOTED:      suggestions.mlir:[[#@LINE+5]]:{{[0-9]+: (error: )?}}custom op 'tgraph.sofmax' is unknown{{.*}}; did you mean 'tgraph.softmax'
// REMEDY-SAME: ? The text is no program
// QUOTED-NEXT: {{^}}  %0 = tgraph.sofmax %x dim 0
// QUOTED-NEXT: {{^ +\^$}}
func.func @op(%x: tensor<4xf32>) -> tensor<4xf32> { // expected-error @+1 {{custom op 'tgraph.sofmax' is unknown; did you mean 'tgraph.softmax'?}}
  %0 = tgraph.sofmax %x dim 0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @alias(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{custom op 'tgraph.matmul' is unknown; did you mean 'tgraph.contract'?}}
  %0 = tgraph.matmul %x, %x : tensor<4x4xf32>
  return
}

// -----

func.func @upstream(%x: f32) {
  // expected-error @+1 {{custom op 'arith.adff' is unknown; did you mean 'arith.addf'?}}
  %0 = arith.adff %x, %x : f32
  return
}

// -----

func.func @dialect(%x: tensor<4xf32>) {
  // expected-error @+2 {{Dialect `tgrph' not found for custom op 'tgrph.softmax' ; did you mean 'tgraph.softmax'?}}
  // expected-note @+1 {{Available dialects:}}
  %0 = tgrph.softmax %x dim 0 : tensor<4xf32>
  return
}

// -----

// expected-error-re @+1 {{type created with unregistered dialect{{.*}}; did you mean 'tlaunch'?}}
func.func @type(%x: !tlanch.buffer<tensor<4xf32>>) {
  return
}

// -----

// expected-error-re @+1 {{attribute created with unregistered dialect{{.*}}; did you mean 'tkernel'?}}
func.func @attribute() attributes {a = #tkernl.schedule<[]>} {
  return
}
