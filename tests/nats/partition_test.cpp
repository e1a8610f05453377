// A network that is cut for 10 s, between programs and their NATS server. A program of its own,
// because the network must be made before anything else.

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "batch_fixture.h"
#include "network.h"

namespace millrace::e2e {
namespace {

using ::testing::HasSubstr;

TEST(NatsPartitionTest, JOB1_JOB2_NAT6_TenSecondsWithoutANetworkLoseAndDoubleNothing) {
  live::Network network;
  std::printf("The network is cut by %s.\n", network.how().c_str());
  const live::NatsServer server(with_jetstream());
  const Root root;
  const ShellResult begun = root.run(
      batch_shell(server) + "lines 6000 >in; batch submit in --job k --plan complex_dag\n");
  ASSERT_THAT(begun.out, HasSubstr("lines are queued")) << begun.err;
  JobBench bench(server, root, "k");
  const std::string url = "nats://127.0.0.1:" + std::to_string(network.port_of(server.port()));
  bench.set_url(url);
  live::Child serving(root.path(),
                      {"engine/bin/rankd",
                       "serve",
                       "--root",
                       ".",
                       "--port",
                       "0",
                       "--nats",
                       url,
                       "--set",
                       "drain.notice=0"},
                      "serve.log");
  while (root.read("serve.log").find("\"nats_connected\"") == std::string::npos)
    ASSERT_EQ(serving.wait(std::chrono::milliseconds(100)), std::nullopt) << root.read("serve.log");
  const auto worker = bench.work("worker.log");
  ASSERT_TRUE(bench.wait_for(1, *worker)) << bench.story({"worker.log"});
  network.cut();
  // Neither gives up while nothing comes and nothing goes.
  EXPECT_EQ(worker->wait(std::chrono::seconds(10)), std::nullopt) << bench.story({"worker.log"});
  EXPECT_EQ(serving.wait(std::chrono::milliseconds(0)), std::nullopt) << root.read("serve.log");
  network.mend();
  EXPECT_EQ(bench.wait_for_end(*worker), 0) << bench.story({"worker.log"});
  EXPECT_THAT(bench.ledger("in"), HasSubstr("ledger 6000\n"));
  // The other one is a member of its groups again.
  EXPECT_EQ(
      root.run("until echo '{\"user_id\":1}' | engine/bin/rankd request --nats " + server.url() +
               " --plan complex_dag >answer; do :; done\n"
               "grep -c '\"candidates\":\\[{' answer\n")
          .out,
      "1\n");
  EXPECT_THAT(root.read("serve.log"), HasSubstr("\"event\":\"nats_down\""));
  serving.signal(SIGTERM);
  EXPECT_EQ(serving.wait(std::chrono::seconds(60)), 0) << root.read("serve.log");
}

}  // namespace
}  // namespace millrace::e2e
