// Lanes that trade registers so that what they store fills sectors.
#pragma once

#include "BaseLayout.h"

namespace tw::threads {

/// Layouts one after another, each a trade of registers between lanes away from the one before it,
/// the first one from the base: in the last one the subgroup asks for three quarters of the sectors
/// or less for each of them. None where no trade saves as many.
llvm::SmallVector<layout::TileLayout> findLaneTrades(const AccessShape &access,
                                                     const layout::TileLayout &base);

} // namespace tw::threads
