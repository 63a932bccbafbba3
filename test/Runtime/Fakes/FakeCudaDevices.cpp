// The devices of the fake libcuda.so.1, whose kernels are functions that tests register.
#include "Driver/Library.h"

std::vector<tw::emulator::Device> tw::emulator::defaultDevices() {
  Device hopper{"Fake GPU A", 90, "", 1u << 30};
  hopper.localBytesOptIn = 227 << 10;
  Device turing{"Fake GPU B", 75, "", 512u << 20};
  turing.localBytesOptIn = 64 << 10;
  return {hopper, turing};
}
