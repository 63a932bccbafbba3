// Groups one after the other; in a group each wave until it waits.
#include "../Driver/Report.h"
#include "Wave.h"

#include <algorithm>
#include <bit>
#include <chrono>
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

static bool overlap(const Registers &a, const Registers &b) {
  return a.vector == b.vector && a.first < b.first + b.count && b.first < a.first + a.count;
}

void tw::emulator::amdgcn::issue(Wave &wave, const Op &op, Counter counter, Registers registers) {
  uint64_t ticket = ++wave.issued[size_t(counter)];
  if (!registers.count)
    return;
  for (const Pending &load : wave.pending)
    if ((load.counter != counter || counter == Counter::Scalar) &&
        overlap(load.registers, registers))
      return fault(wave, op, "%c%u is loaded while another load into it has not been waited for",
                   registers.vector ? 'v' : 's', std::max(registers.first, load.registers.first));
  wave.pending.push_back({counter, ticket, registers});
}

/// Registers that a load has yet to fill may be neither read nor written.
static bool checkArrived(Wave &wave, const Op &op) {
  for (const Registers &touched : op.touched)
    for (const Pending &load : wave.pending)
      if (overlap(touched, load.registers)) {
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
    uint32_t lanes = uint32_t(std::popcount(wave.exec()));
    group.laneOperations += lanes;
    // A wave whose lanes are all off may go on for ever, too.
    if ((group.budget -= lanes ? lanes : kernel.chip.waveLanes) < 0)
      return fault(wave, op, "no end in sight after %lld operations of lanes",
                   (long long)group.wholeBudget);
    if (!wave.pending.empty() && !checkArrived(wave, op))
      return;
    ++group.operations;
    if (group.counters) {
      (*group.counters)[op.line].executions++;
      (*group.counters)[op.line].lanes += lanes;
    }
    op.run(wave, op);
  }
}

static void beginWave(Group &group, Wave &wave, uint32_t threads) {
  const Kernel &kernel = *group.kernel;
  uint32_t width = kernel.chip.waveLanes, first = wave.id * width;
  uint32_t count = std::min(width, threads - first);
  wave.alive = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  wave.pc = 0;
  wave.scc = wave.signalled = false;
  wave.state = Wave::State::Running;
  wave.pending.clear();
  std::fill(std::begin(wave.issued), std::end(wave.issued), 0);
  std::fill(std::begin(wave.arrived), std::end(wave.arrived), 0);
  wave.lastLocal = 0;
  std::fill(std::begin(wave.scalar), std::end(wave.scalar), 0xeeeeeeee);
  wave.scalar[Null] = wave.scalar[Null + 1] = 0;
  wave.setMask(Exec, wave.alive);
  // All chips here pack the thread's place in its group.
  for (uint32_t lane = 0; lane < width; ++lane) {
    uint32_t thread = first + lane, x = group.threads[0], y = group.threads[1];
    wave.vector[0][lane] = thread % x | thread / x % y << 10 | thread / x / y << 20;
  }
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

static void runGroups(const Kernel &kernel, const LaunchShape &shape, Group &group) {
  group.kernel = &kernel;
  group.memory = shape.memory;
  group.budget = group.wholeBudget = shape.budget;
  group.local.resize(kernel.localBytes + shape.dynamicBytes);
  group.cellShift = uint32_t(std::countr_zero(kernel.cellBytes));
  group.cells.resize((group.local.size() >> group.cellShift) + 1);
  // Loads of parameters may be wider than what is left of them: there are whole lines of 64 bytes.
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> parameters(kernel.parameterBytes / 64 + 1);
  memcpy(parameters.data(), shape.parameters.data(),
         std::min<size_t>(kernel.parameterBytes, shape.parameters.size()));
  group.parameters = reinterpret_cast<uintptr_t>(parameters.data());
  group.parameterBytes = parameters.size() * sizeof(Line);
  std::copy(shape.block, shape.block + 3, group.threads);
  uint32_t threadCount = shape.block[0] * shape.block[1] * shape.block[2];
  uint32_t width = kernel.chip.waveLanes;
  std::vector<Wave> waves((threadCount + width - 1) / width);
  for (size_t i = 0; i < waves.size(); ++i) {
    waves[i].id = uint32_t(i);
    waves[i].group = &group;
    waves[i].kernel = &kernel;
    waves[i].scratch.resize(size_t(kernel.privateBytes) * lanes);
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
          return;
      }
}

std::string Kernel::run(const LaunchShape &shape, std::vector<Counters> *counters) const {
  Group group;
  if (counters)
    counters->assign(ops.size(), {});
  group.counters = counters;
  Report &report = Report::instance();
  auto begin = std::chrono::steady_clock::now();
  runGroups(*this, shape, group);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (report.wanted())
    report.add(name, group.operations, group.laneOperations, seconds.count());
  return group.fault;
}

std::string Kernel::run(const LaunchShape &shape) const {
  Report &report = Report::instance();
  std::vector<Counters> counters;
  std::string found = run(shape, report.wanted() ? &counters : nullptr);
  for (size_t i = 0; i < counters.size(); ++i)
    if (counters[i].phases || counters[i].sectors)
      report.addLine(name, uint32_t(i), text[i], counters[i].executions > counters[0].executions,
                     counters[i]);
  return found;
}
