// Plans on a real cluster: the same bytes as on embedded data, and an answer to every request when
// a master is killed under load.

#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "answer_text.h"
#include "base/format.h"
#include "checked_load.h"
#include "known_answers.h"
#include "redis_cluster.h"
#include "redis_project.h"
#include "redis_server.h"

namespace millrace::live {
namespace {

constexpr int kClusterUsers = 20;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ClusterPlansTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = std::make_unique<RedisCluster>();
    folder_ = std::make_unique<TempFolder>();
    const std::string data =
        read_file(MILLRACE_SOURCE_DIR "/data/demo.redis") + known_data(kClusterUsers);
    data_file_ = folder_->write("all.redis", data);
    cluster_->load(data);
    registry_ = registry_at(cluster_->master(0), patient());
    embedded_ =
        std::make_unique<RunningEngine>(registry_, "dev", std::vector<std::string>{kGuardedPlan});
  }
  static void TearDownTestSuite() {
    embedded_.reset();
    folder_.reset();
    cluster_.reset();
  }
  static std::string registry_at(const RedisServer& node, const std::string& policy) {
    return write_registry(*folder_, tcp_address(node) + "\ncluster = true", policy, data_file_);
  }

  static inline std::unique_ptr<RedisCluster> cluster_;
  static inline std::unique_ptr<TempFolder> folder_;
  static inline std::string data_file_;
  static inline std::string registry_;
  static inline std::unique_ptr<RunningEngine> embedded_;
};

TEST_F(ClusterPlansTest, RED10_EveryPlanAnswersTheSameBytesAsOnEmbeddedData) {
  const RunningEngine redis(registry_, "test");
  std::size_t compared = 0;
  for (const std::string_view name : redis.engine->plans().names()) {
    for (int user = 0; user <= 101; user += 10) {
      const std::string request = base::format(R"({{"user_id": {}, "plan": "{}"}})", user, name);
      EXPECT_EQ(answer(*redis.engine, request), answer(*embedded_->engine, request)) << request;
      ++compared;
    }
  }
  EXPECT_GT(compared, 90U);
}

// Must be the last test: it leaves a cluster without one of its masters.
TEST_F(ClusterPlansTest, RED13_EveryRequestIsAnsweredWhenAMasterIsKilledUnderLoad) {
  const std::vector<PlanAnswers> plans = known_plans(*embedded_->engine, kClusterUsers);
  const RunningEngine redis(
      registry_at(cluster_->master(1), "{ connect_timeout = '2s', request_timeout = '2s' }"),
      "test",
      {kGuardedPlan});
  CheckedLoad load(
      *redis.engine, plans, {.slots = 16, .users = kClusterUsers, .deadline_ms = 1000});
  load.start();
  CheckedLoad::wait_for(load.tally.full, 50);
  cluster_->pass_on(1);
  // Kill the very node that the endpoint names.
  cluster_->master(1).kill();
  CheckedLoad::wait_for(load.tally.failed, 20);
  CheckedLoad::wait_for(load.tally.degraded, 20);
  // Ends only after a replica has taken over.
  CheckedLoad::wait_for(load.tally.full, 500);
  load.stop();
  EXPECT_EQ(load.tally.wrong.load(), 0) << load.first_wrong();
}

}  // namespace
}  // namespace millrace::live
