// Matrix units of x86-64: AMX, whose eight registers hold 16 rows of 64 bytes each.
//
// Registers are named, by intrinsics that take their numbers: LLVM's own allocation gives each of
// them one shape in all of a function, and the last tiles of a product have others.
#include "X86_64.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace tw::host;

static Value number(OpBuilder &builder, Location location, int64_t value) {
  return LLVM::ConstantOp::create(builder, location, builder.getI8IntegerAttr(int8_t(value)));
}

static void call(OpBuilder &builder, Location location, StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(builder, location, builder.getStringAttr("llvm.x86." + name),
                                operands);
}

/// Palette 1 in byte 0, bytes of a row from byte 16 on, in 16 bits each, and rows from byte 48 on
/// (Intel 64 and IA-32 architectures software developer's manual, volume 1, table 18-1).
static constexpr int64_t kConfigBytes = 64, kRowBytesAt = 16, kRowsAt = 48;

static void emitConfigure(OpBuilder &builder, Location location, ArrayRef<BlockShape> shapes,
                          Value memory) {
  std::array<uint8_t, kConfigBytes> bytes = {1};
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    bytes[kRowBytesAt + 2 * i] = uint8_t(shape.bytes);
    bytes[kRowsAt + i] = uint8_t(shape.rows);
  }
  constexpr int64_t kWord = 8;
  for (int64_t at = 0; at < kConfigBytes; at += kWord) {
    uint64_t word = 0;
    for (int64_t i = 0; i < kWord; ++i)
      word |= uint64_t(bytes[at + i]) << (8 * i);
    Value place = LLVM::GEPOp::create(builder, location, memory.getType(), builder.getI8Type(),
                                      memory, ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(at))});
    LLVM::StoreOp::create(
        builder, location,
        LLVM::ConstantOp::create(builder, location, builder.getI64IntegerAttr(int64_t(word))),
        place);
  }
  call(builder, location, "ldtilecfg", memory);
}

static void emitRelease(OpBuilder &builder, Location location) {
  call(builder, location, "tilerelease", {});
}

static void emitZero(OpBuilder &builder, Location location, int64_t block) {
  call(builder, location, "tilezero", number(builder, location, block));
}

static void emitLoad(OpBuilder &builder, Location location, int64_t block, Value pointer,
                     Value stride) {
  call(builder, location, "tileloadd64", {number(builder, location, block), pointer, stride});
}

static void emitStore(OpBuilder &builder, Location location, int64_t block, Value pointer,
                      Value stride) {
  call(builder, location, "tilestored64", {number(builder, location, block), pointer, stride});
}

static void emitProduct(OpBuilder &builder, Location location, StringRef name, int64_t lhs,
                        int64_t rhs, int64_t sum) {
  call(builder, location, name,
       {number(builder, location, sum), number(builder, location, lhs),
        number(builder, location, rhs)});
}

static void multiplyBF16(OpBuilder &builder, Location location, int64_t lhs, int64_t rhs,
                         int64_t sum, bool, bool) {
  emitProduct(builder, location, "tdpbf16ps", lhs, rhs, sum);
}

static void multiplyInt8(OpBuilder &builder, Location location, int64_t lhs, int64_t rhs,
                         int64_t sum, bool lhsUnsigned, bool rhsUnsigned) {
  std::string name = "tdpb";
  name += lhsUnsigned ? 'u' : 's';
  name += rhsUnsigned ? 'u' : 's';
  emitProduct(builder, location, name + "d", lhs, rhs, sum);
}

static constexpr llvm::StringLiteral needsBF16Unit[] = {"amx-bf16", "amx-tile"};
static constexpr llvm::StringLiteral needsInt8Unit[] = {"amx-int8", "amx-tile"};

/// Linux hands out the registers on request, for the whole process.
static bool isGranted() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr int requestPermission = 0x1023, tileData = 18; // arch_prctl(2), XCR0
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

static constexpr MatrixUnit makeUnit(llvm::StringLiteral name, DotKind kind, FeatureNames needs,
                                     decltype(MatrixUnit::multiply) multiply) {
  return {.name = name,
          .kind = kind,
          .needs = needs,
          .isGranted = isGranted,
          .rows = 16,
          .columns = 16,
          .groups = 16,
          .registers = 8,
          .configBytes = kConfigBytes,
          .configure = emitConfigure,
          .release = emitRelease,
          .zero = emitZero,
          .load = emitLoad,
          .store = emitStore,
          .multiply = multiply};
}

static constexpr MatrixUnit units[] = {
    makeUnit("amx-bf16", DotKind::BF16, needsBF16Unit, multiplyBF16),
    makeUnit("amx-int8", DotKind::Int8, needsInt8Unit, multiplyInt8),
};

llvm::ArrayRef<MatrixUnit> tw::host::x86_64::getUnits() { return units; }
