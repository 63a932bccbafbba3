// Opens the files that weights lie in.
#include "Module.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/OpenBeneath.h"

#include <algorithm>
#include <cinttypes>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::format;

static TwrtCode checkIdentity(const fb::File *file, const char *path, int descriptor,
                              const Allocator &allocator, TwrtError *error) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return failSystem(error, "fstat", errno, "cannot read weights %.200s", path);
  if (!S_ISREG(status.st_mode))
    return fail(error, TWRT_IO_ERROR, "cannot read weights %.200s: not a regular file", path);
  if (uint64_t(status.st_size) != file->length())
    return fail(error, TWRT_IO_ERROR,
                "weights %.200s: expected %" PRIu64 " bytes, found %" PRIu64
                ": the module was made from another file",
                path, file->length(), uint64_t(status.st_size));
  Array<uint8_t> start(allocator);
  if (!start.reset(std::min<uint64_t>(file->length(), fileIdentityBytes)))
    return failMemory(error, "weights");
  for (size_t done = 0; done < start.size();) {
    ssize_t got = pread(descriptor, start.data() + done, start.size() - done, off_t(done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return failSystem(error, "pread", got < 0 ? errno : EIO, "cannot read weights %.200s", path);
    done += size_t(got);
  }
  Digest found = computeFileIdentity(start);
  if (!std::equal(found.begin(), found.end(), file->identity()->begin()))
    return fail(error, TWRT_IO_ERROR,
                "weights %.200s begin differently from the file that the "
                "module was made from: compile again",
                path);
  return TWRT_OK;
}

static TwrtCode failOpen(const TwrtModule &module, const char *path, TwrtError *error) {
  int reason = errno;
  if (module.openFile)
    return failSystem(error, "openFile", reason, "cannot open weights %.200s", path);
  const char *folder = module.weightsFolder.c_str();
  if (reason == EXDEV)
    return failCall(
        error, TWRT_IO_ERROR, "open", reason,
        "cannot open weights %.150s in weightsFolder %.80s: a symbolic link leads out of "
        "it, which needs TWRT_MODULE_FOLLOW_LINKS",
        path, folder);
  return failSystem(error, "open", reason, "cannot open weights %.150s in weightsFolder %.80s",
                    path, folder);
}

TwrtCode tw::runtime::openWeights(const TwrtModule &module, uint32_t index, int *descriptor,
                                  TwrtError *error) {
  const fb::File *file = module.root->files()->Get(index);
  const char *path = file->path()->c_str();
  if (std::all_of(file->identity()->begin(), file->identity()->end(), [](uint8_t b) { return !b; }))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "weights %.200s are supplied by who opens the module: expected findWeights in "
                "TwrtModuleOptions",
                path);
  auto *open = module.flags & TWRT_MODULE_FOLLOW_LINKS ? openAnywhere : openBeneath;
  int opened = module.openFile ? module.openFile(module.weightsUser, path)
                               : open(module.weightsFolder.c_str(), path);
  if (opened < 0)
    return failOpen(module, path, error);
  if (TwrtCode code = checkIdentity(file, path, opened, module.instance->allocator, error);
      code != TWRT_OK) {
    close(opened);
    return code;
  }
  *descriptor = opened;
  return TWRT_OK;
}

TwrtCode tw::runtime::findWeights(const TwrtModule &module, uint32_t index, TwrtBytes *bytes,
                                  TwrtError *error) {
  const fb::File *file = module.root->files()->Get(index);
  const char *path = file->path()->c_str();
  if (!module.findWeights(module.weightsUser, path, bytes))
    return fail(error, TWRT_NOT_FOUND, "findWeights has no weights %.200s", path);
  if (bytes->size < file->length() || !bytes->data)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "weights %.200s: expected %" PRIu64 " bytes, findWeights gives %" PRIu64, path,
                file->length(), uint64_t(bytes->data ? bytes->size : 0));
  return TWRT_OK;
}
