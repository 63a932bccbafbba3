// What this CPU can do, by the names LLVM gives to features.
#pragma once

namespace tw::runtime::host {

/// Names separated by spaces, with the levels "x86-64", "x86-64-v2" ... that they make up. Only
/// what the operating system enables counts. On AArch64 "aarch64" and what Linux reports. Found
/// once.
const char *cpuFeatures();

/// The CPU's own name, such as "AMD EPYC 9B14". Found once.
const char *cpuName();

} // namespace tw::runtime::host
