// What an online loop is led by.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// The op that makes a mean of the sum that leads the loop: a division by the number of its points,
/// or a product with the reciprocal of that, the only use of the sum. Null where a maximum leads.
mlir::Operation *getMean(const OnlineLoop &online);

} // namespace tw::schedule
