#include "base/log/log_sink.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/log/log_record.h"

namespace millrace::base {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

std::vector<std::string> lines_of(std::FILE* file) {
  std::string text;
  if (std::fseek(file, 0, SEEK_SET) != 0) return {"cannot rewind"};
  std::array<char, 256> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
    text.append(buffer.data(), count);
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

LogRecord record_of(const char* message) {
  return {.time = {}, .level = LogLevel::kInfo, .event = "ping", .message = message, .fields = {}};
}

TEST(StreamLogSinkTest, WritesOneLinePerRecordInItsFormat) {
  const File file(std::tmpfile());
  StreamLogSink(LogFormat::kJson, file.get()).write(record_of("one"));
  StreamLogSink(LogFormat::kText, file.get()).write(record_of("two"));
  const std::vector<std::string> expected{to_json(record_of("one")), to_text(record_of("two"))};
  EXPECT_EQ(lines_of(file.get()), expected);
}

TEST(StreamLogSinkTest, LinesOfTwoThreadsNeverMix) {
  constexpr int kLineCount = 200;
  const File file(std::tmpfile());
  StreamLogSink sink(LogFormat::kJson, file.get());
  const auto write_many = [&sink](const char* message) {
    for (int line = 0; line < kLineCount; ++line) sink.write(record_of(message));
  };
  {
    const std::jthread left(write_many, "left");
    const std::jthread right(write_many, "right");
  }
  const std::vector<std::string> lines = lines_of(file.get());
  EXPECT_EQ(std::ranges::count(lines, to_json(record_of("left"))), kLineCount);
  EXPECT_EQ(std::ranges::count(lines, to_json(record_of("right"))), kLineCount);
  EXPECT_EQ(lines.size(), 2U * kLineCount);
}

TEST(MemoryLogSinkTest, KeepsLinesInOrder) {
  MemoryLogSink sink;
  sink.write(record_of("one"));
  sink.write(record_of("two"));
  const std::vector<std::string> expected{to_json(record_of("one")), to_json(record_of("two"))};
  EXPECT_EQ(sink.lines(), expected);
}

}  // namespace
}  // namespace millrace::base
