// A program: one function of a module on a device, with its code loaded and its constants in place.
#pragma once

#include "Device.h"
#include "Module.h"

namespace tw::runtime {

/// Memory that a program keeps alive: a mapped section or file, or a copy.
struct OwnedMemory {
  DriverMemory memory;
  bool counted = false;
};

/// Where a constant lies.
struct ConstantPlace {
  const DriverMemory *memory = nullptr;
  uint64_t offset = 0, bytes = 0;
};

/// The variant of a kernel that was picked; NULL if the program does not launch the kernel.
struct LoadedKernel {
  const format::fb::Variant *variant = nullptr;
  void *executable = nullptr;
  uint64_t entry = 0;
};

/// What a call sets as argument or result.
struct BoundTensor {
  TwrtBuffer *buffer = nullptr;
  uint64_t offset = 0;
};

} // namespace tw::runtime

struct TwrtProgram {
  tw::runtime::References references;
  TwrtModule *module;
  TwrtDevice *device;
  const tw::format::fb::Function *function = nullptr;
  const tw::format::fb::Program *program = nullptr;
  /// By section of the container; NULL where nothing is loaded.
  tw::runtime::Array<void *> executables;
  tw::runtime::Array<tw::runtime::LoadedKernel> kernels;
  tw::runtime::Array<tw::runtime::ConstantPlace> constants;
  /// Sections, then files, then the slabs of constants that needed a copy or are derived.
  tw::runtime::Array<tw::runtime::OwnedMemory> memories;
  /// Of `memories`, the slabs of constants that the initializer alone reads: gone once it has run.
  size_t firstSource = 0, sourceCount = 0;
  /// Constants that it alone reads where they are.
  tw::runtime::Array<uint32_t> mappedSources;
  /// By file of weights: the descriptor of one that is mapped, or -1.
  tw::runtime::Array<int> mappedFiles;
  uint64_t derivedBytes = 0, sourceBytes = 0;
  /// Set when the initializer has run; from the start if there is none. What it wrote is read by
  /// calls without locks.
  std::atomic<bool> isInitialized{false};
  /// Held while it runs.
  std::mutex initializerMutex;
  /// Launches, arena and time; valid once `isInitialized`.
  TwrtInitialization initialization = {};

  TwrtProgram(TwrtModule *module, TwrtDevice *device);
  ~TwrtProgram();
};

namespace tw::runtime {

/// Picks a variant of each kernel that the program launches and loads their images.
TwrtCode loadKernels(TwrtProgram &program, TwrtError *error);

/// Brings the constants that the program uses to its device, and gets memory for derived ones.
TwrtCode loadConstants(TwrtProgram &program, TwrtError *error);

/// Whether the files that constants are read from in place are as long as when they were mapped:
/// the system ends a process that reads behind the end.
TwrtCode checkMappedFiles(const TwrtProgram &program, TwrtError *error);

/// Frees the copies that only the initializer reads, and the pages of what it reads in place.
void freeSources(TwrtProgram &program);

/// Runs the initializer, if there is one and it has not run; waits if another thread runs it.
TwrtCode initialize(TwrtProgram &program, TwrtLaunchHook hook, void *user, TwrtError *error);

/// Bytes of a tensor type; what does not overflow and is static, as the verifier has seen to.
uint64_t typeBytes(const format::fb::TensorType *type);

} // namespace tw::runtime
