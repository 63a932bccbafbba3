// Names of kernels that took others.
#include "FusionRules.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Words of a hint beyond which it only repeats itself.
static constexpr size_t maxWords = 6;

/// "conv", "add" -> "conv_add". Movement is not worth a word.
static std::string joinHints(StringRef producer, StringRef consumer) {
  SmallVector<StringRef> words, all;
  producer.split(words, '_');
  consumer.split(words, '_');
  for (StringRef word : words)
    if (word != "view" && all.size() < maxWords && (all.empty() || all.back() != word))
      all.push_back(word);
  return all.empty() ? "view" : llvm::join(all, "_");
}

// What works on a part of the result only, as the preparation of a scale, is not named.
void kernel::nameAfterProducer(KernelOp kernel, unsigned operand) {
  KernelOp producer = getProducer(kernel, operand);
  auto count = [](KernelOp op) {
    return cast<RankedTensorType>(op.getResult(0).getType()).getNumElements();
  };
  if (count(producer) < count(kernel) && !entersReduction(kernel, operand))
    return;
  kernel.setSymHint(
      joinHints(producer.getSymHint().value_or("kernel"), kernel.getSymHint().value_or("kernel")));
}
