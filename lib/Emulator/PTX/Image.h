// PTX texts as images of a driver library.
#pragma once

#include "../Common/Code.h"

#include <string_view>

namespace tw::emulator::ptx {

/// NULL, with `error` naming line and token, if a thing in the text is not known.
std::shared_ptr<const CodeImage> makeImage(std::string_view text, std::string &error);

} // namespace tw::emulator::ptx
