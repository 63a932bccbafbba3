// fuzz: tensor-opt --interpret --verify-diagnostics
tlaunch.func @main() results() names [] target "host" attributes {arena_bytes = 64 : i64} {
  %t = tlaunch.reserve at 64 : !tlaunch.buffer<tensor<?xf32>>
  tlaunch.return
}
