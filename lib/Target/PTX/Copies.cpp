// Copies of boxes of tensors into local memory, and mbarriers that count them (sm_90).
//
// Source: PTX ISA 9.0, sections 9.7.9.27 (cp.async.bulk.tensor) and 9.7.13.15 (mbarrier). One
// thread arrives at an mbarrier, with the bytes that are to come; a phase ends when they are there.
#include "Copies.h"

#include "llvm/Support/raw_ostream.h"

using namespace tw;

static constexpr int64_t wordBytes = 8;

static std::string makeArrivals(int64_t count, int64_t threads) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "{\n";
  for (int64_t i = 0; i < count; ++i)
    out << "@$0 mbarrier.init.shared::cta.b64 [$1+" << i * wordBytes << "], " << threads << ";\n";
  out << '}';
  return text;
}

static std::string expectBytes(int64_t number, int64_t bytes) {
  return ("@$0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1+" +
          llvm::Twine(number * wordBytes) + "], " + llvm::Twine(bytes) + ";")
      .str();
}

static std::string copyBox(int64_t rank, int64_t offset, int64_t number) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "@$0 cp.async.bulk.tensor." << rank
      << "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1+" << offset << "], [$2, {";
  for (int64_t d = 0; d < rank; ++d)
    out << (d ? ", " : "") << "$" << 4 + d;
  out << "}], [$3+" << number * wordBytes << "];";
  return text;
}

/// A label of its own scope.
static std::string awaitFilling(int64_t number) {
  return ("{\n.reg .pred filled;\nAWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 filled, [$0+" +
          llvm::Twine(number * wordBytes) + "], $1;\n@!filled bra AWAIT;\n}")
      .str();
}

static std::string releaseSlot(int64_t number) {
  return ("@$0 mbarrier.arrive.shared::cta.b64 _, [$1+" + llvm::Twine(number * wordBytes) + "];")
      .str();
}

// PTX ISA 9.0, section 9.7.20.5 (setmaxnreg): warps of a warpgroup, 24 to 256 registers in steps of
// 8.
const ThreadRoles tw::ptx::threadRoles = {.meet = "llvm.nvvm.barrier.cta.sync.aligned.count",
                                          .shrink = "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32",
                                          .grow = "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32",
                                          .together = 4,
                                          .registers = 65536,
                                          .unit = 8,
                                          .most = 255,
                                          .few = 40};

const BoxCopies tw::ptx::boxCopies = {.mapBytes = 128,
                                      .mapAlignment = 64,
                                      .make = makeArrivals,
                                      .made = "fence.mbarrier_init.release.cluster;",
                                      .expect = expectBytes,
                                      .copy = copyBox,
                                      .await = awaitFilling,
                                      .release = releaseSlot};
