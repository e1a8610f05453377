// The shipped example of trending items, from a Redis stream to the answer of a plan.

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/extensions.h"
#include "apps/rankd/graph_run.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/settings.h"
#include "host/waiting_call.h"
#include "rank/request.h"
#include "redis_server.h"

namespace millrace::live {
namespace {

using ::testing::HasSubstr;

/// The example's graph with the address of a server of the test.
std::string graph_at(const RedisServer& server) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/trending/trending.yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::string graph = text.str();
  const std::string address = "127.0.0.1:6379";
  const std::size_t at = graph.find(address);
  EXPECT_NE(at, std::string::npos);
  return graph.replace(at, address.size(), "127.0.0.1:" + std::to_string(server.port()));
}

std::string ask(host::Engine& engine) {
  host::WaitingCall call;
  rank::RequestReader reader;
  call.run(engine.ranker(0), reader, R"({"user_id":1,"plan":"trending_feed"})");
  return call.response();
}

/// Asks until the answer has a text, which the graph brings about by itself.
std::string ask_until(host::Engine& engine, const std::string& text) {
  while (true) {
    std::string answer = ask(engine);
    if (answer.find(text) != std::string::npos) return answer;
    std::this_thread::yield();
  }
}

TEST(TrendingTest, G70_ViewsInAStreamBecomeCandidatesOfAPlan) {
  const RedisServer server;
  const TempFolder folder;
  host::Settings settings;
  settings.root = std::string(MILLRACE_SOURCE_DIR) + "/examples/graphs/trending";
  settings.cpu_threads = 1;
  settings.loops = 1;
  const auto graph = rankd::load_graph(folder.write("trending.yaml", graph_at(server)), settings);
  ASSERT_TRUE(graph) << graph.error().text;
  const auto project = host::Project::open(settings, rankd::rankd_extensions(graph->get()));
  ASSERT_TRUE(project) << project.error().text;
  const auto engine = host::Engine::start(settings, **project);
  ASSERT_TRUE(engine) << engine.error().text;
  rankd::GraphRun run(graph->get());
  const auto started = run.start(**engine, nullptr);
  ASSERT_TRUE(started) << started.error().text;
  // The graph reads what comes after its start; a view that it has missed is sent again.
  int count = 2;
  for (; ask(**engine).find(R"("id":17)") == std::string::npos; ++count) {
    server.cli("XADD views '*' item 17");
  }
  const std::string more = std::to_string(count);
  server.cli("EVAL \"for i = 1, ARGV[1] do redis.call('XADD', 'views', '*', 'item', '5') end\" 0 " +
             more);
  const std::string answer =
      ask_until(**engine, R"("candidates":[{"id":5,"fields":{"views":)" + more + R"(}},{"id":17,)");
  EXPECT_THAT(answer, HasSubstr(R"("state":{"graph":"trending","tables":{"trending":)"));
  // A server that goes away is an outage of the source, not of the graph.
  server.cli("CLIENT KILL TYPE normal");
  EXPECT_THAT(ask(**engine), HasSubstr(R"("id":5)"));
  EXPECT_EQ((*graph)->problem(), std::nullopt);
}

}  // namespace
}  // namespace millrace::live
