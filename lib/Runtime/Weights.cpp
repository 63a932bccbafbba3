// Opens the files that weights lie in.
#include "Module.h"
#include "tw/Format/Metadata.h"

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

TwrtCode tw::runtime::openWeights(const TwrtModule &module, uint32_t index, int *descriptor,
                                  TwrtError *error) {
  const fb::File *file = module.root->files()->Get(index);
  const Allocator &allocator = module.instance->allocator;
  int opened;
  Text path(allocator);
  if (module.openFile) {
    path.append(file->path()->string_view());
    opened = module.openFile(module.openFileUser, file->path()->c_str());
  } else {
    path.append(module.weightsFolder.view());
    if (path.view().empty() || path.view().back() != '/')
      path.append("/");
    path.append(file->path()->string_view());
    if (path.failed())
      return failMemory(error, "weights");
    opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  }
  if (opened < 0)
    return failSystem(error, "open", errno, "cannot open weights %.200s", path.c_str());
  if (TwrtCode code = checkIdentity(file, path.c_str(), opened, allocator, error);
      code != TWRT_OK) {
    close(opened);
    return code;
  }
  *descriptor = opened;
  return TWRT_OK;
}
