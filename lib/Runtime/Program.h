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
  /// Sections, then files, then one for each constant that needed a copy.
  tw::runtime::Array<tw::runtime::OwnedMemory> memories;

  TwrtProgram(TwrtModule *module, TwrtDevice *device);
  ~TwrtProgram();
};

namespace tw::runtime {

/// Picks a variant of each kernel that the program launches and loads their images.
TwrtCode loadKernels(TwrtProgram &program, TwrtError *error);

/// Brings the constants that the program uses to its device.
TwrtCode loadConstants(TwrtProgram &program, TwrtError *error);

/// Bytes of a tensor type; what does not overflow and is static, as the verifier has seen to.
uint64_t typeBytes(const format::fb::TensorType *type);

} // namespace tw::runtime
