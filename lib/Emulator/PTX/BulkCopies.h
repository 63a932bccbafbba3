// Bulk copies and the mbarriers that they report to.
#pragma once

#include "Checks.h"

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

/// The mbarrier at an address; NULL after a fault.
Mbarrier *findMbarrier(Warp &warp, const Op &op, uint64_t address);

/// Moves the bytes of a copy. False: there was a fault.
bool move(Warp &warp, const Op &op, const BulkCopy &copy, const Mbarrier &mbarrier);

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
