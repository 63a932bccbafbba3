// Lanes that trade registers: the conversions between layouts that shuffles carry out.
#pragma once

#include "tw/Layout/TileLayout.h"

namespace tw::layout {

/// A bit of the registers' number and one of the lanes' that trade places: each lane hands half of
/// its registers to the lane whose number differs in that bit, and gets half of that one's.
struct LaneTrade {
  unsigned reg = 0, lane = 0;
};

/// The layout behind a trade.
TileLayout trade(TileLayout layout, const LaneTrade &bits);

/// The trade after which `from` is `to` but for the order of registers, if there is one.
std::optional<LaneTrade> findLaneTrade(const TileLayout &from, const TileLayout &to);

} // namespace tw::layout
