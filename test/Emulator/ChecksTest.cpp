// Each rule of the checks is broken once, and nothing else is reported.
#include "Harness.h"

using namespace tw::test;

static const char *const local = ".shared .align 16 .b8 s[1024];\n";

/// Two warps put numbers into local memory, meet, and read what the other has written.
static const std::string exchange = kernel(R"(
    mov.b64 %d7, s; add.s64 %d7, %d7, %d3;
    st.shared.b32 [%d7], %r0;
    bar.sync 0;
    xor.b32 %r1, %r0, 32; mul.wide.u32 %d8, %r1, 4; mov.b64 %d9, s; add.s64 %d8, %d8, %d9;
    ld.shared.b32 %r2, [%d8];
    bar.sync 0;
    st.shared.b32 [%d7], %r2;
    st.global.b32 [%d6], %r2;)",
                                           local);

TEST(Checks, WhatIsRightIsNotReported) {
  Machine machine;
  machine.threads = 64;
  EXPECT_EQ(machine.run(exchange), "");
  EXPECT_EQ(machine.c[40], 8u);
}

TEST(Checks, Races) {
  Machine machine;
  machine.threads = 64;
  // Which of the two warps runs first decides whether the value is there; the rule is broken either
  // way.
  EXPECT_FAULT(machine.run(edit(exchange, "bar.sync 0;", "")), "which nobody has written");
  EXPECT_FAULT(machine.run(edit(exchange, "bar.sync 0;", "", 1)),
               "race: reads local memory at offset 128, which warp 1 wrote");
  std::string same = edit(exchange, "add.s64 %d7, %d7, %d3;", "");
  machine.threads = 32;
  EXPECT_FAULT(machine.run(same), "race: lanes 0 and 1 store different values");
}

TEST(Checks, NamesThePlace) {
  Machine machine;
  machine.threads = 64;
  EXPECT_FAULT(machine.run(edit(exchange, "bar.sync 0;", "")),
               "kernel 'f', line 15: reads local memory at offset 128, which nobody has written "
               "(block 0,0,0, warp 0, "
               "lanes 0xffffffff) in 'ld.shared.b32 %r2, [%d8];'");
}

TEST(Checks, Barriers) {
  Machine machine;
  machine.threads = 64;
  EXPECT_FAULT(machine.run(kernel("setp.lt.u32 %p1, %r0, 7; @%p1 bra L; bar.sync 0; L:")),
               "a barrier in divergent code");
  EXPECT_FAULT(machine.run(kernel("setp.lt.u32 %p1, %r0, 7; @%p1 bar.sync 0;")),
               "a barrier in divergent code");
  EXPECT_FAULT(machine.run(kernel("setp.lt.u32 %p1, %r0, 32; @%p1 bra L; bar.sync 0; L:")),
               "a barrier of the whole block after warp 0 has ended");
  EXPECT_FAULT(machine.run(kernel("setp.lt.u32 %p1, %r0, 32; @!%p1 bra L; bar.sync 0; L:")),
               "deadlock");
  EXPECT_FAULT(machine.run(kernel("bar.sync 1, 48;")), "a barrier of 48 threads in a block of 64");
}

TEST(Checks, NamedBarriersOrderThoseWhoMeet) {
  Machine machine;
  machine.threads = 96;
  // Warps 0 and 1 exchange over barrier 1; warp 2 has nothing to do with it.
  std::string named = kernel(R"(
    setp.ge.u32 %p1, %r0, 64; @%p1 bra L;
    mov.b64 %d7, s; add.s64 %d8, %d7, %d3;
    st.shared.b32 [%d8], %r0;
    bar.sync 1, 64;
    xor.b32 %r1, %r0, 32; mul.wide.u32 %d9, %r1, 4; add.s64 %d9, %d9, %d7;
    ld.shared.b32 %r2, [%d9];
    L:)",
                             local);
  EXPECT_EQ(machine.run(named), "");
  // Warp 2 looks at it without having met them.
  std::string looks =
      edit(named, "    L:", "    bra E; L: mov.b64 %d7, s; ld.shared.b32 %r2, [%d7]; E:");
  EXPECT_FAULT(machine.run(looks), "race: reads local memory at offset 0, which warp 0 wrote");
}

TEST(Checks, GlobalMemory) {
  Machine machine;
  EXPECT_FAULT(machine.run(kernel("ld.global.b32 %r1, [%d4+4096];")), "which is in no allocation");
  EXPECT_FAULT(machine.run(kernel("ld.global.b32 %r1, [%d4+3972];")), "lane 31 reads 4 bytes at");
  EXPECT_FAULT(machine.run(kernel("st.global.b32 [%d6+3972], %r0;")), "lane 31 writes 4 bytes at");
  EXPECT_FAULT(machine.run(kernel("ld.global.b32 %r1, [%d6];")),
               "reads 4 bytes of global memory that nobody has written");
  EXPECT_FAULT(machine.run(kernel("ld.global.v2.b32 {%r1, %r2}, [%d4];")), "not a multiple");
  EXPECT_FAULT(machine.run(kernel("mov.b64 %d7, 0; ld.global.b32 %r1, [%d7];")),
               "which is in no allocation");
  EXPECT_EQ(machine.run(kernel("st.global.b32 [%d6], %r0; ld.global.b32 %r1, [%d6];")), "");
}

TEST(Checks, LocalMemory) {
  Machine machine;
  EXPECT_FAULT(machine.run(kernel("mov.b64 %d7, s; st.shared.b32 [%d7+1024], %r0;", local)),
               "of local memory, which has 1024");
  EXPECT_FAULT(machine.run(kernel("mov.b64 %d7, 0; st.shared.b32 [%d7], %r0;", local)),
               "of local memory, which has 1024");
  EXPECT_FAULT(machine.run(kernel("mov.b64 %d7, s; st.shared.b32 [%d7+2], %r0;", local)),
               "not a multiple");
}

TEST(Checks, Warps) {
  Machine machine;
  EXPECT_FAULT(
      machine.run(kernel(
          "setp.lt.u32 %p1, %r0, 7; @%p1 bra L; shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1; L:")),
      "names other lanes than those that are here");
  EXPECT_FAULT(machine.run(kernel("L: setp.lt.u32 %p1, %r0, 99; @%p1 bra L;")), "no end in sight");
}

TEST(Checks, LaunchesThatHangEnd) {
  // Whatever warps do there: two that meet at a barrier go a few operations at a time.
  Machine machine;
  machine.threads = 64;
  machine.budget = 10'000'000;
  const char *expected = "no end in sight after 10000000 operations of lanes";
  EXPECT_FAULT(machine.run(kernel("L: bar.sync 0; bra.uni L;")), expected);
  EXPECT_FAULT(machine.run(kernel("L: add.s32 %r1, %r1, 1; bra.uni L;")), expected);
}

TEST(Checks, BytesSideBySideAreNoRace) {
  Machine machine;
  machine.threads = 64;
  EXPECT_EQ(machine.run(kernel("mov.b64 %d7, s; cvt.u64.u32 %d8, %r0; shl.b64 %d8, %d8, 1; and.b64 "
                               "%d9, %d8, 63; shr.u64 %d10, %d8, 6;"
                               "add.s64 %d9, %d9, %d10; add.s64 %d7, %d7, %d9; cvt.u16.u32 %h1, "
                               "%r0; st.shared.b8 [%d7], %h1;",
                               local)),
            "");
}

TEST(Checks, Counters) {
  Machine machine;
  // Words 32 apart lie in one bank: 32 cycles instead of 1. A stride of 32 bytes asks for eight
  // times the sectors.
  EXPECT_EQ(machine.run(kernel(R"(
    mov.b64 %d7, s; mul.wide.u32 %d8, %r0, 128; add.s64 %d7, %d7, %d8;
    st.shared.b32 [%d7], %r0;
    mul.wide.u32 %d9, %r0, 32; add.s64 %d9, %d9, %d0; ld.global.b32 %r1, [%d9];)",
                               ".shared .align 16 .b8 s[4096];\n")),
            "");
  uint64_t conflicts = 0, phases = 0, sectors = 0, least = 0;
  for (const ptx::Counters &counters : machine.counters) {
    conflicts += counters.conflicts;
    phases += counters.phases;
    sectors += counters.sectors;
    least += counters.least;
  }
  EXPECT_EQ(phases, 1u);
  EXPECT_EQ(conflicts, 31u);
  EXPECT_EQ(sectors, 32u);
  EXPECT_EQ(least, 4u);
}
