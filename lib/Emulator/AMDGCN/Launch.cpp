// Groups one after the other; in a group each wave until it waits.
#include "Wave.h"

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace tw::emulator;
using namespace tw::emulator::amdgcn;

void tw::emulator::amdgcn::fault(Wave &wave, const Op &op, const char *format, ...) {
  Group &group = *wave.group;
  wave.state = Wave::State::Done;
  if (!group.fault.empty())
    return;
  char text[400], place[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  snprintf(place, sizeof(place), " (group %u,%u,%u, wave %u, lanes %#llx)", group.id[0],
           group.id[1], group.id[2], wave.id, (unsigned long long)wave.exec());
  group.fault = "kernel '" + group.kernel->name + "', instruction " + std::to_string(op.line) +
                ": " + text + place + " in '" + group.kernel->text[op.line] + "'";
}

void tw::emulator::amdgcn::issue(Wave &wave, Counter counter, Registers registers) {
  uint64_t ticket = ++wave.issued[size_t(counter)];
  if (registers.count)
    wave.pending.push_back({counter, ticket, registers});
}

/// Registers that a load has yet to fill may be neither read nor written.
static bool checkArrived(Wave &wave, const Op &op) {
  for (const Registers &touched : op.touched)
    for (const Pending &load : wave.pending)
      if (touched.vector == load.registers.vector &&
          touched.first < load.registers.first + load.registers.count &&
          load.registers.first < touched.first + touched.count) {
        fault(wave, op, "%c%u is used before the load into it has been waited for",
              touched.vector ? 'v' : 's', std::max(touched.first, load.registers.first));
        return false;
      }
  return true;
}

static void runWave(Wave &wave) {
  Group &group = *wave.group;
  const Kernel &kernel = *group.kernel;
  while (wave.state == Wave::State::Running) {
    if (wave.pc >= kernel.ops.size()) {
      fault(wave, kernel.ops.back(), "the kernel goes on behind its end");
      return;
    }
    const Op &op = kernel.ops[wave.pc++];
    if ((group.budget -= std::popcount(wave.exec())) < 0)
      return fault(wave, op, "no end in sight");
    if (!wave.pending.empty() && !checkArrived(wave, op))
      return;
    op.run(wave, op);
  }
}

static void beginWave(Group &group, Wave &wave, uint32_t threads) {
  const Kernel &kernel = *group.kernel;
  uint32_t width = kernel.chip.waveLanes, first = wave.id * width;
  uint32_t count = std::min(width, threads - first);
  wave.alive = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  wave.pc = 0;
  wave.scc = false;
  wave.state = Wave::State::Running;
  wave.pending.clear();
  std::fill(std::begin(wave.issued), std::end(wave.issued), 0);
  std::fill(std::begin(wave.arrived), std::end(wave.arrived), 0);
  std::fill(std::begin(wave.scalar), std::end(wave.scalar), 0xeeeeeeee);
  wave.scalar[Null] = wave.scalar[Null + 1] = 0;
  wave.setMask(Exec, wave.alive);
  for (uint32_t lane = 0; lane < width; ++lane)
    wave.vector[0][lane] = first + lane;
  wave.scalar[kernel.parametersAt] = uint32_t(group.parameters);
  wave.scalar[kernel.parametersAt + 1] = uint32_t(group.parameters >> 32);
  if (kernel.chip.generation >= 12) {
    wave.scalar[Ttmp + 9] = group.id[0];
    wave.scalar[Ttmp + 7] = group.id[1] | group.id[2] << 16;
  } else {
    for (uint32_t i = 0; i < kernel.groupParts; ++i)
      wave.scalar[kernel.groupAt + i] = group.id[i];
  }
}

static void runGroup(Group &group, std::vector<Wave> &waves) {
  while (group.fault.empty()) {
    bool waiting = false;
    for (Wave &wave : waves) {
      if (wave.state == Wave::State::Running)
        runWave(wave);
      waiting |= wave.state == Wave::State::AtBarrier;
    }
    if (!waiting)
      return;
    ++group.clock;
    for (Wave &wave : waves)
      if (wave.state == Wave::State::AtBarrier)
        wave.state = Wave::State::Running;
  }
}

std::string Kernel::run(const LaunchShape &shape) const {
  Group group;
  group.kernel = this;
  group.memory = shape.memory;
  group.local.resize(localBytes + shape.dynamicBytes);
  group.cellShift = uint32_t(std::countr_zero(cellBytes));
  group.cells.resize((group.local.size() >> group.cellShift) + 1);
  // Loads of parameters may be wider than what is left of them: there are whole lines of 64 bytes.
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> parameters(parameterBytes / 64 + 1);
  memcpy(parameters.data(), shape.parameters.data(),
         std::min<size_t>(parameterBytes, shape.parameters.size()));
  group.parameters = reinterpret_cast<uintptr_t>(parameters.data());
  group.parameterBytes = parameters.size() * sizeof(Line);
  uint32_t threadCount = shape.block[0] * shape.block[1] * shape.block[2];
  std::vector<Wave> waves((threadCount + chip.waveLanes - 1) / chip.waveLanes);
  for (size_t i = 0; i < waves.size(); ++i) {
    waves[i].id = uint32_t(i);
    waves[i].group = &group;
    waves[i].kernel = this;
    waves[i].scratch.resize(size_t(privateBytes) * lanes);
    memset(waves[i].vector, 0xee, sizeof(waves[i].vector));
  }
  for (group.id[2] = 0; group.id[2] < shape.grid[2]; ++group.id[2])
    for (group.id[1] = 0; group.id[1] < shape.grid[1]; ++group.id[1])
      for (group.id[0] = 0; group.id[0] < shape.grid[0]; ++group.id[0]) {
        group.began = ++group.clock;
        for (Wave &wave : waves)
          beginWave(group, wave, threadCount);
        runGroup(group, waves);
        if (!group.fault.empty())
          return group.fault;
      }
  return {};
}
