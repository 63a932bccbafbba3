// Code of the host in executable memory, and its launches in guarded memory.
#pragma once

#include "Lower.h"

#include "tw/Format/HostAbi.h"

namespace tw::fuzz {

/// The image of a batch in executable memory.
class Loaded {
public:
  explicit Loaded(const Artefact &artefact);
  ~Loaded();
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;

  TwrtHostKernel *kernel(size_t index) const {
    return reinterpret_cast<TwrtHostKernel *>(base + artefact.entries[index].offset);
  }
  const ArtefactEntry &entry(size_t index) const { return artefact.entries[index]; }

private:
  const Artefact &artefact;
  size_t size;
  uint8_t *base;
};

/// Runs the kernels of a schedule, from entry `first` on, in guarded memory. Says what they did
/// that they must not; nothing if all is well.
std::string run(const Call &call, const Loaded &loaded, size_t first, mlir::ArrayRef<Step> steps,
                std::vector<interp::Tensor> &results, Random &random);

/// For a handler of signals: goes on after the launch that caused the signal, whose trial is then
/// wrong. Returns, false, when no code under test runs.
bool recoverFrom(int signal);

} // namespace tw::fuzz
