// What the tools share: .npy files, JSON, command lines, files written whole.
#include "Support/Arguments.h"
#include "Support/File.h"
#include "Support/Json.h"
#include "Support/Npy.h"
#include "twrt/twrt.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::support;

static std::string makeNpy(const std::string &header, const std::string &data, char major = 1) {
  std::string file("\x93NUMPY", 6);
  file += major;
  file += char(0);
  file += char(header.size() & 255);
  file += char(header.size() >> 8);
  if (major > 1)
    file += std::string(2, '\0');
  return file + header + data;
}

static std::string describe(const std::string &file) {
  NpyArray array;
  std::string error;
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(file.data()), file.size());
  if (!parseNpy(bytes, array, error))
    return error;
  std::string text = formatType(array.element, array.dims) + ":";
  for (uint8_t byte : array.data)
    text += " " + std::to_string(byte);
  return text;
}

static std::string dictionary(const std::string &descr, const std::string &shape,
                              const std::string &order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape +
         ", }   \n";
}

TEST(Npy, WellFormed) {
  EXPECT_EQ(describe(makeNpy(dictionary("<u2", "(2,)"), {1, 2, 3, 4})), "ui16[2]: 1 2 3 4");
  EXPECT_EQ(describe(makeNpy(dictionary(">u2", "(2,)"), {1, 2, 3, 4})), "ui16[2]: 2 1 4 3");
  EXPECT_EQ(describe(makeNpy(dictionary("|i1", "()"), {7})), "i8[]: 7");
  EXPECT_EQ(describe(makeNpy(dictionary("|b1", "(1, 3)"), {0, 5, 1})), "i1[1, 3]: 0 1 1");
  EXPECT_EQ(describe(makeNpy(dictionary("|u1", "(2, 3)", "True"), {1, 2, 3, 4, 5, 6})),
            "ui8[2, 3]: 1 3 5 2 4 6");
  EXPECT_EQ(describe(makeNpy(dictionary("<f4", "(0, 4)"), "")), "f32[0, 4]:");
  EXPECT_EQ(describe(makeNpy(dictionary("|u1", "(2L,)"), {1, 2}, 2)), "ui8[2]: 1 2");
  EXPECT_EQ(describe(makeNpy("{\"shape\":(1,),\"descr\":\"|u1\",\"fortran_order\":False}", {9}, 3)),
            "ui8[1]: 9");
}

TEST(Npy, Malformed) {
  struct {
    std::string file, error;
  } corpus[] = {
      {"", "offset 0: not an .npy file: it does not begin with \\x93NUMPY"},
      {"PK\3\4 a zip of arrays", "offset 0: not an .npy file: it does not begin with \\x93NUMPY"},
      {makeNpy("", "", 9), "offset 6: found .npy version 9, expected 1 to 3"},
      {std::string("\x93NUMPY\2\0\1\1\0", 11), "offset 8: the file ends within the header"},
      {makeNpy(dictionary("<f4", "(2,)"), "").substr(0, 30),
       "offset 8: the header takes 61 bytes, the file has 20 after it: it is cut"},
      {makeNpy("[]", ""), "offset 10: expected the header to be a dictionary"},
      {makeNpy("{'descr'", ""), "offset 18: expected ':' after a key of the header"},
      {makeNpy("{'descr: ", ""), "offset 12: the header has a string without end"},
      {makeNpy("{3", ""), "offset 11: expected a string in the header"},
      {makeNpy("{'descr': [('a', '<f4')]", ""),
       "offset 20: found an array of records, expected plain numbers"},
      {makeNpy("{'size': 3}", ""), "offset 18: unexpected key 'size' in the header"},
      {makeNpy("{'fortran_order': maybe", ""),
       "offset 28: expected True or False for fortran_order"},
      {makeNpy("{'shape': 3", ""), "offset 20: expected the shape as a tuple"},
      {makeNpy("{'shape': (3 4)", ""), "offset 23: expected ',' or ')' in the shape"},
      {makeNpy("{'shape': (-1,)", ""), "offset 21: expected a dimension in the shape"},
      {makeNpy("{'shape': (99999999999999999999,)", ""),
       "offset 39: a dimension of the shape is too large"},
      {makeNpy("{'shape': (3,)", ""), "offset 24: expected ',' or '}' in the header"},
      {makeNpy("{'shape': (3,)}", ""), "offset 25: the header lacks descr, fortran_order or shape"},
      {makeNpy(dictionary("|O", "(1,)"), ""), "found element type '|O', expected one of f4, f8, "
                                              "V2 (bf16), f2, b1, i1, i2, i4, i8, u1, u2, u4, "
                                              "u8, V1 (f8), c8, c16"},
      {makeNpy(dictionary("<c8", "(2,)"), "1234567"),
       "offset 71: expected 16 bytes of c64[2], found 7: the file is cut"},
      {makeNpy(dictionary("<f8", "(4000000000, 4000000000)"), ""),
       "the size of the array overflows"},
      {makeNpy(dictionary("<f4", "(2,)"), "1234567"),
       "offset 71: expected 8 bytes of f32[2], found 7: the file is cut"},
      {makeNpy(dictionary("<f4", "(2,)"), "123456789"),
       "offset 71: expected 8 bytes of f32[2], found 9"},
  };
  for (const auto &entry : corpus)
    EXPECT_EQ(describe(entry.file), entry.error);
}

TEST(Npy, EveryTruncationAndFlipIsHandled) {
  std::string whole = makeNpy(dictionary("<f4", "(2, 3)"), std::string(24, 'x'));
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(describe(whole.substr(0, size)).find("f32["), 0u) << size;
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string flipped = whole;
    flipped[i / 8] = char(flipped[i / 8] ^ (1 << i % 8));
    describe(flipped);
  }
}

TEST(Npy, WritesWhatItReads) {
  std::vector<uint8_t> data(24, 3);
  for (std::vector<int64_t> dims : {std::vector<int64_t>{6}, {2, 3}, {1, 6, 1}}) {
    std::string file;
    ASSERT_TRUE(formatNpy(TWRT_F32, dims, data, file));
    EXPECT_EQ((file.size() - data.size()) % 64, 0u);
    EXPECT_EQ(describe(file).find(formatType(TWRT_F32, dims) + ": 3 3"), 0u);
  }
  std::string file;
  ASSERT_TRUE(formatNpy(TWRT_BF16, std::vector<int64_t>{12}, data, file));
  EXPECT_EQ(describe(file).find("bf16[12]: 3 3"), 0u);
  ASSERT_TRUE(formatNpy(TWRT_F8E5M2, std::vector<int64_t>{24}, data, file));
  EXPECT_EQ(describe(file).find("f8E4M3FN[24]: 3 3"), 0u);
  // As ml_dtypes writes it.
  file.replace(file.find("|V1"), 3, "<f1");
  EXPECT_EQ(describe(file).find("f8E5M2[24]: 3 3"), 0u);
  EXPECT_TRUE(shareNpyName(TWRT_F8E5M2, TWRT_F8E4M3FN));
  EXPECT_FALSE(shareNpyName(TWRT_F8E5M2, TWRT_U8));
  EXPECT_FALSE(formatNpy(TWRT_I4, std::vector<int64_t>{24}, data, file));
  std::vector<int64_t> none;
  ASSERT_TRUE(formatNpy(TWRT_F64, none, std::vector<uint8_t>(8), file));
  EXPECT_EQ(describe(file), "f64[]: 0 0 0 0 0 0 0 0");
}

TEST(Json, Writes) {
  std::string text;
  JsonWriter json(
      [](void *user, std::string_view piece) { static_cast<std::string *>(user)->append(piece); },
      &text);
  json.beginObject();
  json.member("a\"\\\n\x01", "b\xff\xe2\x82\xac\xc0\xaf");
  json.key("list");
  json.beginArray();
  json.value(1);
  json.value(uint64_t(UINT64_MAX));
  json.value(0.1);
  json.value(NAN);
  json.value(true);
  json.beginObject();
  json.endObject();
  json.endArray();
  json.member("last", int64_t(-5));
  json.endObject();
  EXPECT_EQ(text, "{\"a\\\"\\\\\\u000a\\u0001\":\"b\\ufffd\xe2\x82\xac\\ufffd\\ufffd\",\"list\":[1,"
                  "18446744073709551615,0.1,null,true,{}],\"last\":-5}");
}

TEST(Arguments, Similar) {
  std::vector<std::string_view> names = {"benchmark", "input", "output", "json"};
  EXPECT_EQ(findSimilar("benchmrk", names), "benchmark");
  EXPECT_EQ(findSimilar("inptu", names), "input");
  EXPECT_EQ(findSimilar("completely-else", names), "");
}

TEST(Arguments, HelpAndParsing) {
  bool flag = false;
  std::string text;
  std::vector<std::string> list, rest, problems;
  uint64_t number = 0;
  double real = 0;
  ArgumentParser parser("tool FILE", "Does things.");
  parser.group("Group");
  parser.flag("flag", flag, "a flag");
  parser.text("text", "T", text, "a text");
  parser.list("list", "L", list, "a list");
  parser.number("number", "N", number, "a number");
  parser.number("real", "R", real, "a real number");
  const char *good[] = {"tool",       "a",           "--flag", "--text=x=y", "--list=1", "-list=2",
                        "--number=7", "--real=1e-4", "--",     "--b",        "-"};
  EXPECT_TRUE(parser.parse(11, good, rest, problems));
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "x=y");
  EXPECT_EQ(list, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(real, 1e-4);
  EXPECT_EQ(rest, (std::vector<std::string>{"a", "--b", "-"}));
  const char *bad[] = {"tool", "--number=-1", "--real=x", "--text=", "--flag=1", "--numbr=3"};
  EXPECT_FALSE(parser.parse(6, bad, rest, problems));
  EXPECT_EQ(
      problems,
      (std::vector<std::string>{
          "option '--number=-1': expected a number from 0, as in --number=N",
          "option '--real=x': expected a number from 0, such as 1e-4, as in --real=R",
          "option '--text=': expected text, as in --text=T", "option '--flag=1': expected no value",
          "unknown option '--numbr=3'; did you mean '--number'?"}));
  EXPECT_EQ(parser.help().find("usage: tool FILE\n\nDoes things.\n\nGroup\n  --flag "), 0u);
}

TEST(File, AppearsWholeOrNotAtAll) {
  std::string folder = testing::TempDir() + "twrt-file-" + std::to_string(getpid()), error;
  ASSERT_TRUE(makeFolders(folder + "/a/b", error)) << error;
  std::string path = folder + "/a/b/file", link = folder + "/a/link";
  auto contents = [&] {
    MappedFile file;
    EXPECT_TRUE(file.open(path, error)) << error;
    return std::string(file.bytes().begin(), file.bytes().end());
  };
  ASSERT_TRUE(writeFileAtomically(path, {"one", "two"}, error)) << error;
  EXPECT_EQ(contents(), "onetwo");
  ASSERT_EQ(symlink("b/file", link.c_str()), 0);
  ASSERT_TRUE(writeFileAtomically(link, {"three"}, error)) << error;
  EXPECT_EQ(contents(), "three");
  struct stat status;
  EXPECT_EQ(lstat(link.c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  EXPECT_FALSE(writeFileAtomically("/dev/full", {"four"}, error));
  EXPECT_EQ(error, "cannot write /dev/full: No space left on device");
  EXPECT_FALSE(writeFileAtomically(folder + "/none/file", {"five"}, error));
  EXPECT_EQ(error, "cannot write " + folder + "/none/file: No such file or directory");
  EXPECT_FALSE(writeFileAtomically(folder + "/a/b", {"six"}, error));
  EXPECT_EQ(error, "cannot write " + folder + "/a/b: Is a directory");
  MappedFile file;
  EXPECT_FALSE(file.open(folder, error));
  EXPECT_EQ(error, "cannot open " + folder + ": not a regular file");
  EXPECT_FALSE(makeFolders("/dev/null/x", error));
  unlink(link.c_str());
  unlink(path.c_str());
  // No temporary file is left: the folders can be removed.
  EXPECT_EQ(rmdir((folder + "/a/b").c_str()), 0);
  EXPECT_EQ(rmdir((folder + "/a").c_str()), 0);
  EXPECT_EQ(rmdir(folder.c_str()), 0);
}
