// The devices of the fake libamdhip64.so. Their kernels are functions of tests.
#include "Driver/Library.h"

using namespace tw::emulator;

std::vector<Device> tw::emulator::defaultDevices() {
  Device instinct{"Fake Accelerator A", 0, "gfx942:sramecc+:xnack-", 1u << 30};
  instinct.localBytes = 64 << 10;
  Device radeon{"Fake Accelerator B", 0, "gfx1100", 512u << 20};
  radeon.localBytes = 64 << 10;
  return {instinct, radeon};
}

std::shared_ptr<const CodeImage> tw::emulator::loadCodeObject(const void *, const Device &,
                                                              std::string &) {
  return nullptr;
}
