// Finds the launch that makes the first NaN.
#include "NanCheck.h"
#include "tw/Format/Element.h"

#include <cmath>
#include <cstring>

using namespace tw::run;

namespace {

/// All bits of the exponent, and some below: without the sign above those of infinity.
template <typename Bits> size_t findNan(const uint8_t *data, size_t bytes, Bits infinity) {
  constexpr Bits noSign = Bits(~Bits(0)) >> 1;
  for (size_t i = 0; i < bytes / sizeof(Bits); ++i) {
    Bits bits;
    memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
    if ((bits & noSign) > infinity)
      return i;
  }
  return SIZE_MAX;
}

/// The first NaN among elements; SIZE_MAX if there is none.
size_t findNan(uint32_t element, const void *data, size_t bytes) {
  const auto *from = static_cast<const uint8_t *>(data);
  switch (element) {
  case TWRT_F64:
    return findNan<uint64_t>(from, bytes, 0x7ff0000000000000);
  case TWRT_F32:
    return findNan<uint32_t>(from, bytes, 0x7f800000);
  case TWRT_F16:
    return findNan<uint16_t>(from, bytes, 0x7c00);
  case TWRT_BF16:
    return findNan<uint16_t>(from, bytes, 0x7f80);
  default:
    return SIZE_MAX;
  }
}

} // namespace

NanCheck::~NanCheck() {
  if (session.call())
    twrtCallSetLaunchHook(session.call(), nullptr, nullptr, nullptr);
}

bool NanCheck::begin(const std::vector<Tensor> &inputs) {
  for (const Tensor &input : inputs)
    if (size_t at = findNan(input.element(), input.array.data.data(), input.array.data.size());
        at != SIZE_MAX) {
      problems.add("T0610", "input '" + input.name + "' is NaN at element " + std::to_string(at) +
                                " already, before any kernel runs");
      return false;
    }
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  if (twrtCallSetLaunchHook(session.call(), check, this, &error) == TWRT_OK)
    return true;
  problems.add(error);
  return false;
}

TwrtCode NanCheck::check(void *user, const TwrtLaunch *launch) {
  auto &self = *static_cast<NanCheck *>(user);
  for (uint32_t i = 0; i < launch->bindingCount; ++i) {
    const TwrtBinding &binding = launch->bindings[i];
    if (binding.access == TWRT_READ)
      continue;
    size_t at = findNan(binding.element, binding.data, binding.bytes);
    if (at == SIZE_MAX)
      continue;
    TwrtString node = twrtCallLaunchNode(self.session.call(), launch->launch);
    std::string text = "kernel '" + std::string(launch->name.data, launch->name.size) + "'";
    if (node.size)
      text += " (" + std::string(node.data, node.size) + ")";
    text += " made the first NaN: element " + std::to_string(at) + " of a result " +
            support::formatType(binding.element, {binding.dims, binding.rank}) + ", in launch " +
            std::to_string(launch->launch) + " of " + std::to_string(launch->launchCount) +
            ", step " + std::to_string(self.step + 1);
    self.problems.add("T0610", text);
    return TWRT_CANCELLED;
  }
  return TWRT_OK;
}
