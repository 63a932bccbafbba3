// Brings a program's constants to its device: used in place where that is possible, else copied
// once into slabs that the device can bind.
#include "Program.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tw::runtime;
using namespace tw::format;

/// Slabs are not larger than this, unless one constant is.
static constexpr uint64_t slabGoal = 128u << 20;

namespace {

/// Where the bytes of a constant come from.
struct Source {
  enum Kind : uint8_t { Unused, InPlace, Splat, Misaligned, Section, File, Derived } kind = Unused;
  /// Calls read it; the others only the initializer does.
  bool stays = false;
  /// `slab` and `offset` are settled.
  bool placed = false;
  /// An earlier constant with the same bytes, whose place this one shares; or its own index.
  uint32_t first = 0;
  /// Of a copy.
  uint32_t slab = 0;
  uint64_t offset = 0;
};

struct ConstantLoader {
  TwrtProgram &program;
  TwrtError *error;
  const TwrtModule &module = *program.module;
  TwrtDevice &device = *program.device;
  const Allocator &allocator = module.instance->allocator;
  void *queue = nullptr;
  uint64_t point = 0;
  uint32_t sectionCount = uint32_t(module.container.sectionCount());
  uint32_t fileCount = uint32_t(twrtModuleFileCount(&module));
  uint32_t slabCount = 0;
  Array<Source> sources{allocator};
  /// By file: -1, or open for reading.
  Array<int> descriptors{allocator};
  /// By file: what the embedder supplies for it.
  Array<TwrtBytes> supplied{allocator};
  Array<uint8_t> piece{allocator};

  ~ConstantLoader() {
    if (queue)
      device.driver->queueDestroy(queue);
    for (int descriptor : descriptors)
      if (descriptor >= 0)
        close(descriptor);
  }

  const fb::Constant *constant(uint32_t index) { return module.root->constants()->Get(index); }
  OwnedMemory &sectionMemory(uint32_t section) { return program.memories[section]; }
  OwnedMemory &fileMemory(uint32_t file) { return program.memories[sectionCount + file]; }
  OwnedMemory &slabMemory(uint32_t slab) {
    return program.memories[sectionCount + fileCount + slab];
  }

  TwrtCode load();
  TwrtCode findBound(const fb::Program *commands, bool stay);
  TwrtCode find(uint32_t index);
  TwrtCode findEmbedded(const fb::Constant *constant, Source &source, ConstantPlace &place);
  TwrtCode findExternal(const fb::Constant *constant, Source &source, ConstantPlace &place);
  uint64_t alignmentOf(const fb::Constant *constant);
  bool sharesBytes(uint32_t index, uint32_t other);
  TwrtCode placeCopies(bool stay);
  TwrtCode listMappedSources();
  TwrtCode copy(uint32_t index);
  TwrtCode fillSplat(const fb::Constant *constant, const PlanRange &to);
  TwrtCode copyFromFile(const fb::Constant *constant, const PlanRange &to);
  TwrtCode checkDigest(const fb::Constant *constant, const Digest &found);
};

} // namespace

uint64_t ConstantLoader::alignmentOf(const fb::Constant *constant) {
  return std::max<uint64_t>(constant->alignment(),
                            elementBytes(ElementType(constant->type()->element())));
}

/// Constants of a section are used where the module's bytes are, if the device can.
TwrtCode ConstantLoader::findEmbedded(const fb::Constant *constant, Source &source,
                                      ConstantPlace &place) {
  uint32_t section = constant->section();
  OwnedMemory &owned = sectionMemory(section);
  source.kind = Source::Section;
  tw::format::Error reason;
  if (!owned.memory.handle) {
    if (!module.container.checkDigest(section, reason))
      return failModule(error, module.path.c_str(), reason);
    std::span<const uint8_t> bytes = module.container.sectionBytes(section);
    TwrtCode code = device.driver->importMemory(device.handle, const_cast<uint8_t *>(bytes.data()),
                                                bytes.size(), &owned.memory, error);
    if (code != TWRT_OK)
      return code == TWRT_UNSUPPORTED ? TWRT_OK : code;
  }
  source.kind = Source::InPlace;
  place = {&owned.memory, constant->offset(), constant->length()};
  return TWRT_OK;
}

/// So are those of a file, unless it may change.
TwrtCode ConstantLoader::findExternal(const fb::Constant *constant, Source &source,
                                      ConstantPlace &place) {
  uint32_t index = constant->file();
  OwnedMemory &owned = fileMemory(index);
  source.kind = Source::File;
  if (module.findWeights && !supplied[index].data) {
    TWRT_TRY(findWeights(module, index, &supplied[index], error));
    void *data = const_cast<void *>(supplied[index].data);
    TwrtCode code = device.driver->importMemory(device.handle, data, supplied[index].size,
                                                &owned.memory, error);
    if (code != TWRT_OK && code != TWRT_UNSUPPORTED)
      return code;
  } else if (!module.findWeights && descriptors[index] < 0 && program.mappedFiles[index] < 0) {
    TWRT_TRY(openWeights(module, index, &descriptors[index], error));
    if (!(module.flags & TWRT_MODULE_COPY_WEIGHTS)) {
      uint64_t length = module.root->files()->Get(index)->length();
      TwrtCode code = device.driver->mapFile(device.handle, descriptors[index], 0, length,
                                             &owned.memory, error);
      if (code != TWRT_OK && code != TWRT_UNSUPPORTED)
        return code;
      if (code == TWRT_OK)
        program.mappedFiles[index] = std::exchange(descriptors[index], -1);
    }
  }
  if (!owned.memory.handle)
    return TWRT_OK;
  source.kind = Source::InPlace;
  place = {&owned.memory, constant->offset(), constant->length()};
  if (!constant->digest() || !owned.memory.host || !(module.flags & TWRT_MODULE_CHECK_WEIGHTS))
    return TWRT_OK;
  const uint8_t *bytes = static_cast<const uint8_t *>(owned.memory.host) + place.offset;
  return checkDigest(constant, computeDigest({bytes, place.bytes}));
}

TwrtCode ConstantLoader::checkDigest(const fb::Constant *constant, const Digest &found) {
  if (std::equal(found.begin(), found.end(), constant->digest()->begin()))
    return TWRT_OK;
  return fail(error, TWRT_IO_ERROR, "constant '%.80s' in %.200s does not match its digest",
              constant->name()->c_str(),
              module.root->files()->Get(constant->file())->path()->c_str());
}

/// Where the bytes are; what cannot be used there is copied later.
TwrtCode ConstantLoader::find(uint32_t index) {
  const fb::Constant *found = constant(index);
  Source &source = sources[index];
  ConstantPlace &place = program.constants[index];
  source.first = index;
  switch (Storage(found->storage())) {
  case Storage::Splat:
    source.kind = Source::Splat;
    return TWRT_OK;
  case Storage::Derived:
    source.kind = Source::Derived;
    program.derivedBytes += found->length();
    return TWRT_OK;
  case Storage::Embedded:
    TWRT_TRY(findEmbedded(found, source, place));
    break;
  case Storage::External:
    TWRT_TRY(findExternal(found, source, place));
    break;
  }
  // Files give data any alignment.
  if (source.kind == Source::InPlace &&
      !isAligned(device, *place.memory, place.offset, alignmentOf(found)))
    source.kind = Source::Misaligned;
  return TWRT_OK;
}

bool ConstantLoader::sharesBytes(uint32_t index, uint32_t other) {
  const fb::Constant *a = constant(index), *b = constant(other);
  return sources[other].placed && sources[other].kind == sources[index].kind &&
         sources[other].first == other && a->offset() == b->offset() &&
         a->length() == b->length() && a->section() == b->section() && a->file() == b->file() &&
         alignmentOf(a) <= alignmentOf(b);
}

/// Lays the copies, those that stay or the others, one after the other into slabs of their own, and
/// gets those.
TwrtCode ConstantLoader::placeCopies(bool stay) {
  uint64_t most = std::min(device.info.maxSlabBytes, slabGoal), used = 0;
  Array<uint64_t> slabs(allocator);
  if (!slabs.reset(sources.size()))
    return failMemory(error, "a program's constants");
  uint32_t count = 0;
  for (uint32_t i = 0; i < sources.size(); ++i) {
    Source &source = sources[i];
    if (source.kind == Source::Unused || source.kind == Source::InPlace || source.stays != stay)
      continue;
    bool mayShare = source.kind != Source::Splat && source.kind != Source::Derived;
    for (uint32_t j = 0; j < sources.size() && mayShare && source.first == i; ++j)
      if (sharesBytes(i, j))
        source.first = j;
    if (source.first != i)
      continue;
    source.placed = true;
    uint64_t bytes = constant(i)->length();
    uint64_t alignment =
        std::max({alignmentOf(constant(i)), uint64_t(device.info.offsetAlignment), uint64_t(64)});
    uint64_t start = (used + alignment - 1) / alignment * alignment;
    if (count == 0 || !rangeWithin(start, bytes, most)) {
      start = 0;
      ++count;
    }
    source.slab = slabCount + count - 1;
    source.offset = start;
    slabs[count - 1] = used = start + bytes;
  }
  for (uint32_t s = 0; s < count; ++s, ++slabCount) {
    OwnedMemory &slab = slabMemory(slabCount);
    slab.counted = true;
    TWRT_TRY(
        allocateMemory(device, slabs[s], "constants", &slab.memory, error, MemoryUse::FilledOnce));
  }
  return TWRT_OK;
}

TwrtCode ConstantLoader::fillSplat(const fb::Constant *constant, const PlanRange &to) {
  uint32_t width = constant->splat()->size();
  uint8_t pattern[16] = {};
  std::copy(constant->splat()->begin(), constant->splat()->end(), pattern);
  int64_t low, high;
  memcpy(&low, pattern, sizeof(low));
  memcpy(&high, pattern + 8, sizeof(high));
  if (width == 16 && low != high)
    return fail(error, TWRT_UNSUPPORTED, "constant '%.80s' repeats 16 bytes of two kinds",
                constant->name()->c_str());
  return device.driver->fill(queue, to, low, std::min(width, 8u), &point, error);
}

TwrtCode ConstantLoader::copyFromFile(const fb::Constant *constant, const PlanRange &to) {
  constexpr uint64_t pieceBytes = 4u << 20;
  if (piece.empty() && !piece.reset(pieceBytes))
    return failMemory(error, "weights");
  bool check = constant->digest() && module.flags & TWRT_MODULE_CHECK_WEIGHTS;
  DigestStream digest;
  for (uint64_t done = 0; done < to.bytes;) {
    ssize_t got = pread(descriptors[constant->file()], piece.data(),
                        std::min(pieceBytes, to.bytes - done), off_t(constant->offset() + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return failSystem(error, "pread", got < 0 ? errno : EIO, "cannot read weights %.200s",
                        module.root->files()->Get(constant->file())->path()->c_str());
    if (check)
      digest.add({piece.data(), size_t(got)});
    TWRT_TRY(device.driver->write(queue, {to.memory, to.offset + done, uint64_t(got)}, piece.data(),
                                  &point, error));
    TWRT_TRY(device.driver->pointWait(queue, point, waitForever, error));
    done += uint64_t(got);
  }
  return check ? checkDigest(constant, digest.finish()) : TWRT_OK;
}

/// Fills the place of a copy, which becomes the constant's.
TwrtCode ConstantLoader::copy(uint32_t index) {
  const Source &source = sources[index], &first = sources[source.first];
  const fb::Constant *from = constant(index);
  ConstantPlace &place = program.constants[index];
  const DriverMemory *slab = &slabMemory(first.slab).memory;
  PlanRange to = {slab, first.offset, from->length()};
  TwrtCode code = TWRT_OK;
  if (source.first == index)
    switch (source.kind) {
    case Source::Unused:
    case Source::InPlace:
    case Source::Derived:
      break;
    case Source::Splat:
      code = fillSplat(from, to);
      break;
    case Source::Misaligned:
      code =
          device.driver->copy(queue, to, {place.memory, place.offset, place.bytes}, &point, error);
      break;
    case Source::Section:
      code = device.driver->write(
          queue, to, module.container.sectionBytes(from->section()).data() + from->offset(), &point,
          error);
      break;
    case Source::File:
      code = module.findWeights
                 ? device.driver->write(queue, to,
                                        static_cast<const uint8_t *>(supplied[from->file()].data) +
                                            from->offset(),
                                        &point, error)
                 : copyFromFile(from, to);
      break;
    }
  place = {slab, first.offset, from->length()};
  return code;
}

/// Looks for the constants that commands bind.
TwrtCode ConstantLoader::findBound(const fb::Program *commands, bool stay) {
  for (const fb::Command *command : *commands->code()) {
    if (command->opcode() != uint16_t(Opcode::Bind))
      continue;
    const uint32_t *operands = commands->operands()->data() + command->first();
    if (BindKind(operands[0]) != BindKind::Constant)
      continue;
    Source &source = sources[operands[1]];
    if (source.kind == Source::Unused)
      TWRT_TRY(find(operands[1]));
    source.stays |= stay;
  }
  return TWRT_OK;
}

TwrtCode ConstantLoader::listMappedSources() {
  auto isMapped = [](const Source &source) {
    return source.kind == Source::InPlace && !source.stays;
  };
  if (!program.mappedSources.reset(size_t(std::count_if(sources.begin(), sources.end(), isMapped))))
    return failMemory(error, "a program's constants");
  for (uint32_t i = 0, next = 0; i < sources.size(); ++i)
    if (isMapped(sources[i]))
      program.mappedSources[next++] = i;
  return TWRT_OK;
}

TwrtCode ConstantLoader::load() {
  uint32_t count = module.root->constants() ? module.root->constants()->size() : 0;
  // What is open is closed whatever fails.
  auto resetFiles = [&](Array<int> &files) {
    bool isThere = files.reset(fileCount);
    std::fill(files.begin(), files.end(), -1);
    return isThere;
  };
  if (!resetFiles(descriptors) || !resetFiles(program.mappedFiles) ||
      !program.constants.reset(count) || !sources.reset(count) || !supplied.reset(fileCount) ||
      !program.memories.reset(sectionCount + fileCount + count))
    return failMemory(error, "a program's constants");
  if (count)
    TWRT_TRY(device.driver->queueCreate(device.handle, &queue, error));
  TWRT_TRY(findBound(program.program, true));
  if (program.program->initializer())
    TWRT_TRY(findBound(program.program->initializer(), false));
  TWRT_TRY(placeCopies(true));
  uint32_t staying = slabCount;
  TWRT_TRY(placeCopies(false));
  program.firstSource = sectionCount + fileCount + staying;
  program.sourceCount = slabCount - staying;
  for (uint32_t s = staying; s < slabCount; ++s)
    program.sourceBytes += slabMemory(s).memory.bytes;
  TWRT_TRY(listMappedSources());
  for (uint32_t i = 0; i < count; ++i)
    if (sources[i].kind != Source::Unused && sources[i].kind != Source::InPlace)
      TWRT_TRY(copy(i));
  return point ? device.driver->pointWait(queue, point, waitForever, error) : TWRT_OK;
}

void tw::runtime::freeSources(TwrtProgram &program) {
  for (size_t i = 0; i < program.sourceCount; ++i) {
    OwnedMemory &owned = program.memories[program.firstSource + i];
    freeMemory(*program.device, &owned.memory, owned.counted);
  }
  const TwrtDevice &device = *program.device;
  for (uint32_t index : program.mappedSources)
    if (const ConstantPlace &place = program.constants[index]; device.driver->dropPages)
      device.driver->dropPages(device.handle, {place.memory, place.offset, place.bytes});
}

static TwrtCode checkLength(int file, uint64_t length, const char *what, const char *path,
                            TwrtError *error) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return failSystem(error, "fstat", errno, "cannot look at %s %.200s", what, path);
  if (uint64_t(status.st_size) >= length)
    return TWRT_OK;
  return fail(error, TWRT_IO_ERROR,
              "%s %.200s: expected %" PRIu64 " bytes, found %" PRIu64
              ": the file has shrunk since it was mapped; put others in the place of files that "
              "are in use",
              what, path, length, uint64_t(status.st_size));
}

TwrtCode tw::runtime::checkMappedFiles(const TwrtProgram &program, TwrtError *error) {
  const TwrtModule &module = *program.module;
  if (module.mapping)
    TWRT_TRY(checkLength(module.file, module.mappedBytes, "module", module.path.c_str(), error));
  for (uint32_t i = 0; i < program.mappedFiles.size(); ++i)
    if (program.mappedFiles[i] >= 0) {
      const fb::File *file = module.root->files()->Get(i);
      TWRT_TRY(checkLength(program.mappedFiles[i], file->length(), "weights", file->path()->c_str(),
                           error));
    }
  return TWRT_OK;
}

TwrtCode tw::runtime::loadConstants(TwrtProgram &program, TwrtError *error) {
  return ConstantLoader{program, error}.load();
}
