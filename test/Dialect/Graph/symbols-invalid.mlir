// Every message of symbolic shapes and of the dialect's attributes on functions.
// RUN: tensor-opt %s --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>) {
  // expected-error @+1 {{'tgraph.exp' op has the dynamic tensor type 'tensor<?xf32>'; name its dimensions with a #tgraph.dims encoding [T0209]}}
  %0 = tgraph.exp %x : tensor<?xf32>
  return
}

// -----

func.func @undeclared(%x: tensor<?xf32, #tgraph.dims<[S]>>) {
  // expected-error @+1 {{'tgraph.exp' op uses symbol 'S' in 'tensor<?xf32, #tgraph.dims<[S]>>', which the function does not declare; add it to the function's tgraph.symbols [T0209]}}
  %0 = tgraph.exp %x : tensor<?xf32, #tgraph.dims<[S]>>
  return
}

// -----

// expected-error @+1 {{'func.func' op uses symbol 'S' in 'tensor<?xf32, #tgraph.dims<[S]>>', which the function does not declare; add it to the function's tgraph.symbols [T0209]}}
func.func @undeclared_argument(%x: tensor<?xf32, #tgraph.dims<[S]>>) attributes {tgraph.symbols = {}} {
  return
}

// -----

func.func @foreign_encoding(%x: tensor<4xf32, 7>) {
  // expected-error @+1 {{'tgraph.exp' op expected a tensor type without an encoding or with #tgraph.dims, found 'tensor<4xf32, 7 : i64>' [T0209]}}
  %0 = tgraph.exp %x : tensor<4xf32, 7>
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a #tgraph.symbol for 'S' in tgraph.symbols, found 4 : i64 [T0209]}}
func.func @number(%x: tensor<4xf32>) attributes {tgraph.symbols = {S = 4}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.symbols to be a dictionary on a function [T0209]}}
func.func @no_dictionary(%x: tensor<4xf32>) attributes {tgraph.symbols = 4} {
  return
}

// -----

// expected-error @+1 {{expected 0 <= min <= max for a symbol, found min = 5, max = 4 [T0209]}}
func.func @range() attributes {tgraph.symbols = {S = #tgraph.symbol<min = 5, max = 4, step = 1>}} {
  return
}

// -----

// expected-error @+1 {{expected a symbol's step of at least 1, found 0 [T0209]}}
func.func @step() attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 4, step = 0>}} {
  return
}

// -----

// expected-error @+1 {{expected multiples of a symbol's step 8, found min = 1, max = 32768 [T0209]}}
func.func @least() attributes {tgraph.symbols = {S = #tgraph.symbol<min = 1, max = 32768, step = 8>}} {
  return
}

// -----

// expected-error @+1 {{expected multiples of a symbol's step 8, found min = 8, max = 100 [T0209]}}
func.func @most() attributes {tgraph.symbols = {S = #tgraph.symbol<min = 8, max = 100, step = 8>}} {
  return
}

// -----

// expected-error @+1 {{expected 2 entries in #tgraph.dims, one per dimension, found 1 [T0209]}}
func.func @entries(%x: tensor<?x4xf32, #tgraph.dims<[S]>>) {
  return
}

// -----

// expected-error @+1 {{expected entry 1 of #tgraph.dims to be the dimension's size 4, found 5 [T0209]}}
func.func @size(%x: tensor<?x4xf32, #tgraph.dims<[S, 5]>>) {
  return
}

// -----

// expected-error @+1 {{expected entry 0 of #tgraph.dims to name a symbol, as the dimension is dynamic, found 3 [T0209]}}
func.func @static_entry(%x: tensor<?x4xf32, #tgraph.dims<[3, 4]>>) {
  return
}

// -----

// expected-error @+1 {{expected no #tgraph.dims on a tensor type without dynamic dimensions [T0209]}}
func.func @static_type(%x: tensor<4xf32, #tgraph.dims<[4]>>) {
  return
}

// -----

// expected-error @+1 {{expected a symbol's name or an integer [T0209]}}
func.func @syntax(%x: tensor<?xf32, #tgraph.dims<[*]>>) {
  return
}

// -----

// expected-error @+1 {{expected a divisor from 1 to 2147483647 [T0209]}}
func.func @by_nothing(%x: tensor<?xf32, #tgraph.dims<[S floordiv 0]>>) {
  return
}

// -----

// expected-error @+1 {{expected a multiple of the divisor [T0209]}}
func.func @never_whole(%x: tensor<?xf32, #tgraph.dims<[(S + 1) / 2]>>) {
  return
}

// -----

// expected-error @+1 {{expected ')' [T0209]}}
func.func @open(%x: tensor<?xf32, #tgraph.dims<[(S + 1, 2) floordiv 2]>>) {
  return
}

// -----

// expected-error @+1 {{'func.func' op has 'tensor<?x4xf32, #tgraph.dims<[S / 4, 4]>>', of which S is to be a multiple of 4 in every call: declare its symbols in such steps (--dim=NAME=MIN..MAX/STEP), or round down by floordiv [T0209]}}
func.func @in_other_steps(%x: tensor<?x4xf32, #tgraph.dims<[S / 4, 4]>>) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 6, max = 60, step = 6>}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op declares '(S floordiv 2)', which means a product or a quotient: declare what it is made of [T0209]}}
func.func @declared() attributes {tgraph.symbols = {"(S floordiv 2)" = #tgraph.symbol<min = 6, max = 60, step = 6>}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op has the unknown attribute "tgraph.size"; known on functions: tgraph.symbols, tgraph.typical, tgraph.fastmath, on arguments and results: tgraph.name [T0217]}}
func.func @unknown() attributes {tgraph.size = 3} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.assumed on argument 0 to be a dense constant of its type, with elements, found dense<3> : tensor<i64> on 'tensor<4xi64>' [T0217]}}
func.func @assumed(%x: tensor<4xi64> {tgraph.assumed = dense<3> : tensor<i64>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op has the unknown attribute "tgraph.nam" on argument 0; known here: tgraph.name, tgraph.alias, tgraph.storage, tgraph.complex, tgraph.assumed [T0217]}}
func.func @unknown_on_argument(%x: tensor<4xf32> {tgraph.nam = "x"}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected a string for tgraph.name on result 0, found 1 : i64 [T0217]}}
func.func @name(%x: tensor<4xf32>) -> (tensor<4xf32> {tgraph.name = 1}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.alias on argument 0 to be the number of one of the 1 results, found 1 : i64 [T0217]}}
func.func @alias_beyond(%x: tensor<4xf32> {tgraph.alias = 1 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op gives the memory of arguments 0 and 1 to result 0 [T0217]}}
func.func @alias_twice(%x: tensor<4xf32> {tgraph.alias = 0 : i64}, %y: tensor<4xf32> {tgraph.alias = 0 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op gives the memory of argument 0 of 'tensor<5xf32>' to result 0 of 'tensor<4xf32>', expected one type; tgraph.storage makes room [T0217]}}
func.func @alias_type(%x: tensor<5xf32> {tgraph.alias = 0 : i64}, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.alias beside tgraph.storage on argument 0 [T0217]}}
func.func @storage_alone(%x: tensor<4xf32> {tgraph.storage = #tgraph.dims<[8]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.storage on argument 0 to be a #tgraph.dims with one entry per dimension of 'tensor<4xf32>', found #tgraph.dims<[8, 2]> [T0217]}}
func.func @storage_rank(%x: tensor<4xf32> {tgraph.alias = 0 : i64, tgraph.storage = #tgraph.dims<[8, 2]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.storage on argument 0 to have each dimension's size or a number that it is at most, found 3 for 4 [T0217]}}
func.func @storage_small(%x: tensor<4xf32> {tgraph.alias = 0 : i64, tgraph.storage = #tgraph.dims<[3]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @size() {
  // expected-error @+1 {{'tgraph.size' op expected one size and a scalar, found #tgraph.dims<[2]> and 'tensor<1xi64>' [T0208]}}
  %0 = tgraph.size <[2]> : tensor<1xi64>
  return
}

// -----

// expected-error @+1 {{'func.func' op declares 'S * T', which means a product or a quotient: declare what it is made of [T0209]}}
func.func @product(%x: tensor<4xf32>) attributes {tgraph.symbols = {"S * T" = #tgraph.symbol<min = 0, max = 7, step = 1>}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected the typical size of 'S' to be a number in the range of that symbol, found 9 : i64 [T0209]}}
func.func @typical(%x: tensor<4xf32>) attributes {tgraph.symbols = {S = #tgraph.symbol<min = 0, max = 7, step = 1>}, tgraph.typical = {S = 9 : i64}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.typical to be a dictionary beside tgraph.symbols [T0209]}}
func.func @typical_alone(%x: tensor<4xf32>) attributes {tgraph.typical = {S = 9 : i64}} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.fastmath to be #arith.fastmath<...>, found "fast" [T0217]}}
func.func @fast_math(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tgraph.fastmath = "fast"} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.complex without a value on argument 0, a tensor of f32 or f64 whose last dimension is 2, found unit on 'tensor<2x4xf32>' [T0217]}}
func.func @no_pairs(%x: tensor<2x4xf32> {tgraph.complex}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected tgraph.complex without a value on result 0, a tensor of f32 or f64 whose last dimension is 2, found unit on 'tensor<4x2xi32>' [T0217]}}
func.func @complex_integers(%x: tensor<4x2xi32>) -> (tensor<4x2xi32> {tgraph.complex}) {
  return %x : tensor<4x2xi32>
}

// -----

// expected-error @+1 {{'func.func' op gives the memory of argument 0 to result 0, expected tgraph.complex on both or on neither [T0217]}}
func.func @half_complex(%x: tensor<4x2xf32> {tgraph.complex, tgraph.alias = 0 : i64}) -> tensor<4x2xf32> {
  return %x : tensor<4x2xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected no tgraph.alias beside tgraph.assumed on argument 0: after a call its memory holds a result, and no longer the assumed value [T0217]}}
func.func @assumed_state(%x: tensor<2xf32> {tgraph.assumed = dense<1.0> : tensor<2xf32>, tgraph.alias = 0 : i64}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
