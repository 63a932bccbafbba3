// Finds the launch that makes the first NaN.
#include "NanCheck.h"
#include "tw/Format/FindNan.h"

using namespace tw::run;
using tw::format::findNan;

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
