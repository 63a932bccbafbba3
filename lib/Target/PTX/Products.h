// Products of units that read local memory, as text.
#pragma once

#include "tw/Target/Common/Instructions.h"

namespace tw::ptx {

/// As ChipInstructions says.
uint64_t describeOperand(const LocalOperand &operand);
std::string writeProducts(const MatrixUnit &unit, llvm::ArrayRef<LocalProduct> products,
                          const LocalProductOperands &operands, OpenProducts open);

} // namespace tw::ptx
