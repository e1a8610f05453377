#include "apps/topoexec/input_lines.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace millrace::topoexec {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close(ends[0]);
    end();
  }
  void put(std::string_view text) {
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::array<int, 2> ends{};
};

TEST(InputLines, GivesLinesAndTheRestThatHasNoEnd) {
  Pipe pipe;
  InputLines lines(pipe.ends[0]);
  pipe.put("one\n\ntwo");
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  pipe.put(" more\nrest");
  EXPECT_EQ(lines.next(), "two more");
  pipe.end();
  EXPECT_EQ(lines.next(), "rest");
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(InputLines, CuttingKeepsALineThatNeverEndsBounded) {
  Pipe pipe;
  InputLines lines(pipe.ends[0]);
  std::thread writer([&pipe] {
    const std::string chunk(1U << 16U, 'x');
    for (int i = 0; i < 17; ++i) pipe.put(chunk);
    pipe.end();
  });
  EXPECT_EQ(lines.next()->size(), 1U << 20U);
  EXPECT_EQ(lines.next()->size(), 1U << 16U);
  EXPECT_EQ(lines.next(), std::nullopt);
  writer.join();
}

TEST(InputLines, ClosingWakesAReaderThatWaits) {
  Pipe pipe;
  InputLines lines(pipe.ends[0]);
  std::optional<std::string> line = "not read yet";
  std::thread reader([&] { line = lines.next(); });
  lines.close();
  reader.join();
  EXPECT_EQ(line, std::nullopt);
}

TEST(InputLines, ADescriptorThatCannotBeReadIsTheEnd) {
  InputLines lines(-1);
  lines.close();
  EXPECT_EQ(lines.next(), std::nullopt);
}

}  // namespace
}  // namespace millrace::topoexec
