// What this CPU can do, by the names LLVM gives to features.
#pragma once

namespace tw::runtime::host {

/// Names separated by spaces, with levels that they make up ("x86-64-v3") or a name that all of an
/// instruction set have ("aarch64"). Only what the operating system enables counts. Found once.
const char *cpuFeatures();

/// The CPU's own name, such as "AMD EPYC 9B14". Found once.
const char *cpuName();

} // namespace tw::runtime::host
