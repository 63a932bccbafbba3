// What the compiler chooses beside what chance finds, by price.
#pragma once

#include "tw/Schedule/Drawing.h"
#include "tw/Target/Target.h"

#include "mlir/IR/MLIRContext.h"

namespace tw::fuzz {

/// For each kernel of the files: the price of the schedule that the host's strategies choose, that
/// without a search, and the least of `count` legal ones that are drawn. Prints a line for each
/// kernel and how many choices are at least as good as what was drawn. False if a file cannot be
/// read, or a price is below what any schedule takes.
bool comparePrices(const std::vector<std::string> &files, mlir::MLIRContext &context,
                   const TargetOptions &target, schedule::Random &random, unsigned depth,
                   unsigned count);

} // namespace tw::fuzz
