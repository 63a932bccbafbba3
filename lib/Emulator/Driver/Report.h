// What kernels did, counted: bank conflicts, sectors, speed. On demand, as counting takes time.
#pragma once

#include "../Common/Counters.h"

#include <map>
#include <string>
#include <string_view>

namespace tw::emulator {

/// Collects launches and writes a table when the process ends, to the file that TW_EMULATOR_REPORT
/// names.
class Report {
public:
  static Report &instance();
  bool wanted() const { return path != nullptr; }
  /// A launch of `kernel`.
  void add(const std::string &kernel, uint64_t operations, uint64_t laneOperations, double seconds);
  /// What the line `number` of its code did in that launch; `again`: it is in a loop.
  void addLine(const std::string &kernel, uint32_t number, std::string_view text, bool again,
               const Counters &counters);
  ~Report();

private:
  Report();
  struct Line {
    std::string text;
    bool again = false;
    Counters counters;
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
