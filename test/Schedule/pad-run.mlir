// Padded axes change no bit: what is infinite or no number stays in its own row and column.
// RUN: tensor-run %s --compare=interpreter --quiet
// RUN: tensor-run %s --check-every-kernel --threads=2 --quiet

func.func @main() -> (tensor<10x11xi32>, tensor<13xi32>, tensor<10xi32>, tensor<10x11xi32>, tensor<10x11xi32>) {
  %x = tgraph.constant dense<"0x000080C00000E0400000C0C00000E040000080BF0000E0400000E040000080C0000080C000000041000000C10000C0C00000E0C0000000C100000000000080400000A0400000C040000080C00000A0C00000C07F000000000000A0400000803F000080400000A04000000040000000C1000040C0000000400000A0C0000000C0000000000000C0C00000E040000000800000A040000000C10000A0400000E0C00000E0C000000040000000000000E0C00000C0C00000E0C00000A040000000000000E0C000000040000080C000008040000000410000A0C000000041000080BF0000A04000000041000000400000807F00000040000080FF000080C0000000800000C0400000404000000000000000C1000000C100000000"> : tensor<10x7xf32>
  %w = tgraph.constant dense<"0x0000803F00000040000040C0000040400000000000008040000000C1000080C0000080BF00000000000040C00000A0C000000040000080BF000040C000000080000000C00000C0400000A0C00000C07F00000040000040C0000000400000C0C0000040400000A040000000000000A0400000A0400000C07F000000C00000807F00000041000080BF0000C07F00000041000000400000C0C00000803F000080BF00000080000000410000A040000000C10000A0C00000803F000000C10000A040000000800000A0C0000000000000E0400000E0C0000000C00000A0C000000000000080C0000000C1000080400000008000000000000000410000E040000000C1000080C000000080000000800000E0C00000C0C00000E0400000004000000080000080400000404000000040000080C000008040"> : tensor<7x11xf32>
  %v = tgraph.constant dense<"0x000040C000000080000080400000E0C00000A04000000080000000400000A040000080BF000000000000C0C0000080BF000000C100004040000000000000A0C0000000410000A0C00000A0C0000000C1000080BF0000E0C00000A0C000008040000000C10000A0C0000080FF0000E0400000803F0000C0C00000C07F00000041000080BF0000A0C00000E0C0000040C0000080BF000080BF00008040000080400000A040000080400000A040000040C000000041000080C0000080C00000E04000000041000040C0000000C000000041000080BF0000803F0000A040000000000000803F000080FF00008040000040400000E040000080C00000E040000000C0000000C10000C0C0000080400000E0C0000080BF0000C0C000000000000000C0000080C00000E0C0000000000000E0C00000A040000000800000A0C0000000800000803F0000C07F000000400000807F0000A0400000C0C00000E0400000004000000000000000800000C040"> : tensor<7x13xf32>
  %xh = tgraph.constant dense<"0x000040404040803F000000400041E040E0C040C080C0C04080C0A04040C0803FC0C040C080400000E0C0E0C0000000410040C040C0C0A0C0A0C0A0C000C0804080C080C000C040C000C0404000C1C0408040803F0041803FE04000C000C180BF004100C000410041C040803F80C0C0C0E0C0C07F004100C10040404080C0E0C0004000C000C080BFA0C0A040"> : tensor<10x7xbf16>
  %wh = tgraph.constant dense<"0x00C08040C0C0A040E040C0408040C04000004040404080BF00C04040C04040C040C0004100C140C040C000C10040E0C0E0C000C180BF804040C0A0C0A0C0803FC040803F000000404040E0C0C0C000C1C0C0807FE040004100C0E040E040E0C08040803FA04080408040804040404040C040E04040C08040E0C000C1C0C0A0C0E0C0E0C0004000C18040A0C0803FC0C000C0E0C080C000C1803F"> : tensor<7x11xbf16>
  %xb = tgraph.constant dense<"0x6A70D6A360EF5A2815390C3366822B37EECC7237F8B1CEE43895E3C2693B03ED9927AEB162F824BAD8226D7FB31FAB78DCE02B806FA554696FEDD6BC61D1F7D0F01195095E31"> : tensor<10x7xi8>
  %wb = tgraph.constant dense<"0x0E4D961FF114636A8DFBDD13B0EF64934934E399D2E327694EF991C0BE52DC9FEDF271B893920FEDBFB7987C0507434C0A54190068EEB5B911FA5E7A068DDDAD1A30E69F867EFFD685AD160FDB"> : tensor<7x11xi8>
  %0 = tkernel.kernel @product (%m : 10, %n : 11, %k : 7) reads(%a = %x : tensor<10x7xf32>, %b = %w : tensor<7x11xf32>) -> tensor<10x11xi32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 8], split k = [ko, ki 3], grid [no], order [mo, ko, ki], tile [mr, nr], stage lhs as (mo, ko, ki, mr) at grid local, stage rhs as (no, ko, ki, nr) at kernel global, edge m pad, edge n pad, edge k pad]>} {
    %p = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xf32>
    %q = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x11xf32>
    %s = tkernel.contract %p, %q over (%k) : f32
    %nan = arith.cmpf uno, %s, %s : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %s : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%m, %n] : i32
  }
  %1 = tkernel.kernel @largest (%k : 7, %n : 13) reads(%a = %v : tensor<7x13xf32>) -> tensor<13xi32>
      attributes {schedule = #tkernel.schedule<[split k = [ko, ki 4], split n = [no, nr 8], order [no, ko], tile [ki, nr], stage e at no local, edge k pad, edge n pad]>} {
    %p = tkernel.load %a[%k, %n] : tensor<7x13xf32>
    %e = arith.addf %p, %p {name = "e"} : f32
    %s = tkernel.reduce maximumf %e over (%k) : f32
    %nan = arith.cmpf uno, %s, %s : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %s : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%n] : i32
  }
  %2 = tkernel.kernel @rows (%m : 10, %k : 7) reads(%a = %x : tensor<10x7xf32>) -> tensor<10xi32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split k = [ko, ki 2, kj 2], order [mo, ko, ki, kj], tile [mr], stage v at mo local, edge m pad, edge k pad]>} {
    %p = tkernel.load %a[%m, %k] {name = "v"} : tensor<10x7xf32>
    %s = tkernel.reduce addf %p over (%k) : f32
    %nan = arith.cmpf uno, %s, %s : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %s : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%m] : i32
  }
  %3 = tkernel.kernel @pairs (%m : 10, %n : 11, %k : 7) reads(%a = %xh : tensor<10x7xbf16>, %b = %wh : tensor<7x11xbf16>) -> tensor<10x11xi32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 16], split k = [ko, kg 2], order [mo, no, ko], tile [kg, mr, nr], stage lhs as (ko, mr, kg) at mo local, stage rhs as (no, ko, nr, kg) at grid local, contract kg dot, edge m pad, edge n pad, edge k pad]>} {
    %p = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xbf16>
    %q = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x11xbf16>
    %s = tkernel.contract %p, %q over (%k) : bf16, bf16 -> f32
    %nan = arith.cmpf uno, %s, %s : f32
    %one = arith.constant 42 : i32
    %bits = arith.bitcast %s : f32 to i32
    %r = arith.select %nan, %one, %bits : i32
    tkernel.store %r, 0[%m, %n] : i32
  }
  %4 = tkernel.kernel @quads (%m : 10, %n : 11, %k : 7) reads(%a = %xb : tensor<10x7xi8>, %b = %wb : tensor<7x11xi8>) -> tensor<10x11xi32>
      attributes {schedule = #tkernel.schedule<[split m = [mo, mr 4], split n = [no, nr 16], split k = [ko, kg 4], order [mo, no, ko], tile [kg, mr, nr], stage lhs as (ko, mr, kg) at mo local, stage rhs as (no, ko, nr, kg) at kernel global, contract kg dot, edge m pad, edge n pad, edge k pad]>} {
    %p = tkernel.load %a[%m, %k] {name = "lhs"} : tensor<10x7xi8>
    %q = tkernel.load %b[%k, %n] {name = "rhs"} : tensor<7x11xi8>
    %s = tkernel.contract %p, %q over (%k) : i8, i8 -> i32
    tkernel.store %s, 0[%m, %n] : i32
  }
  return %0, %1, %2, %3, %4 : tensor<10x11xi32>, tensor<13xi32>, tensor<10xi32>, tensor<10x11xi32>, tensor<10x11xi32>
}
