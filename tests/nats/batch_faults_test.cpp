// Jobs while programs and servers die: nothing is lost, nothing is there twice.

#include <chrono>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch_fixture.h"

namespace millrace::e2e {
namespace {

using live::NatsServer;
using ::testing::HasSubstr;

/// How many lines the kill test has; `./dev test --long` asks for more.
int line_count() {
  const char* const wanted = std::getenv("MILLRACE_BATCH_LINES");
  return wanted != nullptr ? std::atoi(wanted) : 5000;
}

TEST(NatsBatchFaultsTest, JOB1_JOB2_JOB6_KilledWorkersAndServersLoseAndDoubleNothing) {
  NatsServer server(with_jetstream());
  const Root root;
  const int lines = line_count();
  const std::string count = std::to_string(lines);
  const ShellResult begun = root.run(batch_shell(server) + "lines " + count +
                                     " >in; batch submit in --job k --plan complex_dag\n");
  ASSERT_THAT(begun.out, HasSubstr("lines are queued")) << begun.err;
  JobBench bench(server, root, "k");
  bench.extend(std::chrono::seconds(lines / 50));
  auto first = bench.work("first.log");
  const auto second = bench.work("second.log");
  for (int sixteenth = 1; sixteenth <= 8; ++sixteenth) {
    ASSERT_TRUE(bench.wait_for(lines * sixteenth / 16, *second))
        << bench.story({"first.log", "second.log"});
    first->kill();
    first = bench.work("first.log");
    if (sixteenth % 4 != 0) continue;
    server.kill();
    server.start();
  }
  EXPECT_EQ(bench.wait_for_end(*second), 0) << bench.story({"first.log", "second.log"});
  EXPECT_EQ(bench.wait_for_end(*first), 0) << bench.story({"first.log", "second.log"});
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger " + count + "\n"));
  EXPECT_TRUE(bench.wait_for(lines, *second));
}

}  // namespace
}  // namespace millrace::e2e
