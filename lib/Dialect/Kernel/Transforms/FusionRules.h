// When a producer is inlined into a consumer.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Format/Commands.h"

namespace tw::kernel {

/// What a launch can bind: operands and results of a kernel, on every target.
constexpr unsigned maxBindings = format::maxKernelBindings;

/// Bodies beyond this are not made longer: they would compile slowly and spill.
constexpr unsigned maxBodySize = 400;

/// Roughly the instructions per point that a body becomes; functions are worth several.
unsigned getSize(KernelOp kernel);

/// How a kernel computes, which decides where it may be inlined.
enum class Character {
  Copy,        ///< at most one load, at axes alone, and casts: a view, a cast, a splat, an iota
  Elementwise, ///< no value is combined along an axis
  Reduction    ///< a reduce, contract or scan
};

Character getCharacter(KernelOp kernel);

/// The kernel that computes an operand; null for arguments and constants.
KernelOp getProducer(KernelOp consumer, unsigned operand);

/// Gives the kernel the hint that it has once it holds the producer of an operand.
void nameAfterProducer(KernelOp kernel, unsigned operand);

/// Whether a value that depends on the operand is combined along an axis.
bool entersReduction(KernelOp consumer, unsigned operand);

/// Whether the loads of the operand are to be replaced by the body of its producer.
bool shouldInline(KernelOp consumer, unsigned operand);

/// Whether the kernel alone reads a reduction and would take it as its epilogue but for the
/// divisions in how it reads it.
bool wantsWholeAxes(KernelOp consumer);

} // namespace tw::kernel
