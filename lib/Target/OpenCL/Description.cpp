// What the compiler assumes of an OpenCL device: little more than every full-profile device has.
#include "tw/Target/OpenCL/Description.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

/// A warp is a number here: OpenCL C 1.2 has no exchange between the work-items of a subgroup. The
/// memory is the least that the full profile asks for (OpenCL 1.2, table 4.3).
tw::GpuTraits tw::opencl::getTraits() {
  return {
      .subgroup = 32, .shuffles = false, .vectorBytes = 16, .localBytes = 32768, .maxThreads = 256};
}

std::string tw::opencl::describe() {
  GpuTraits traits = getTraits();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("target", "opencl");
    json.attribute("version", "OpenCL C 1.2");
    json.attribute("subgroup", traits.subgroup);
    json.attribute("vectorBytes", traits.vectorBytes);
    json.attribute("localBytes", traits.localBytes);
    json.attribute("maxThreads", traits.maxThreads);
  });
  return text;
}
