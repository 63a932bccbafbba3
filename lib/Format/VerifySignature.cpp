// Verifies the signatures of functions: symbols and their equations, arguments, results.
#include "Verify.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"

#include <cinttypes>
#include <memory>
#include <new>

using namespace tw::format;

static constexpr uint32_t maxSymbols = 1024;

static bool verifyEquation(VerifyContext &context, const fb::Symbol *symbol, uint32_t index) {
  const char *name = symbol->name()->c_str();
  if (symbol->equation() == 0)
    return true;
  if (symbol->equation() == uint8_t(Opcode::Const)) {
    int64_t value = symbol->literal();
    if (value < symbol->min() || (symbol->max() >= 0 && value > symbol->max()) ||
        value % symbol->multiple() != 0)
      return TW_META_FAIL(context, symbol, "symbol '%.80s' is %" PRId64 ", outside its range", name,
                          value);
    return true;
  }
  if (!isArith(symbol->equation()))
    return TW_META_FAIL(context, symbol, "symbol '%.80s' has unknown equation %u", name,
                        symbol->equation());
  if (symbol->a() >= index || symbol->b() >= index)
    return TW_META_FAIL(context, symbol,
                        "symbol '%.80s' (%u) is computed from symbols %u and %u, expected earlier "
                        "ones",
                        name, index, symbol->a(), symbol->b());
  return true;
}

static bool verifySymbol(VerifyContext &context, const fb::Symbol *symbol, uint32_t index) {
  if (symbol->min() < 0 || (symbol->max() >= 0 && symbol->max() < symbol->min()) ||
      symbol->multiple() < 1)
    return TW_META_FAIL(context, symbol,
                        "symbol '%.80s' has range %" PRId64 " to %" PRId64 " step %" PRId64,
                        symbol->name()->c_str(), symbol->min(), symbol->max(), symbol->multiple());
  if (!context.charge(symbol, tableBytes) || !verifyEquation(context, symbol, index))
    return false;
  return !(symbol->equation() || symbol->late()) ||
         requireFeatures(context, symbol, "a symbol that is computed or late");
}

static bool sameType(const fb::TensorType *a, const fb::TensorType *b) {
  if (a->element() != b->element() || length(a->dims()) != length(b->dims()))
    return false;
  for (uint32_t i = 0; i < length(a->dims()); ++i)
    if (a->dims()->Get(i) != b->dims()->Get(i))
      return false;
  return true;
}

/// Whether memory of type `storage` has room for `type`, as far as that is known.
static bool fits(const fb::TensorType *type, const fb::TensorType *storage) {
  if (type->element() != storage->element() || length(type->dims()) != length(storage->dims()))
    return false;
  for (uint32_t i = 0; i < length(type->dims()); ++i)
    if (storage->dims()->Get(i) >= 0 && type->dims()->Get(i) > storage->dims()->Get(i))
      return false;
  return true;
}

/// The result that an argument shares its memory with.
static bool verifyAlias(VerifyContext &context, const fb::Function *function,
                        const fb::Argument *argument, uint32_t visible, uint8_t *isShared) {
  const char *name = argument->name()->c_str();
  uint32_t results = length(function->results());
  int32_t shared = argument->aliases_result();
  if (shared < -1 || shared >= int64_t(results))
    return TW_META_FAIL(context, argument, "argument '%.80s' shares the memory of result %d of %u",
                        name, shared, results);
  if (shared < 0)
    return true;
  if (isShared[shared])
    return TW_META_FAIL(context, argument, "two arguments share the memory of result %d", shared);
  isShared[shared] = 1;
  const fb::TensorType *result = function->results()->Get(uint32_t(shared))->type();
  if (function->results()->Get(uint32_t(shared))->counts() || uint32_t(shared) >= visible)
    return TW_META_FAIL(context, argument,
                        "argument '%.80s' shares the memory of result %d, which is counted or "
                        "counts",
                        name, shared);
  bool matches =
      argument->storage() ? fits(result, argument->storage()) : sameType(argument->type(), result);
  if (!matches)
    return TW_META_FAIL(context, argument,
                        "argument '%.80s' shares the memory of result %d, which has another type",
                        name, shared);
  if (const fb::Symbol *late = findLateSymbol(*function, storageType(*argument)))
    return TW_META_FAIL(context, argument,
                        "argument '%.80s' shares the memory of result %d, and its size in memory "
                        "depends on late symbol '%.40s'",
                        name, shared, late->name()->c_str());
  return true;
}

/// The elements that an argument must have.
static bool verifyAssumed(VerifyContext &context, const fb::Argument *argument) {
  if (!argument->assumed() || argument->assumed()->size() == 0)
    return true;
  uint64_t bytes = 0;
  if (!requireFeatures(context, argument, "an argument of an assumed value"))
    return false;
  if (argument->storage() || !computeTypeBytes(*argument->type(), bytes) ||
      bytes != argument->assumed()->size())
    return TW_META_FAIL(context, argument,
                        "argument '%.80s' has an assumed value of %u bytes, which is not that of "
                        "its type",
                        argument->name()->c_str(), argument->assumed()->size());
  return context.charge(argument, bytes);
}

static bool verifyArgument(VerifyContext &context, const fb::Function *function,
                           const fb::Argument *argument, uint32_t visible, uint8_t *isShared) {
  uint32_t symbols = length(function->symbols());
  if (!context.charge(argument, tableBytes) ||
      !verifyType(context, argument->type(), symbols, "an argument"))
    return false;
  if (!isPowerOfTwo(argument->alignment()) || argument->alignment() > maxAlignment)
    return TW_META_FAIL(context, argument, "argument '%.80s' has alignment %u",
                        argument->name()->c_str(), argument->alignment());
  if (argument->storage()) {
    if (!requireFeatures(context, argument, "an argument with storage of its own") ||
        !verifyType(context, argument->storage(), symbols, "an argument's storage"))
      return false;
    if (!fits(argument->type(), argument->storage()))
      return TW_META_FAIL(context, argument,
                          "argument '%.80s' does not fit in its storage, or that has another "
                          "element type or rank",
                          argument->name()->c_str());
  }
  return verifyAssumed(context, argument) &&
         verifyAlias(context, function, argument, visible, isShared);
}

static bool verifyResult(VerifyContext &context, const fb::Function *function,
                         const fb::Result *result) {
  if (!context.charge(result, tableBytes) ||
      !verifyType(context, result->type(), length(function->symbols()), "a result"))
    return false;
  const auto *counts = result->counts();
  if (!counts)
    return true;
  if (!requireFeatures(context, result, "a result that is counted"))
    return false;
  if (counts->size() != length(result->type()->dims()))
    return TW_META_FAIL(context, result, "result '%.80s' has %u counts for %u dimensions",
                        result->name()->c_str(), counts->size(), length(result->type()->dims()));
  return context.charge(result, 4 * uint64_t(counts->size()));
}

/// The results that say how many elements a result has. `visible` are before all that count.
static bool verifyCounts(VerifyContext &context, const fb::Function *function, uint32_t index,
                         uint32_t visible) {
  const fb::Result *result = function->results()->Get(index);
  const char *name = result->name()->c_str();
  if (result->counts() && index >= visible)
    return TW_META_FAIL(context, result,
                        "result '%.80s' is counted and stands behind one that counts", name);
  for (uint32_t i = 0; i < length(result->counts()); ++i) {
    int32_t count = result->counts()->Get(i);
    if (count == -1)
      continue;
    const fb::TensorType *type = uint32_t(count) < length(function->results())
                                     ? function->results()->Get(uint32_t(count))->type()
                                     : nullptr;
    if (!type || type->element() != uint8_t(ElementType::I64) || length(type->dims()) != 0)
      return TW_META_FAIL(context, result,
                          "result '%.80s' is counted by result %d, which is no scalar of i64", name,
                          count);
  }
  return true;
}

static void markSymbols(const fb::TensorType *type, bool *isSettled) {
  for (uint32_t i = 0; type && i < length(type->dims()); ++i)
    if (int64_t dim = type->dims()->Get(i); dim < 0)
      isSettled[-1 - dim] = true;
}

bool tw::format::verifySignature(VerifyContext &context, const fb::Function *function) {
  uint32_t symbols = length(function->symbols()), results = length(function->results());
  if (symbols > maxSymbols)
    return TW_META_FAIL(context, function, "a function has %u symbols, the most is %u", symbols,
                        maxSymbols);
  for (uint32_t i = 0; i < symbols; ++i)
    if (!verifySymbol(context, function->symbols()->Get(i), i))
      return false;
  for (uint32_t i = 0; i < results; ++i)
    if (!verifyResult(context, function, function->results()->Get(i)))
      return false;
  uint32_t visible = countVisibleResults(*function);
  for (uint32_t i = 0; i < results; ++i)
    if (!verifyCounts(context, function, i, visible))
      return false;
  std::unique_ptr<uint8_t[]> isShared(new (std::nothrow) uint8_t[results + 1]());
  if (!isShared)
    return failMemory(context.error, "META");
  bool isSettled[maxSymbols] = {};
  for (uint32_t i = 0; i < length(function->arguments()); ++i) {
    const fb::Argument *argument = function->arguments()->Get(i);
    if (!verifyArgument(context, function, argument, visible, isShared.get()))
      return false;
    markSymbols(argument->type(), isSettled);
    markSymbols(argument->storage(), isSettled);
  }
  for (uint32_t i = 0; i < symbols; ++i)
    if (const fb::Symbol *symbol = function->symbols()->Get(i);
        symbol->equation() == 0 && !isSettled[i])
      return TW_META_FAIL(context, symbol, "no argument settles symbol '%.80s'",
                          symbol->name()->c_str());
  for (uint32_t i = 0; i < results; ++i) {
    const fb::Result *result = function->results()->Get(i);
    const fb::Symbol *late = findLateSymbol(*function, *result->type());
    if (late && !isShared[i])
      return TW_META_FAIL(context, result,
                          "result '%.80s' has memory of its own, whose size depends on late symbol "
                          "'%.40s'",
                          result->name()->c_str(), late->name()->c_str());
  }
  return true;
}
