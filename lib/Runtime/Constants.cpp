// Brings a program's constants to its device: mapped where that is possible, else copied once.
#include "Program.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::format;

namespace {

struct ConstantLoader {
  TwrtProgram &program;
  TwrtError *error;
  const TwrtModule &module = *program.module;
  TwrtDevice &device = *program.device;
  void *queue = nullptr;

  ~ConstantLoader() {
    if (queue)
      device.driver->queueDestroy(queue);
  }

  OwnedMemory &sectionMemory(uint32_t section) { return program.memories[section]; }
  OwnedMemory &fileMemory(uint32_t file) {
    return program.memories[module.container.sectionCount() + file];
  }
  OwnedMemory &ownMemory(uint32_t constant) {
    return program
        .memories[module.container.sectionCount() + twrtModuleFileCount(&module) + constant];
  }

  TwrtCode load();
  TwrtCode loadOne(uint32_t index);
  TwrtCode mapSection(uint32_t section);
  TwrtCode mapWeights(uint32_t file);
  TwrtCode copyWeights(int descriptor, const fb::File *file, OwnedMemory &owned);
  TwrtCode splat(uint32_t index);
  TwrtCode checkDigest(const fb::Constant *constant, const ConstantPlace &place);
  TwrtCode copyAligned(uint32_t index);
};

} // namespace

/// Constants of a section are used where the module's bytes are; a device that cannot gets a copy.
TwrtCode ConstantLoader::mapSection(uint32_t section) {
  OwnedMemory &owned = sectionMemory(section);
  if (owned.memory.handle)
    return TWRT_OK;
  tw::format::Error reason;
  if (!module.container.checkDigest(section, reason))
    return failModule(error, module.path.c_str(), reason);
  std::span<const uint8_t> bytes = module.container.sectionBytes(section);
  TwrtCode code = device.driver->importMemory(device.handle, const_cast<uint8_t *>(bytes.data()),
                                              bytes.size(), &owned.memory, error);
  if (code != TWRT_UNSUPPORTED)
    return code;
  owned.counted = true;
  TWRT_TRY(allocateMemory(device, bytes.size(), "constants", &owned.memory, error));
  uint64_t point = 0;
  TWRT_TRY(
      device.driver->write(queue, {&owned.memory, 0, bytes.size()}, bytes.data(), &point, error));
  return device.driver->pointWait(queue, point, waitForever, error);
}

TwrtCode ConstantLoader::copyWeights(int descriptor, const fb::File *file, OwnedMemory &owned) {
  owned.counted = true;
  TWRT_TRY(allocateMemory(device, file->length(), "weights", &owned.memory, error));
  Array<uint8_t> piece(module.instance->allocator);
  if (!piece.reset(std::min<uint64_t>(file->length(), 1u << 20)))
    return failMemory(error, "weights");
  for (uint64_t done = 0; done < file->length();) {
    ssize_t got = pread(descriptor, piece.data(), piece.size(), off_t(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return failSystem(error, "pread", got < 0 ? errno : EIO, "cannot read weights %.200s",
                        file->path()->c_str());
    uint64_t bytes = std::min<uint64_t>(uint64_t(got), file->length() - done), point = 0;
    TWRT_TRY(
        device.driver->write(queue, {&owned.memory, done, bytes}, piece.data(), &point, error));
    TWRT_TRY(device.driver->pointWait(queue, point, waitForever, error));
    done += bytes;
  }
  return TWRT_OK;
}

TwrtCode ConstantLoader::mapWeights(uint32_t index) {
  OwnedMemory &owned = fileMemory(index);
  if (owned.memory.handle)
    return TWRT_OK;
  const fb::File *file = module.root->files()->Get(index);
  int descriptor = -1;
  TWRT_TRY(openWeights(module, index, &descriptor, error));
  TwrtCode code = TWRT_UNSUPPORTED;
  if (!(module.flags & TWRT_MODULE_COPY_WEIGHTS))
    code =
        device.driver->mapFile(device.handle, descriptor, 0, file->length(), &owned.memory, error);
  if (code == TWRT_UNSUPPORTED)
    code = copyWeights(descriptor, file, owned);
  close(descriptor);
  return code;
}

TwrtCode ConstantLoader::splat(uint32_t index) {
  const fb::Constant *constant = module.root->constants()->Get(index);
  OwnedMemory &owned = ownMemory(index);
  owned.counted = true;
  TWRT_TRY(allocateMemory(device, constant->length(), "a constant", &owned.memory, error));
  uint32_t width = constant->splat()->size();
  uint8_t pattern[16] = {};
  std::copy(constant->splat()->begin(), constant->splat()->end(), pattern);
  int64_t low, high;
  memcpy(&low, pattern, sizeof(low));
  memcpy(&high, pattern + 8, sizeof(high));
  if (width == 16 && low != high)
    return fail(error, TWRT_UNSUPPORTED, "constant '%.80s' repeats 16 bytes of two kinds",
                constant->name()->c_str());
  uint64_t point = 0;
  TWRT_TRY(device.driver->fill(queue, {&owned.memory, 0, constant->length()}, low,
                               std::min(width, 8u), &point, error));
  return device.driver->pointWait(queue, point, waitForever, error);
}

TwrtCode ConstantLoader::checkDigest(const fb::Constant *constant, const ConstantPlace &place) {
  if (!constant->digest() || !place.memory->host || !(module.flags & TWRT_MODULE_CHECK_WEIGHTS))
    return TWRT_OK;
  Digest found =
      computeDigest({static_cast<const uint8_t *>(place.memory->host) + place.offset, place.bytes});
  if (!std::equal(found.begin(), found.end(), constant->digest()->begin()))
    return fail(error, TWRT_IO_ERROR, "constant '%.80s' in %.200s does not match its digest",
                constant->name()->c_str(),
                Storage(constant->storage()) == Storage::External
                    ? module.root->files()->Get(constant->file())->path()->c_str()
                    : "the module");
  return TWRT_OK;
}

/// Files give data any alignment; where kernels need more, it is copied once.
TwrtCode ConstantLoader::copyAligned(uint32_t index) {
  const fb::Constant *constant = module.root->constants()->Get(index);
  ConstantPlace &place = program.constants[index];
  uint64_t start = place.offset;
  if (place.memory->host)
    start += reinterpret_cast<uintptr_t>(place.memory->host);
  uint64_t needed = std::max<uint64_t>(constant->alignment(),
                                       elementBytes(ElementType(constant->type()->element())));
  if (start % needed == 0)
    return TWRT_OK;
  OwnedMemory &owned = ownMemory(index);
  owned.counted = true;
  TWRT_TRY(allocateMemory(device, place.bytes, "a constant", &owned.memory, error));
  uint64_t point = 0;
  TWRT_TRY(device.driver->copy(queue, {&owned.memory, 0, place.bytes},
                               {place.memory, place.offset, place.bytes}, &point, error));
  TWRT_TRY(device.driver->pointWait(queue, point, waitForever, error));
  place = {&owned.memory, 0, place.bytes};
  return TWRT_OK;
}

TwrtCode ConstantLoader::loadOne(uint32_t index) {
  const fb::Constant *constant = module.root->constants()->Get(index);
  ConstantPlace &place = program.constants[index];
  switch (Storage(constant->storage())) {
  case Storage::Embedded:
    TWRT_TRY(mapSection(constant->section()));
    place = {&sectionMemory(constant->section()).memory, constant->offset(), constant->length()};
    break;
  case Storage::External:
    TWRT_TRY(mapWeights(constant->file()));
    place = {&fileMemory(constant->file()).memory, constant->offset(), constant->length()};
    TWRT_TRY(checkDigest(constant, place));
    break;
  case Storage::Splat:
    TWRT_TRY(splat(index));
    place = {&ownMemory(index).memory, 0, constant->length()};
    return TWRT_OK;
  }
  return copyAligned(index);
}

TwrtCode ConstantLoader::load() {
  uint32_t count = module.root->constants() ? module.root->constants()->size() : 0;
  if (!program.constants.reset(count) ||
      !program.memories.reset(module.container.sectionCount() + twrtModuleFileCount(&module) +
                              count))
    return failMemory(error, "a program's constants");
  if (count)
    TWRT_TRY(device.driver->queueCreate(device.handle, &queue, error));
  for (const fb::Command *command : *program.program->code()) {
    if (command->opcode() != uint16_t(Opcode::Bind))
      continue;
    const uint32_t *operands = program.program->operands()->data() + command->first();
    if (BindKind(operands[0]) == BindKind::Constant && !program.constants[operands[1]].memory)
      TWRT_TRY(loadOne(operands[1]));
  }
  return TWRT_OK;
}

TwrtCode tw::runtime::loadConstants(TwrtProgram &program, TwrtError *error) {
  return ConstantLoader{program, error}.load();
}
