// Files beneath a folder, and nothing else.
#include "tw/Support/FileResolver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <fstream>
#include <unistd.h>

using tw::FileResolver;

TEST(FileResolver, NamesThatLeaveTheFolder) {
  EXPECT_TRUE(FileResolver::isInside("weights.bin"));
  EXPECT_TRUE(FileResolver::isInside("a/b..c/weights.bin"));
  EXPECT_TRUE(FileResolver::isInside("./weights.bin"));
  EXPECT_FALSE(FileResolver::isInside(""));
  EXPECT_FALSE(FileResolver::isInside("/etc/passwd"));
  EXPECT_FALSE(FileResolver::isInside("../weights.bin"));
  EXPECT_FALSE(FileResolver::isInside("a/../../weights.bin"));
  EXPECT_FALSE(FileResolver::isInside(llvm::StringRef("a\0b", 3)));
  EXPECT_FALSE(FileResolver::isInside("a\\b"));
}

TEST(FileResolver, BytesAreCheckedAndMappedOnce) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tw-files", folder));
  std::error_code error;
  llvm::raw_fd_ostream((folder + "/data").str(), error) << "0123456789";
  ASSERT_FALSE(error);
  FileResolver files(folder);
  llvm::Expected<llvm::StringRef> part = files.bytes("data", 2, 3);
  ASSERT_TRUE(static_cast<bool>(part));
  EXPECT_EQ(*part, "234");
  llvm::Expected<llvm::StringRef> all = files.file("data");
  ASSERT_TRUE(static_cast<bool>(all));
  EXPECT_EQ(all->data() + 2, part->data());
  auto messageOf = [](llvm::Expected<llvm::StringRef> result) {
    return result ? "" : llvm::toString(result.takeError());
  };
  EXPECT_EQ(messageOf(files.bytes("data", 8, 3)),
            "file 'data' has 10 bytes, expected at least 8 + 3");
  EXPECT_EQ(messageOf(files.bytes("data", ~uint64_t(0), 2)),
            "file 'data' has 10 bytes, expected at least 18446744073709551615 + 2");
  EXPECT_NE(messageOf(files.file("../data")).find("lies outside the folder"), std::string::npos);
  EXPECT_NE(messageOf(files.file("absent")).find("cannot read '"), std::string::npos);
  llvm::sys::fs::remove_directories(folder);
}

/// Pages of files that the process has in memory.
static uint64_t countMappedBytes() {
  std::ifstream status("/proc/self/statm");
  uint64_t size = 0, resident = 0, shared = 0;
  status >> size >> resident >> shared;
  return shared * uint64_t(sysconf(_SC_PAGESIZE));
}

TEST(FileResolver, VisitedBytesAreNotKept) {
  constexpr uint64_t length = (uint64_t(128) << 20) + 10, first = 3, mostKept = 32 << 20;
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tw-visit", folder));
  std::string path = (folder + "/data").str();
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << "0123456789";
  ASSERT_FALSE(error);
  ASSERT_EQ(truncate(path.c_str(), off_t(length)), 0);
  FileResolver files(folder);
  uint64_t before = countMappedBytes(), visited = 0, most = 0;
  std::string start;
  llvm::Error failure = files.visit("data", first, length - first, [&](llvm::StringRef piece) {
    if (start.empty())
      start = piece.take_front(8).str();
    EXPECT_EQ(llvm::count_if(piece, [](char byte) { return byte != 0; }), visited == 0 ? 7 : 0);
    visited += piece.size();
    most = std::max(most, countMappedBytes());
    return true;
  });
  EXPECT_FALSE(failure) << llvm::toString(std::move(failure));
  EXPECT_EQ(visited, length - first);
  EXPECT_EQ(start, llvm::StringRef("3456789\0", 8));
  EXPECT_LT(most, before + mostKept);
  // They are there still, and nobody sees what was not asked for.
  unsigned pieces = 0;
  EXPECT_FALSE(files.visit("data", 0, length, [&](llvm::StringRef piece) {
    EXPECT_TRUE(piece.starts_with("0123456789"));
    return ++pieces == 0;
  }));
  EXPECT_EQ(pieces, 1u);
  EXPECT_EQ(llvm::toString(files.visit("data", 8, length, [](llvm::StringRef) { return true; })),
            "file 'data' has 134217738 bytes, expected at least 8 + 134217738");
  llvm::sys::fs::remove_directories(folder);
}

TEST(FileResolver, LinksAndPathsFromOtherFolders) {
  llvm::SmallString<128> root;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tw-links", root));
  std::string model = (root + "/a/model").str(), outside = (root + "/outside").str();
  ASSERT_FALSE(llvm::sys::fs::create_directories(model));
  std::error_code error;
  llvm::raw_fd_ostream(outside, error) << "0123456789";
  ASSERT_FALSE(error);
  ASSERT_FALSE(llvm::sys::fs::create_link(outside, model + "/link"));
  auto read = [&](FileResolver &&files) {
    llvm::Expected<llvm::StringRef> bytes = files.file("link");
    return bytes ? bytes->str() : llvm::toString(bytes.takeError());
  };
  EXPECT_EQ(read(FileResolver(model)), "cannot read '" + model +
                                           "/link': a symbolic link leads out of the folder '" +
                                           model + "', which only --follow-links allows");
  EXPECT_EQ(read(FileResolver(model, "", /*followLinks=*/true)), "0123456789");
  EXPECT_EQ(read(FileResolver::around(model + "/link")), "0123456789") << "named by the user";
  EXPECT_EQ(FileResolver::around("model.onnx").getFolder(), ".");

  FileResolver files(model);
  EXPECT_EQ(files.getPathFrom(model), "");
  EXPECT_EQ(files.getPathFrom((root + "/a").str()), "model");
  EXPECT_EQ(files.getPathFrom(root), "a/model");
  EXPECT_EQ(files.getPathFrom((root + "/a/mod").str()), std::nullopt) << "not there";
  ASSERT_FALSE(llvm::sys::fs::create_directories(root + "/a/mod"));
  EXPECT_EQ(files.getPathFrom((root + "/a/mod").str()), std::nullopt);
  EXPECT_EQ(files.getPathFrom("/"), llvm::StringRef(model).drop_front());
  llvm::sys::fs::remove_directories(root);
}
