// fuzz: tensor-opt --interpret --verify-diagnostics
tlaunch.func @main() results() names [] target "host" attributes {arena_bytes = 9223372036854775807 : i64} {
  %t = tlaunch.reserve at 9223372036854775807 : !tlaunch.buffer<tensor<2xf32>>
  tlaunch.return
}
