#include "base/log/async_log_sink.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/log/log.h"

namespace millrace::base {
namespace {

using ::testing::HasSubstr;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close_reader();
    if (ends[1] >= 0) close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) close(ends[0]);
    ends[0] = -1;
  }
  void close_writer() {
    close(ends[1]);
    ends[1] = -1;
  }
  std::string read_all() {
    close_writer();
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(got));
    return text;
  }
  std::array<int, 2> ends{-1, -1};
};

TEST(AsyncLogSinkTest, S42_WritesAllLinesInOrderBeforeItEnds) {
  Pipe pipe;
  {
    AsyncLogSink sink({.descriptor = pipe.ends[1]});
    Logger log(sink);
    for (int line = 0; line < 100; ++line) log.info("tick", "A line", {{"number", line}});
  }
  const std::string text = pipe.read_all();
  EXPECT_EQ(std::ranges::count(text, '\n'), 100);
  EXPECT_LT(text.find("\"number\":7}"), text.find("\"number\":8}"));
  EXPECT_THAT(text, HasSubstr("\"number\":99}"));
}

TEST(AsyncLogSinkTest, S42_AStuckReaderBlocksNobodyAndDropsAreCounted) {
  Pipe pipe;  // nobody reads: it takes 64 KiB and then nothing
  constexpr std::size_t kWaiting = 100;
  constexpr int kLines = 3000;
  const std::string filler(100, 'x');
  std::uint64_t dropped = 0;
  {
    AsyncLogSink sink({.descriptor = pipe.ends[1],
                       .lines_max = kWaiting,
                       .patience = std::chrono::milliseconds(50)});
    Logger log(sink);
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 2; ++writer) {
      writers.emplace_back([&] {
        for (int line = 0; line < kLines; ++line) log.info("tick", filler);
      });
    }
    for (std::thread& writer : writers) writer.join();
    dropped = sink.dropped_count();
  }
  EXPECT_GT(dropped, 0U);
  const std::string text = pipe.read_all();
  EXPECT_LT(std::ranges::count(text, '\n'), 2 * kLines);
}

TEST(AsyncLogSinkTest, FlushWaitsForAllLinesButNotForAStuckReader) {
  Pipe pipe;
  AsyncLogSink sink({.descriptor = pipe.ends[1], .patience = std::chrono::milliseconds(50)});
  Logger log(sink);
  log.info("tick", "A line");
  sink.flush();
  std::array<char, 4096> buffer{};
  EXPECT_GT(read(pipe.ends[0], buffer.data(), buffer.size()), 0);
  for (int line = 0; line < 1000; ++line) log.info("tick", std::string(100, 'x'));
  sink.flush();
}

TEST(AsyncLogSinkTest, AWarningLeavesAtOnceWithTheLinesBeforeIt) {
  Pipe pipe;
  AsyncLogSink sink({.descriptor = pipe.ends[1]});
  Logger log(sink);
  log.info("tick", "A line");
  log.warning("trouble", "Another line");
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::ranges::count(text, '\n') < 2) {
    const ssize_t size = read(pipe.ends[0], buffer.data(), buffer.size());
    ASSERT_GT(size, 0);
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  EXPECT_LT(text.find("tick"), text.find("trouble"));
}

TEST(AsyncLogSinkTest, FilesGetEveryLineToo) {
  const std::string name = ::testing::TempDir() + "async_log_sink_" + std::to_string(getpid());
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_GE(file, 0);
  {
    AsyncLogSink sink({.descriptor = file});
    Logger log(sink);
    for (int line = 0; line < 5000; ++line) log.info("tick", std::string(100, 'x'));
    EXPECT_EQ(sink.dropped_count(), 0U);
  }
  std::ifstream written(name);
  const std::string text{std::istreambuf_iterator<char>(written), {}};
  EXPECT_EQ(std::ranges::count(text, '\n'), 5000);
  close(file);
  unlink(name.c_str());
}

TEST(AsyncLogSinkTest, AReaderThatIsGoneIsNotFatal) {
  signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.close_reader();
  AsyncLogSink sink({.descriptor = pipe.ends[1]});
  Logger log(sink);
  log.info("tick", "Nobody hears this");
}

}  // namespace
}  // namespace millrace::base
