// RUN: tensor-opt %s --split-input-file --verify-diagnostics

tlaunch.func @condition(%c: !tlaunch.buffer<tensor<2xi1>>) results() names ["c"] target "host" {
  // expected-error @+1 {{'tlaunch.if' op expected the condition to be a buffer of one i1, found '!tlaunch.buffer<tensor<2xi1>>' [T0516]}}
  tlaunch.if %c : !tlaunch.buffer<tensor<2xi1>> {
  }
  tlaunch.return
}

// -----

tlaunch.func @condition(%c: !tlaunch.buffer<tensor<i8>>) results() names ["c"] target "host" {
  // expected-error @+1 {{'tlaunch.while' op expected the condition to be a buffer of one i1, found '!tlaunch.buffer<tensor<i8>>' [T0516]}}
  tlaunch.while %c : !tlaunch.buffer<tensor<i8>> limit 4 {
  }
  tlaunch.return
}

// -----

tlaunch.func @amount(%n: !tlaunch.buffer<tensor<i32>>) results() names ["n"] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op expected the amount to be a buffer of one i64, found '!tlaunch.buffer<tensor<i32>>' [T0516]}}
  tlaunch.repeat %n : !tlaunch.buffer<tensor<i32>> limit 4 {
  }
  tlaunch.return
}

// -----

tlaunch.func @count() results() names [] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op repeats -1 times, expected at least 0 [T0516]}}
  tlaunch.repeat -1 {
  }
  tlaunch.return
}

// -----

tlaunch.func @counts() results() names [] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op expected a number, one size, or an amount with a limit [T0516]}}
  tlaunch.repeat #tview.sizes<[2, 3]> {
  }
  tlaunch.return
}

// -----

tlaunch.func @both(%n: !tlaunch.buffer<tensor<i64>>) results() names ["n"] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op expected a number, one size, or an amount with a limit [T0516]}}
  "tlaunch.repeat"(%n) <{count = #tview.sizes<[2]>}> ({
    "tlaunch.end"() : () -> ()
  }) : (!tlaunch.buffer<tensor<i64>>) -> ()
  tlaunch.return
}

// -----

tlaunch.func @limit(%n: !tlaunch.buffer<tensor<i64>>) results() names ["n"] target "host" {
  // expected-error @+1 {{'tlaunch.repeat' op has a limit of -5, expected at least 0 [T0516]}}
  tlaunch.repeat %n : !tlaunch.buffer<tensor<i64>> limit -5 {
  }
  tlaunch.return
}

// -----

tlaunch.func @limit(%c: !tlaunch.buffer<tensor<i1>>) results() names ["c"] target "host" {
  // expected-error @+1 {{'tlaunch.while' op has a limit of -5, expected at least 0 [T0516]}}
  tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit -5 {
  }
  tlaunch.return
}

// -----

tlaunch.func @no_loop() results() names [] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  // expected-error @+1 {{'tlaunch.rotate' op expects parent op to be one of 'tlaunch.repeat, tlaunch.while'}}
  tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.func @itself() results() names [] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 2 {
    // expected-error @+1 {{'tlaunch.rotate' op rotates a buffer with itself [T0516]}}
    tlaunch.rotate %a, %a : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @not_last(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 2 {
    // expected-error @+1 {{'tlaunch.rotate' op expected no other command behind it in the loop's body, found 'tlaunch.copy' [T0516]}}
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %a : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @argument(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 2 {
    // expected-error @+1 {{'tlaunch.rotate' op expected buffers of tlaunch.reserve [T0516]}}
    tlaunch.rotate %a, %x : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @inside() results() names [] target "host" {
  tlaunch.repeat 2 {
    %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    // expected-error @+1 {{'tlaunch.rotate' op expected buffers reserved outside of the loop [T0516]}}
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @two_blocks() results() names [] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
  tlaunch.repeat 3 {
    %b = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.repeat 2 {
      // expected-error @+1 {{'tlaunch.rotate' op expected buffers reserved in one block [T0516]}}
      tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<4xf32>>
    }
  }
  tlaunch.return
}

// -----

tlaunch.func @no_loop(%x: !tlaunch.buffer<tensor<2x4xf32>>) results() names ["x"] target "host" {
  // expected-error @+1 {{'tlaunch.part' op lies in no loop [T0516]}}
  %p = tlaunch.part %x : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
  tlaunch.return
}

// -----

tlaunch.func @part_type(%x: !tlaunch.buffer<tensor<2x4xf32>>) results() names ["x"] target "host" {
  tlaunch.repeat 2 {
    // expected-error @+1 {{'tlaunch.part' op expected the type of 'tensor<2x4xf32>' without its first dimension, found 'tensor<2xf32>' [T0516]}}
    %p = tlaunch.part %x : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<2xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @too_often(%x: !tlaunch.buffer<tensor<2x4xf32>>) results() names ["x"] target "host" {
  // expected-note @+1 {{of this loop}}
  tlaunch.repeat 3 {
    // expected-error @+1 {{'tlaunch.part' op takes one of 2 parts in each of 3 iterations [T0516]}}
    %p = tlaunch.part %x : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @limit_of_parts(%x: !tlaunch.buffer<tensor<2x4xf32>>, %c: !tlaunch.buffer<tensor<i1>>) results() names ["x", "c"] target "host" {
  // expected-note @+1 {{of this loop}}
  tlaunch.while %c : !tlaunch.buffer<tensor<i1>> limit 3 {
    // expected-error @+1 {{'tlaunch.part' op takes one of 2 parts in each of 3 iterations [T0516]}}
    %p = tlaunch.part %x : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @other_size(%x: !tlaunch.buffer<tensor<9x4xf32, #tview.sizes<[S, 4]>>>) results() names ["x"] target "host" {
  // expected-note @+1 {{of this loop}}
  tlaunch.repeat #tview.sizes<[T]> {
    // expected-error @+1 {{'tlaunch.part' op takes one of S parts in each of T iterations [T0516]}}
    %p = tlaunch.part %x : !tlaunch.buffer<tensor<9x4xf32, #tview.sizes<[S, 4]>>> -> !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.constant @c : tensor<2x4xf32> = dense<1.0> : tensor<2x4xf32>
tlaunch.func @part_of_constant(%x: !tlaunch.buffer<tensor<4xf32>>) results() names ["x"] target "host" {
  %c = tlaunch.get_constant @c : !tlaunch.buffer<tensor<2x4xf32>>
  tlaunch.repeat 2 {
    %p = tlaunch.part %c : !tlaunch.buffer<tensor<2x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    // expected-error @+1 {{'tlaunch.copy' op writes to a constant, defined by tlaunch.get_constant}}
    tlaunch.copy %x to %p : !tlaunch.buffer<tensor<4xf32>>
  }
  tlaunch.return
}

// -----

tlaunch.func @sizes() results() names [] target "host" {
  // expected-error @+1 {{expected sizes from 0 on, the least one first, found from 9 to 8 [T0516]}}
  tlaunch.when "S" from 9 to 8 {
  } else {
  }
  tlaunch.return
}

// -----

// Where a row begins is known ahead: not of memory that changes places.
tlaunch.func @begins_of_rotated(%n: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<1x64xf32>>) names ["n", "y"] target "host" {
  %a = tlaunch.reserve : !tlaunch.buffer<tensor<2x64xf32>>
  %b = tlaunch.reserve : !tlaunch.buffer<tensor<2x64xf32>>
  tlaunch.repeat 3 {
    // expected-error @+1 {{'tlaunch.launch' op begins to read at byte 256 of '!tlaunch.buffer<tensor<2x64xf32>>', which is elsewhere in each iteration of a loop [T0516]}}
    tlaunch.launch @k reads(%a : !tlaunch.buffer<tensor<2x64xf32>>) writes(%y : !tlaunch.buffer<tensor<1x64xf32>>) {offsets = array<i64: 256>}
    tlaunch.rotate %a, %b : !tlaunch.buffer<tensor<2x64xf32>>
  }
  tlaunch.return
}
func.func private @k(%x: tensor<1x64xf32>) -> tensor<1x64xf32>

// -----

tlaunch.func @begins_of_part(%x: !tlaunch.buffer<tensor<3x2x64xf32>>) results(%y: !tlaunch.buffer<tensor<1x64xf32>>) names ["x", "y"] target "host" {
  tlaunch.repeat 3 {
    %a = tlaunch.part %x : !tlaunch.buffer<tensor<3x2x64xf32>> -> !tlaunch.buffer<tensor<2x64xf32>>
    // expected-error @+1 {{'tlaunch.launch' op begins to read at byte 256 of '!tlaunch.buffer<tensor<2x64xf32>>', which is elsewhere in each iteration of a loop [T0516]}}
    tlaunch.launch @k reads(%a : !tlaunch.buffer<tensor<2x64xf32>>) writes(%y : !tlaunch.buffer<tensor<1x64xf32>>) {offsets = array<i64: 256>}
  }
  tlaunch.return
}
func.func private @k(%x: tensor<1x64xf32>) -> tensor<1x64xf32>
