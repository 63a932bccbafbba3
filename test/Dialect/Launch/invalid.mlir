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

// -----

tlaunch.constant @c : tensor<4xf32> = dense<1.0> : tensor<4xf32>
tlaunch.func @write(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
  // expected-error @+1 {{writes to a constant, defined by tlaunch.get_constant}}
  tlaunch.copy %x to %c : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.constant @c : tensor<4xf32> = dense<1.0> : tensor<4xf32>
ttile.func @f() results(%y: memref<4xf32>) {
  ttile.return
}
tlaunch.func @write_derived() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @f reads() writes(%r : !tlaunch.buffer<tensor<4xf32>>)
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  // expected-error @+1 {{writes to a constant, defined by tlaunch.initialize}}
  tlaunch.launch @f reads() writes(%d : !tlaunch.buffer<tensor<4xf32>>)
  tlaunch.return
}

// -----

ttile.func @f() results(%y: memref<4xf32>) {
  ttile.return
}
// expected-error @+1 {{expected at most one tlaunch.initialize, found 2}}
tlaunch.func @two() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @f reads() writes(%r : !tlaunch.buffer<tensor<4xf32>>)
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  %e = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @f reads() writes(%r : !tlaunch.buffer<tensor<4xf32>>)
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @end() results() names [] target "host" {
  // expected-error @+1 {{expected to end in tlaunch.yield}}
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    llvm.unreachable
  }
  tlaunch.return
}

// -----

tlaunch.func @types() results() names [] target "host" {
  // expected-error @+1 {{yields '!tlaunch.buffer<tensor<2xf32>>', expected '!tlaunch.buffer<tensor<4xf32>>'}}
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<2xf32>>
    tlaunch.yield %r : !tlaunch.buffer<tensor<2xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @foreign() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    // expected-error @+1 {{'arith.constant' op does not belong in an initializer}}
    %0 = arith.constant 1 : index
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.constant @c : tensor<4xf32> = dense<1.0> : tensor<4xf32>
tlaunch.func @yields_constant() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<4xf32>>
    // expected-error @+1 {{expected reservations, each named once}}
    tlaunch.yield %c : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @placed() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    // expected-error @+1 {{is yielded, so it lies in no arena; found offset 64}}
    %r = tlaunch.reserve at 64 : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @unwritten() results() names [] target "host" {
  %d = tlaunch.initialize -> !tlaunch.buffer<tensor<4xf32>> {
    // expected-error @+1 {{is yielded but never written}}
    %r = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.yield %r : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @offsets(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "host" {
  // expected-error @+1 {{expected an offset for each of 1 buffers that are read, found 2}}
  tlaunch.launch @k reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%y : !tlaunch.buffer<tensor<64xf32>>) {offsets = array<i64: 0, 0>}
  tlaunch.return
}

// -----

tlaunch.func @outside(%x: !tlaunch.buffer<tensor<64xf32>>) results(%y: !tlaunch.buffer<tensor<64xf32>>) names ["x", "y"] target "host" {
  // expected-error @+1 {{begins to read '!tlaunch.buffer<tensor<64xf32>>' at byte 257}}
  tlaunch.launch @k reads(%x : !tlaunch.buffer<tensor<64xf32>>) writes(%y : !tlaunch.buffer<tensor<64xf32>>) {offsets = array<i64: 257>}
  tlaunch.return
}

// -----

tlaunch.func @reads_old(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y", "z"] target "host" attributes {aliases = array<i64: 0>} {
  // expected-note @+1 {{the result is written here}}
  tlaunch.launch @k reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  // expected-error @+1 {{reads argument 'x' after its memory has become a result's}}
  tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

// One side may have written it.
tlaunch.func @reads_old_after(%x: !tlaunch.buffer<tensor<4xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "c", "y", "z"] target "host" attributes {aliases = array<i64: 0, -1>} {
  tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
    // expected-note @+1 {{the result is written here}}
    tlaunch.launch @k reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
  } else {
    tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  }
  // expected-error @+1 {{reads argument 'x' after its memory has become a result's}}
  tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.func @reads_old_in_a_side(%x: !tlaunch.buffer<tensor<4xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "c", "y", "z"] target "host" attributes {aliases = array<i64: 0, -1>} {
  tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
  } else {
    // expected-note @+1 {{the result is written here}}
    tlaunch.launch @k reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
    // expected-error @+1 {{reads argument 'x' after its memory has become a result's}}
    tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

// The next iteration may take the other side.
tlaunch.func @reads_old_again(%x: !tlaunch.buffer<tensor<4xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results(%y: !tlaunch.buffer<tensor<4xf32>>, %z: !tlaunch.buffer<tensor<4xf32>>) names ["x", "c", "y", "z"] target "host" attributes {aliases = array<i64: 0, -1>} {
  tlaunch.repeat 2 {
    tlaunch.if %c : !tlaunch.buffer<tensor<i1>> {
      // expected-error @+1 {{reads argument 'x' after its memory has become a result's}}
      tlaunch.copy %x to %z : !tlaunch.buffer<tensor<4xf32>>
    } else {
      // expected-note @+1 {{the result is written here}}
      tlaunch.launch @k reads(%z : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
    }
  }
  tlaunch.return
}

// -----

// expected-error @+1 {{expected the alias of argument 1 to be a result of its own, found 0}}
tlaunch.func @alias_twice(%x: !tlaunch.buffer<tensor<4xf32>>, %w: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "w", "y"] target "host" attributes {aliases = array<i64: 0, 0>} {
  tlaunch.return
}

// -----

tlaunch.func @copy(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<5xf32>>) names ["x", "y"] target "host" {
  // expected-error @+1 {{expected buffers of the same sizes in memory, found '!tlaunch.buffer<tensor<4xf32>>' and '!tlaunch.buffer<tensor<5xf32>>'}}
  tlaunch.copy %x to %y : !tlaunch.buffer<tensor<4xf32>> -> !tlaunch.buffer<tensor<5xf32>>
  tlaunch.return
}

// -----

// expected-error @+1 {{expected complex numbers as f32 or f64 with a last dimension of 2, found '!tlaunch.buffer<tensor<4xf32>>'}}
tlaunch.func @no_pairs(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" attributes {complex = array<i1: true>} {
  tlaunch.return
}

// -----

// expected-error @+1 {{expected to be said of each argument and result whether it is complex, 1, found 2}}
tlaunch.func @one_more(%x: !tlaunch.buffer<tensor<2xf32>>) results() names ["x"] target "host" attributes {complex = array<i1: true, false>} {
  tlaunch.return
}
