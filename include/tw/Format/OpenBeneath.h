// Opens the files that models, programs and modules name, which must not lead anywhere else.
#pragma once

namespace tw::format {

/// Opens `path`, relative and without "..", for reading. Symbolic links are followed as long as
/// they stay beneath `folder`, whatever others change meanwhile; one that leads out fails with
/// EXDEV. A pipe is not waited for. -1 with errno on failure.
int openBeneath(const char *folder, const char *path);

/// The same on systems without openat2: follows no link at all.
int openWithoutLinks(const char *folder, const char *path);

/// Opens `path` beneath `folder`, and follows any link.
int openAnywhere(const char *folder, const char *path);

} // namespace tw::format
