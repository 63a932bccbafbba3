// plant-faults FILE.ptx: runs two blocks of each kernel as it is, which nothing may be said
// against, and with each barrier taken out in turn, which must be found. Barriers of a block of one
// warp order its lanes alone, which the emulator does not judge. Buffers hold small numbers; exit
// status 1 if a report is missing or false.
#include "PTX/Launch.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace tw::emulator;

static constexpr size_t bufferBytes = 8 << 20;

static std::string run(const std::string &text, const std::string &name) {
  std::string error;
  std::unique_ptr<ptx::Program> program = ptx::parse(text, error);
  if (!program)
    return "error: " + error;
  ptx::Launch launch;
  launch.program = program.get();
  launch.kernel = program->kernels.at(name).get();
  Memory memory;
  launch.memory = &memory;
  std::vector<std::vector<float>> buffers;
  launch.parameters.resize(launch.kernel->parameterBytes);
  for (const ptx::Parameter &parameter : launch.kernel->parameters) {
    if (!parameter.pointer)
      continue;
    std::vector<float> &buffer = buffers.emplace_back(bufferBytes / 4);
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = float(i * 2654435761u >> 24) / 256;
    uint64_t address = reinterpret_cast<uintptr_t>(buffer.data());
    memory.add(address, bufferBytes);
    memory.markWritten(address, bufferBytes);
    memcpy(&launch.parameters[parameter.offset], &address, sizeof(address));
  }
  for (int i = 0; i < 3; ++i)
    launch.block[i] = launch.kernel->threads[i] ? launch.kernel->threads[i] : 1;
  launch.grid[0] = 2;
  // Local memory that comes with a launch: as much as sm_80 has.
  for (const ptx::Constant &constant : launch.kernel->constants)
    if (constant.dynamic)
      launch.dynamicBytes = 160 << 10;
  return ptx::run(launch).fault;
}

int main(int argc, char **argv) {
  std::ifstream file(argc == 2 ? argv[1] : "/dev/stdin");
  std::stringstream stream;
  stream << file.rdbuf();
  std::string text = stream.str(), error;
  std::unique_ptr<ptx::Program> program = ptx::parse(text, error);
  if (!program) {
    printf("%s\n", error.c_str());
    return 1;
  }
  bool good = true;
  for (const auto &[name, kernel] : program->kernels) {
    // The kernel's part of the text.
    size_t begin = text.find(".entry " + name + "("), end = text.find("\n}", begin);
    std::string plain = run(text, name);
    if (!plain.empty())
      printf("%s: false: %s\n", name.c_str(), plain.c_str());
    good &= plain.empty();
    if (kernel->threads[0] <= 32) {
      printf("%s: one warp\n", name.c_str());
      continue;
    }
    unsigned planted = 0, found = 0;
    for (size_t at = begin; (at = text.find("bar.sync", at)) < end; ++at) {
      ++planted;
      std::string without = text;
      size_t semicolon = text.find(';', at);
      std::fill(without.begin() + long(at), without.begin() + long(semicolon) + 1, ' ');
      std::string fault = run(without, name);
      found += !fault.empty();
      if (fault.empty())
        printf("%s: not found: barrier %u\n", name.c_str(), planted);
    }
    good &= found == planted;
    printf("%s: barriers %u, found %u\n", name.c_str(), planted, found);
  }
  return good ? 0 : 1;
}
