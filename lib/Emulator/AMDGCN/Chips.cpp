// The chips that the emulated HIP library has.
#include "../Driver/Library.h"
#include "CodeObject.h"

#include <string_view>

using namespace tw::emulator;

std::vector<Device> tw::emulator::defaultDevices() {
  std::vector<Device> devices;
  for (const char *chip : {"gfx942", "gfx90a", "gfx950", "gfx1100", "gfx1201"}) {
    Device device;
    device.name = device.architecture = chip;
    device.totalBytes = uint64_t(8) << 30;
    device.localBytes = (std::string_view(chip) == "gfx950" ? 160 : 64) << 10;
    device.emulated = true;
    devices.push_back(device);
  }
  return devices;
}

std::shared_ptr<const CodeImage>
tw::emulator::loadCodeObject(const void *image, const Device &device, std::string &error) {
  return amdgcn::load(image, device.architecture, error);
}
