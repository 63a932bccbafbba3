// The table of CPUs: rates, latencies and caches by name.
#pragma once

#include "tw/Target/Host/Description.h"

namespace tw::host {

/// Names of the CPUs in the table, for messages.
llvm::SmallVector<llvm::StringRef> getKnownCpus();

/// The numbers of `description.llvmCpu` for vectors of `vectorBytes`, `registers` of them; those of
/// a careful CPU of its level where the table lacks it. Features are not looked at.
schedule::HostTraits getTableTraits(const Description &description, int64_t vectorBytes,
                                    int64_t registers);

/// Replaces caches by those of this machine, where it tells them.
void readNativeCaches(schedule::HostTraits &traits);

/// Resolves a CPU that is not a file. `only`, where it is not null, are the checked features that
/// the CPU has, less than LLVM says.
bool describeNamedCpu(llvm::StringRef cpu, const std::vector<std::string> *only,
                      Description &description, std::string &error);

/// The part of describeCpu for "@path".
bool describeFile(llvm::StringRef path, Description &description, std::string &error);

} // namespace tw::host
