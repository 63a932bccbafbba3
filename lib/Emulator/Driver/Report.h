// What kernels did, counted: bank conflicts, sectors, speed. On demand, as counting takes time.
#pragma once

#include "../PTX/Launch.h"

namespace tw::emulator {

/// Collects launches and writes a table when the process ends, to the file that TW_EMULATOR_REPORT
/// names.
class Report {
public:
  static Report &instance();
  bool wanted() const { return path != nullptr; }
  void add(const ptx::Program &program, const ptx::Kernel &kernel, const ptx::Outcome &outcome,
           const std::vector<ptx::Counters> &counters, double seconds);
  ~Report();

private:
  Report();
  struct Line {
    uint32_t number;
    std::string text;
    ptx::Counters counters;
  };
  struct Kernel {
    uint64_t launches = 0, operations = 0, laneOperations = 0;
    double seconds = 0;
    std::map<uint32_t, Line> lines;
  };
  const char *path;
  std::map<std::string, Kernel> kernels;
};

} // namespace tw::emulator
