// Finding devices that can run kernels.
#pragma once

#include "Library.h"

namespace tw::runtime::vulkan {

/// Fills the library's list; fails, with the reason, if it stays empty.
TwrtCode listDevices(Library &library, TwrtError *error);

} // namespace tw::runtime::vulkan
