// PTX texts as images of a driver library, whose launches are counted on demand.
#include "Image.h"

#include "../Driver/Report.h"
#include "Launch.h"

#include <algorithm>
#include <chrono>

using namespace tw::emulator;
using namespace tw::emulator::ptx;

namespace {

class Code final : public KernelCode {
public:
  Code(const Program &program, const ptx::Kernel &kernel) : program(program), kernel(kernel) {
    name = kernel.name;
    for (const Parameter &parameter : kernel.parameters)
      slots.push_back({parameter.offset, parameter.bytes, parameter.pointer});
    parameterBytes = kernel.parameterBytes;
    std::copy(kernel.threads, kernel.threads + 3, threads);
    maxThreads = kernel.maxThreads;
  }
  std::string run(const LaunchShape &shape) const override;

private:
  const Program &program;
  const ptx::Kernel &kernel;
};

class Image final : public CodeImage {
public:
  explicit Image(std::unique_ptr<Program> parsed) : program(std::move(parsed)) {
    for (const auto &[name, kernel] : program->kernels)
      codes.emplace(name, Code(*program, *kernel));
  }
  const KernelCode *find(const std::string &name) const override {
    auto found = codes.find(name);
    return found == codes.end() ? nullptr : &found->second;
  }

private:
  std::unique_ptr<Program> program;
  std::map<std::string, Code> codes;
};

} // namespace

std::string Code::run(const LaunchShape &shape) const {
  Launch launch;
  launch.program = &program;
  launch.kernel = &kernel;
  std::copy(shape.grid, shape.grid + 3, launch.grid);
  std::copy(shape.block, shape.block + 3, launch.block);
  launch.dynamicBytes = shape.dynamicBytes;
  launch.parameters = shape.parameters;
  launch.memory = shape.memory;
  launch.budget = shape.budget;
  std::vector<Counters> counters;
  Report &report = Report::instance();
  if (report.wanted()) {
    counters.resize(kernel.ops.size());
    launch.counters = &counters;
  }
  auto begin = std::chrono::steady_clock::now();
  Outcome outcome = ptx::run(launch);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (report.wanted()) {
    report.add(name, outcome.operations, outcome.laneOperations, seconds.count());
    for (size_t i = 0; i < counters.size(); ++i)
      if (uint32_t line = kernel.ops[i].line; counters[i].phases || counters[i].sectors)
        report.addLine(name, line, program.line(line),
                       counters[i].executions > counters[0].executions, counters[i]);
  }
  return outcome.fault;
}

std::shared_ptr<const CodeImage> tw::emulator::ptx::makeImage(std::string_view text,
                                                              std::string &error) {
  std::unique_ptr<Program> program = parse(text, error);
  return program ? std::make_shared<Image>(std::move(program)) : nullptr;
}
