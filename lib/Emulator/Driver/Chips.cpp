// The chips that the emulated CUDA library has, the most capable first.
#include "Library.h"

std::vector<tw::emulator::Device> tw::emulator::defaultDevices() {
  struct Chip {
    const char *name;
    int capability, localKiB;
  };
  // Local memory that a block can ask for: CUDA programming guide, technical specifications by
  // compute capability.
  static constexpr Chip chips[] = {{"Emulated sm_90a", 90, 227}, {"Emulated sm_89", 89, 99},
                                   {"Emulated sm_86", 86, 99},   {"Emulated sm_80", 80, 163},
                                   {"Emulated sm_75", 75, 64},   {"Emulated sm_70", 70, 96}};
  std::vector<Device> devices;
  for (const Chip &chip : chips) {
    Device device;
    device.name = chip.name;
    device.capability = chip.capability;
    device.totalBytes = uint64_t(8) << 30;
    device.localBytesOptIn = chip.localKiB << 10;
    device.emulated = true;
    devices.push_back(device);
  }
  return devices;
}
