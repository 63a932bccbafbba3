// RUN: tensor-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected one name per argument and result, 1, found 2}}
tlaunch.func @names(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x", "y"] target "host" {
  tlaunch.return
}

// -----

// expected-error @+1 {{expected to end in tlaunch.return}}
tlaunch.func @end(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  %t = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
}

// -----

// expected-error @+1 {{expected !tlaunch.buffer arguments as in buffer_types, found 'tensor<4xf32>'}}
tlaunch.func @types(%x: tensor<4xf32>) results() names ["x"] target "host" {
  tlaunch.return
}

// -----

tlaunch.func @constant() results() names [] target "host" {
  // expected-error @+1 {{expected a tlaunch.constant named @c}}
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.constant @c : tensor<2xf32> = dense<1.0> : tensor<2xf32>
tlaunch.func @constant_type() results() names [] target "host" {
  // expected-error @+1 {{expected a buffer of the constant's type 'tensor<2xf32>', found '!tlaunch.buffer<tensor<4xf32>>'}}
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.func @kernel(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  // expected-error @+1 {{expected a kernel named @nothing}}
  tlaunch.launch @nothing reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes()
  tlaunch.return
}
