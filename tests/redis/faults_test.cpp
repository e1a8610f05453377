// Redis is killed, restarted empty, stopped and slowed down under load, and deadlines fire during
// I/O. Every request is answered, and every answer is correct: full, degraded, or an error that
// says why.
//
// MILLRACE_FAULT_REQUESTS sets the number of requests with short deadlines (default 3000).

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checked_load.h"
#include "known_answers.h"
#include "redis_project.h"
#include "redis_server.h"

namespace millrace::live {
namespace {

constexpr int kLoadUsers = 20;

struct FaultRig {
  FaultRig() : data_file(folder.write("known.redis", known_data(kLoadUsers))) {
    server.load(data_file);
    const std::string registry =
        write_registry(folder,
                       tcp_address(server),
                       "{ connections = 2, connect_timeout = '300ms', request_timeout = '500ms' }",
                       data_file);
    const RunningEngine embedded(registry, "dev", {kGuardedPlan});
    plans = known_plans(*embedded.engine, kLoadUsers);
    redis =
        std::make_unique<RunningEngine>(registry, "test", std::vector<std::string>{kGuardedPlan});
  }
  [[nodiscard]] std::unique_ptr<CheckedLoad> load(double deadline_ms) const {
    return std::make_unique<CheckedLoad>(
        *redis->engine,
        plans,
        CheckedLoad::Options{.slots = 16, .users = kLoadUsers, .deadline_ms = deadline_ms});
  }

  TempFolder folder;
  RedisServer server;
  std::string data_file;
  std::vector<PlanAnswers> plans;
  std::unique_ptr<RunningEngine> redis;
};

TEST(FaultsTest, RED6_KilledRestartedEmptyAndFilledAgainUnderLoad) {
  FaultRig rig;
  const auto load = rig.load(1000);
  load->start();
  CheckedLoad::wait_for(load->tally.full, 50);
  rig.server.kill();
  CheckedLoad::wait_for(load->tally.failed, 50);
  CheckedLoad::wait_for(load->tally.degraded, 50);
  load->set_keys_missing(true);
  rig.server.start();
  CheckedLoad::wait_for(load->tally.partial, 50);
  rig.server.load(rig.data_file);
  load->set_keys_missing(false);
  CheckedLoad::wait_for(load->tally.full, 50);
  load->stop();
  EXPECT_EQ(load->tally.wrong.load(), 0) << load->first_wrong();
}

TEST(FaultsTest, RED6_StoppedUnderLoad) {
  FaultRig rig;
  const auto load = rig.load(200);
  load->start();
  CheckedLoad::wait_for(load->tally.full, 50);
  rig.server.pause();
  CheckedLoad::wait_for(load->tally.failed, 30);
  CheckedLoad::wait_for(load->tally.degraded, 30);
  rig.server.resume();
  CheckedLoad::wait_for(load->tally.full, 50);
  load->stop();
  EXPECT_EQ(load->tally.wrong.load(), 0) << load->first_wrong();
}

TEST(FaultsTest, RED6_SlowUnderLoad) {
  FaultRig rig;
  const auto load = rig.load(100);
  load->start();
  CheckedLoad::wait_for(load->tally.full, 50);
  // The server is busy first for less than a deadline, then for more, with time to answer in
  // between; then it is silent for a while without being busy.
  const std::int64_t before = load->tally.failed;
  rig.server.cli("-r 10 -i 0.02 DEBUG SLEEP 0.05");
  rig.server.cli("-r 5 -i 0.02 DEBUG SLEEP 0.2");
  EXPECT_GT(load->tally.failed, before);
  CheckedLoad::wait_for(load->tally.full, 50);
  rig.server.cli("CLIENT PAUSE 1000 ALL");
  CheckedLoad::wait_for(load->tally.failed, 20);
  CheckedLoad::wait_for(load->tally.full, 50);
  load->stop();
  EXPECT_EQ(load->tally.wrong.load(), 0) << load->first_wrong();
}

TEST(FaultsTest, RED5_DeadlinesThatFireDuringIo) {
  FaultRig rig;
  const char* const wanted = std::getenv("MILLRACE_FAULT_REQUESTS");
  const std::int64_t count = wanted != nullptr ? std::atoll(wanted) : 3000;
  const auto load = rig.load(0);
  load->start(count);
  load->wait();
  const CheckedLoad::Tally& tally = load->tally;
  EXPECT_EQ(tally.full + tally.degraded + tally.failed, count);
  EXPECT_EQ(tally.wrong.load(), 0) << load->first_wrong();
  ::testing::Test::RecordProperty("full", std::to_string(tally.full));
}

}  // namespace
}  // namespace millrace::live
