// The numbers of this machine, measured and kept.
#pragma once

#include "tw/Target/Host/Description.h"

#include <functional>
#include <map>

namespace tw::host::measure {

/// What was measured: numbers by the names of HostTraits, and the day ("2026-11-24").
struct Table {
  std::map<std::string, double> values;
  std::string date;
};

/// Times everything, in rounds that must agree, with `samples` of each loop in a round. Numbers
/// that do not settle, or that are more than a factor of two from those of `machine`, are left out;
/// `note` hears why. `machine` is that of this process, as table and system describe it. False with
/// `error` if nothing could be timed.
bool measureMachine(const Description &machine, unsigned samples, Table &table,
                    llvm::function_ref<void(const std::string &)> note, std::string &error);

/// Makes the folder that tables are kept in. False with `error` if there is none.
bool makeFolder(std::string &error);

/// Keeps the table for this machine, its model and the threads that this process sees, in the
/// folder of the cache, which there is. False with `error` if it cannot be written.
bool keepTable(const Table &table, std::string &error);

/// The table that was kept for this machine; false if there is none, or the file is damaged or of
/// another machine or release.
bool findTable(Table &table);

} // namespace tw::host::measure
