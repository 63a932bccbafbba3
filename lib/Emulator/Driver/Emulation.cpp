// Launches that an emulator runs.
#include "Library.h"

#include <algorithm>
#include <cstring>

using namespace tw::emulator;

/// Takes the parameters of a launch as the kernel declares them.
int Library::addEmulated(Command &command, void **parameters) {
  const KernelCode &kernel = *command.function.emulated;
  command.parameters.resize(kernel.parameterBytes + 8);
  for (size_t i = 0; i < kernel.slots.size(); ++i) {
    const KernelCode::Slot &parameter = kernel.slots[i];
    memcpy(command.parameters.data() + parameter.offset, parameters[i], parameter.bytes);
    uint64_t value = 0;
    if (parameter.bytes == sizeof(value))
      memcpy(&value, parameters[i], sizeof(value));
    // What looks like an address keeps its memory alive until the launch has run.
    if (findMemory(value, 0))
      command.bindings.push_back(reinterpret_cast<void *>(value));
  }
  const unsigned *block = command.block;
  if (kernel.threads[0] && !std::equal(block, block + 3, kernel.threads)) {
    mistake("a launch of '%s' with %u x %u x %u threads, it needs %u x %u x %u",
            kernel.name.c_str(), block[0], block[1], block[2], kernel.threads[0], kernel.threads[1],
            kernel.threads[2]);
    return InvalidValue;
  }
  if (kernel.maxThreads && command.threads > kernel.maxThreads)
    return LaunchOutOfResources;
  return Success;
}

void Library::emulate(const Command &command) {
  LaunchShape shape;
  std::copy(command.grid, command.grid + 3, shape.grid);
  std::copy(command.block, command.block + 3, shape.block);
  shape.dynamicBytes = uint32_t(command.localBytes);
  shape.parameters = command.parameters;
  shape.memory = &memories[command.device];
  if (std::string text = command.function.emulated->run(shape); !text.empty()) {
    fault = std::move(text);
    lost[command.device] = LaunchFailed;
  }
}
