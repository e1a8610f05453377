#include "apps/rankd/batch_flags.h"

#include <string>

#include <gtest/gtest.h>

namespace millrace::rankd {
namespace {

TEST(BatchFlagsTest, CommandLinesAreChecked) {
  const auto parse = [](const std::string& line) {
    CLI::App app;
    BatchFlags flags;
    add_batch_command(app, flags);
    app.parse(line, false);
    return flags;
  };
  const BatchFlags flags = parse("submit in.jsonl --job a-1 --nats nats://h --plan p --repair");
  EXPECT_EQ(flags.action, BatchAction::kSubmit);
  EXPECT_EQ(flags.file, "in.jsonl");
  EXPECT_TRUE(flags.repairs);
  EXPECT_EQ(parse("work --nats nats://h").job, "");
  for (const char* bad : {"submit in --job a.b --nats nats://h",
                          "submit --job a --nats nats://h",
                          "fetch --job a --nats nats://h",
                          "fetch --job a --nats nats://h --out -",
                          "status --nats nats://h",
                          ""})
    EXPECT_THROW(parse(bad), CLI::ParseError) << bad;
}

}  // namespace
}  // namespace millrace::rankd
