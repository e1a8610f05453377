#include "apps/rankd/line_reader.h"

#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "apps/rankd/descriptor_fixture.h"
#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LineReaderTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_of(std::string_view text, std::size_t line_bytes_max = 100) {
    const OpenFile file(folder_.write("lines", text), O_RDONLY);
    LineReader reader(file.descriptor(), "lines", stop_, line_bytes_max);
    std::vector<std::string> lines;
    std::string line;
    while (reader.next(line).value() == LineReader::Got::kLine) lines.push_back(line);
    return lines;
  }
  TempFolder folder_;
  StopFlag stop_;
};

TEST_F(LineReaderTest, GivesLinesWithoutTheirEnds) {
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("a\n\nbc"), ElementsAre("a", "", "bc"));
  EXPECT_THAT(lines_of("a\r\n"), ElementsAre("a\r"));
}

TEST_F(LineReaderTest, CLI11_ALongLineIsCutWhileItIsRead) {
  const std::string longer(1'000'000, 'x');
  EXPECT_THAT(lines_of("12345\n" + longer + "\n123456\n7", 5),
              ElementsAre("12345", "xxxxxx", "123456", "7"));
}

TEST_F(LineReaderTest, LinesLongerThanTheBufferAreWhole) {
  const std::string longer(200'000, 'x');
  EXPECT_THAT(lines_of("a\n" + longer + "\nb\n", 1'000'000), ElementsAre("a", longer, "b"));
}

TEST_F(LineReaderTest, CLI9_AnInputThatCannotBeReadIsAnError) {
  const OpenFile folder(folder_.path(), O_RDONLY);
  std::string line;
  LineReader reader(folder.descriptor(), "stdin", stop_, 10);
  const auto got = reader.next(line);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message(), HasSubstr("Cannot read stdin: Is a directory"));
}

TEST_F(LineReaderTest, KnowsWhetherAWholeLineIsThere) {
  const OpenFile file(folder_.write("lines", "a\nb\nc"), O_RDONLY);
  LineReader reader(file.descriptor(), "stdin", stop_, 10);
  std::string line;
  EXPECT_FALSE(reader.has_line()) << "nothing is read yet";
  EXPECT_EQ(reader.next(line).value(), LineReader::Got::kLine);
  EXPECT_TRUE(reader.has_line());
  EXPECT_EQ(reader.next(line).value(), LineReader::Got::kLine);
  EXPECT_FALSE(reader.has_line()) << "more of the last line may come";
}

TEST_F(LineReaderTest, CLI10_StopsBetweenLinesAndWhileItWaits) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "a\nb\n", 4), 4);
  LineReader reader(ends[0], "stdin", stop_, 10);
  std::string line;
  EXPECT_EQ(reader.next(line).value(), LineReader::Got::kLine);
  stop_.raise();
  EXPECT_EQ(reader.next(line).value(), LineReader::Got::kStopped);
  LineReader waiting(ends[0], "stdin", stop_, 10);  // nothing is there to read
  EXPECT_EQ(waiting.next(line).value(), LineReader::Got::kStopped);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace millrace::rankd::testing
