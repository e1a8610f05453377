#include "base/text_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace millrace::base {
namespace {

using ::testing::HasSubstr;

class TextFileTest : public ::testing::Test {
 protected:
  TextFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-text-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~TextFileTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string write(const std::string& text) const {
    std::ofstream(folder_ + "/file", std::ios::binary) << text;
    return folder_ + "/file";
  }
  std::string folder_;
};

TEST_F(TextFileTest, ReadsAllBytes) {
  const std::string text = std::string("a\0b\n", 4) + std::string(100'000, 'x');
  EXPECT_EQ(read_text_file(write(text), 1'000'000).value(), text);
  EXPECT_EQ(read_text_file(write(""), 10).value(), "");
  EXPECT_EQ(read_text_file(write("1234"), 4).value(), "1234");
}

TEST_F(TextFileTest, SaysWhyNot) {
  EXPECT_THAT(read_text_file(folder_ + "/none", 10).error().message(),
              HasSubstr("/none': No such file or directory"));
  EXPECT_THAT(read_text_file(folder_, 10).error().message(), HasSubstr("Is a directory"));
  EXPECT_THAT(read_text_file("/dev/zero", 10).error().message(), HasSubstr("not a file"));
  EXPECT_THAT(read_text_file(write("12345"), 4).error().message(), HasSubstr("too large"));
  // Opens, but every read fails.
  EXPECT_THAT(read_text_file("/proc/self/mem", 10).error().message(),
              HasSubstr("Input/output error"));
  std::filesystem::create_symlink("loop", folder_ + "/loop");
  EXPECT_THAT(read_text_file(folder_ + "/loop", 10).error().message(),
              HasSubstr("Too many levels of symbolic links"));
}

}  // namespace
}  // namespace millrace::base
