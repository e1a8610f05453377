#include "apps/rankd/process_log.h"

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/flags.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

/// What a log with these flags makes of an information and a warning.
std::string written(const Flags& flags) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  {
    ProcessLog log(flags, file.get());
    log.logger().info("engine_start", "Ready");
    log.logger().warning("breaker_open", "Down");
  }
  std::rewind(file.get());
  std::array<char, 4096> buffer{};
  return {buffer.data(), std::fread(buffer.data(), 1, buffer.size(), file.get())};
}

TEST(ProcessLogTest, TerminalsGetTextAndEverythingElseJson) {
  Flags flags;
  EXPECT_EQ(log_format_of(flags, true), base::LogFormat::kText);
  EXPECT_EQ(log_format_of(flags, false), base::LogFormat::kJson);
  flags.log_format = base::LogFormat::kJson;
  EXPECT_EQ(log_format_of(flags, true), base::LogFormat::kJson);
}

TEST(ProcessLogTest, LogsWarningsUnlessTheFlagsSayOtherwise) {
  Flags flags;
  EXPECT_EQ(log_level_of(flags), base::LogLevel::kWarning);
  flags.log_level = base::LogLevel::kDebug;
  EXPECT_EQ(log_level_of(flags), base::LogLevel::kDebug);
}

TEST(ProcessLogTest, WritesLinesInTheFormAndFromTheLevelOfTheFlags) {
  Flags flags;
  flags.log_level = base::LogLevel::kInfo;
  const std::string json = written(flags);
  EXPECT_THAT(json, HasSubstr(R"("level":"info","msg":"Ready","event":"engine_start"})"));
  EXPECT_THAT(json, EndsWith("\"event\":\"breaker_open\"}\n"));
  flags.log_format = base::LogFormat::kText;
  flags.log_level = base::LogLevel::kWarning;
  const std::string text = written(flags);
  EXPECT_THAT(text, EndsWith(" WARN breaker_open: Down\n"));
  EXPECT_THAT(text, Not(HasSubstr("engine_start")));
}

}  // namespace
}  // namespace millrace::rankd::testing
