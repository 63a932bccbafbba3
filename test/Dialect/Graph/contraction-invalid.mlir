// Every message of contract and conv.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{expected a spec like "bmk,bkn->bmn" before the operands [T0207]}}
  %0 = tgraph.contract %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected a spec like "bmk,bkn->bmn", found "mk" [T0207]}}
  %0 = tgraph.contract "mk" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected a spec like "bmk,bkn->bmn", found "mk,k1->m1" [T0207]}}
  %0 = tgraph.contract "mk,k1->m1" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected each letter once in "mm" of the spec [T0207]}}
  %0 = tgraph.contract "mm,kn->mn" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected 2 letters for operand 1 of type 'tensor<3x4xf32>', found "n" [T0207]}}
  %0 = tgraph.contract "mk,n->mn" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected one size for letter 'k', found 3 and 4 [T0207]}}
  %0 = tgraph.contract "mk,nk->mn" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected letter 'z' of the result in an operand, found it in none [T0207]}}
  %0 = tgraph.contract "mk,kn->mz" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{'tgraph.contract' op expected result type 'tensor<4x2xf32>', found 'tensor<2x4xf32>' [T0203]}}
  %0 = tgraph.contract "mk,kn->nm" %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error @+1 {{'tgraph.contract' op expected operands of one element type, found 'f32' and 'f64' [T0213]}}
  %0 = tgraph.contract "mk,kn->mn" %a, %b : tensor<2x3xf32>, tensor<3x4xf64> -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected 1 entries in strides, found 2 [T0205]}}
  %0 = tgraph.conv %x, %w strides [1, 1] dilations [1] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected entry 0 of dilations to be from 1 to 2147483647, found 0 [T0206]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [0] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected entry 0 of pad_low to be from 0 to 2147483647, found -1 [T0206]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [-1] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected entry 0 of groups to be from 1 to 2147483647, found 0 [T0206]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 0 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected 4 channels in groups * dimension 1 of the weights, found 1 * 2 [T0208]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 1 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected the number of result channels to be a multiple of 2 groups, found 3 [T0208]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<3x2x3xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4xf32>, %w: tensor<6x2xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected an operand and weights of one rank of at least 3, found ranks 2 and 2 [T0208]}}
  %0 = tgraph.conv %x, %w strides [] dilations [] pad_low [] pad_high [] groups 2 : tensor<1x4xf32>, tensor<6x2xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x0xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected weights with static dimensions, those of the kernel from 1 to 2147483647, found 0 for dimension 2 [T0208]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x0xf32> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf64>) {
  // expected-error @+1 {{'tgraph.conv' op expected weights of element type 'f32', found 'f64' [T0213]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x3xf64> -> tensor<1x6x6xf32>
  return
}

// -----

func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error @+1 {{'tgraph.conv' op expected result type 'tensor<1x6x6xf32>', found 'tensor<1x6x8xf32>' [T0203]}}
  %0 = tgraph.conv %x, %w strides [1] dilations [1] pad_low [0] pad_high [0] groups 2 : tensor<1x4x8xf32>, tensor<6x2x3xf32> -> tensor<1x6x8xf32>
  return
}
