// Files beneath a folder, and nothing else.
#include "tw/Support/FileResolver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

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
