// Launches that the emulator runs.
#include "../PTX/Launch.h"
#include "Library.h"
#include "Report.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace tw::emulator;

/// Takes the parameters of a launch as the kernel declares them.
int Library::addEmulated(Command &command, void **parameters) {
  const ptx::Kernel &kernel = *command.function.emulated;
  command.parameters.resize(kernel.parameterBytes + 8);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ptx::Parameter &parameter = kernel.parameters[i];
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
  ptx::Launch launch;
  launch.program = command.function.program.get();
  launch.kernel = command.function.emulated;
  std::copy(command.grid, command.grid + 3, launch.grid);
  std::copy(command.block, command.block + 3, launch.block);
  launch.dynamicBytes = uint32_t(command.localBytes);
  launch.parameters = command.parameters;
  launch.memory = &memories[command.device];
  std::vector<ptx::Counters> counters;
  Report &report = Report::instance();
  if (report.wanted()) {
    counters.resize(launch.kernel->ops.size());
    launch.counters = &counters;
  }
  auto begin = std::chrono::steady_clock::now();
  ptx::Outcome outcome = ptx::run(launch);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (report.wanted())
    report.add(*launch.program, *launch.kernel, outcome, counters, seconds.count());
  if (!outcome.fault.empty()) {
    fault = outcome.fault;
    lost[command.device] = LaunchFailed;
  }
}
