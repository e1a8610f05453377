#include "bridge/redis_stream_components.h"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "bridge/bridge_fixture.h"
#include "bridge/redis_link.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_options.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::bridge {
namespace {

using namespace std::chrono_literals;
using stores::RespType;
using stores::RespValue;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

RespValue text(std::string content) {
  return {.type = RespType::kText, .text = std::move(content)};
}
RespValue list(std::vector<RespValue> elements) {
  return {.type = RespType::kArray, .elements = std::move(elements)};
}

/// A server with one stream of scripted entries; it can be switched off.
struct FakeServer {
  std::vector<RespValue> entries = {};  // `[id, [field, value]]`
  bool is_down = false;
  std::vector<std::string> commands = {};

  void add(const std::string& id, const std::string& field, const std::string& value) {
    entries.push_back(list({text(id), list({text(field), text(value)})}));
  }

  base::Result<RespValue> answer(std::span<const std::string> words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    commands.push_back(line);
    if (is_down) return base::fail(base::ErrorCode::kUnavailable, "gone");
    if (words[0] == "XREVRANGE")
      return list(entries.empty() ? std::vector<RespValue>() : std::vector{entries.back()});
    if (words[0] == "XADD") return text("9-" + std::to_string(commands.size()));
    if (words[0] != "XREAD") return RespValue{.type = RespType::kError, .text = "ERR unknown"};
    std::vector<RespValue> found;
    for (const RespValue& entry : entries) {
      const bool is_later = std::stoll(entry.elements[0].text) > std::stoll(words.back());
      if (is_later && found.size() < std::stoull(words[2])) found.push_back(entry);
    }
    if (found.empty()) return RespValue{.type = RespType::kNull};
    return list({list({text("s"), list(std::move(found))})});
  }
};

class FakeLink final : public RedisLink {
 public:
  explicit FakeLink(FakeServer& server) : server_(server) {}
  base::Result<RespValue> call(std::span<const std::string> words, base::Duration) override {
    return server_.answer(words);
  }

 private:
  FakeServer& server_;
};

graph::ComponentRegistry types(FakeServer& server) {
  graph::ComponentRegistry registry = graph::builtin_registry();
  EXPECT_TRUE(register_redis_stream_components(registry, [&server](const RedisLinkSettings&) {
    return std::make_unique<FakeLink>(server);
  }));
  return registry;
}

/// Reads every 10 ms; `out` and `status` are printed.
std::string reader(const std::string& config) {
  return graph_text(
      {"id: in, type: redis.stream_in, event_sources: [{type: timer, period: 10ms}], config: "
       "{address: '127.0.0.1:6379', stream: s, " +
           config + "}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: io, kind: immediate, from: in.out, to: o.in",
       "id: is, kind: immediate, from: in.status, to: o.status"});
}

TEST(RedisStreamIn, G67_EntriesBecomeMessagesInOrderAndOnce) {
  FakeServer server;
  server.add("5-0", "n", "1");
  server.add("6-0", "n", "text");
  server.add("7-0", "n", "3");
  const auto result =
      run_graph(reader("from: begin, count: 2, json: true"), types(server), {.duration = 35ms});
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(values(result),
              ElementsAre(R"({"ok":true})", R"({"n":1})", R"({"n":"text"})", R"({"n":3})"));
  EXPECT_THAT(server.commands,
              ElementsAre("XREAD COUNT 2 STREAMS s 0-0",
                          "XREAD COUNT 2 STREAMS s 6-0",
                          "XREAD COUNT 2 STREAMS s 7-0",
                          "XREAD COUNT 2 STREAMS s 7-0"));
}

TEST(RedisStreamIn, G67_NowMeansAfterTheLastEntryThatIsThere) {
  FakeServer server;
  server.add("5-0", "n", "1");
  const auto result = run_graph(reader("block: 20ms"), types(server), {.duration = 15ms});
  EXPECT_THAT(values(result), ElementsAre(R"({"ok":true})"));
  EXPECT_THAT(server.commands,
              ElementsAre("XREVRANGE s + - COUNT 1",
                          "XREAD COUNT 100 BLOCK 20 STREAMS s 5-0",
                          "XREAD COUNT 100 BLOCK 20 STREAMS s 5-0"));
}

TEST(RedisStreamIn, G67_AServerThatGoesAwayIsAskedAgainFromTheSamePlace) {
  FakeServer server;
  server.add("5-0", "n", "1");
  const graph::ComponentRegistry registry = types(server);
  const graph::CompileResult compiled =
      graph::compile_text(reader("from: begin"), graph::TextFormat::kYaml, registry);
  ASSERT_TRUE(compiled.graph);
  graph::RuntimeRunnerOptions options;
  options.virtual_time = options.keep_outputs = true;
  options.duration = 45ms;
  options.on_output = [&server](const graph::OutputRecord& output) {
    // Down from the first entry to the second report about it, and then there is more.
    const std::string value = output.value.to_json();
    if (value == R"({"n":"1"})") server.is_down = true;
    if (value.find("gone") == std::string::npos) return;
    server.is_down = false;
    server.add("8-0", "n", "2");
  };
  const auto result = graph::RuntimeRunner::run(*compiled.graph, registry, options);
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(values(result),
              ElementsAre(R"({"ok":true})",
                          R"({"n":"1"})",
                          R"({"ok":false,"problem":"gone"})",
                          R"({"ok":true})",
                          R"({"n":"2"})"));
}

TEST(RedisStreamIn, AServerThatNeverAnsweredIsAnErrorUnlessSomebodyListens) {
  FakeServer server;
  server.is_down = true;
  EXPECT_TRUE(run_graph(reader("from: begin"), types(server), {.steps = 3}).ok);
  const std::string deaf = graph_text(
      {"id: in, type: redis.stream_in, event_sources: [{type: timer, period: 10ms}], config: "
       "{address: '127.0.0.1:6379', stream: s}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: io, kind: immediate, from: in.out, to: o.in"});
  const auto result = run_graph(deaf, types(server), {.steps = 3});
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors.front().message, "gone");
}

TEST(RedisStreamIn, G48_ItsPlaceIsKeptInASnapshot) {
  FakeServer server;
  server.add("5-0", "n", "1");
  const auto first = run_graph(reader("from: begin"), types(server), {.steps = 2});
  ASSERT_EQ(first.snapshots.size(), 1U);
  EXPECT_EQ(first.snapshots.front().state.to_json(), R"({"last_id":"5-0"})");
  graph::RuntimeRunnerOptions options{.steps = 1};
  options.snapshots = first.snapshots;
  server.commands.clear();
  const auto second = run_graph(reader("from: begin"), types(server), options);
  EXPECT_TRUE(second.ok);
  EXPECT_THAT(server.commands, ElementsAre("XREAD COUNT 100 STREAMS s 5-0"));
}

TEST(RedisStreamOut, G67_MessagesBecomeEntries) {
  FakeServer server;
  const std::string graph = graph_text(
      {"id: s, type: core.values, config: {values: [{a: 1, b: x}, 7]}",
       "id: x, type: redis.stream_out, config: {address: 'unix:/r', stream: s, max_length: 9}, "
       "trigger_policy: {type: any_input}",
       "id: o, type: core.output, trigger_policy: {type: any_input}"},
      {"id: sx, kind: immediate, from: s.out, to: x.in",
       "id: xo, kind: immediate, from: x.out, to: o.in"});
  const auto result = run_graph(graph, types(server));
  EXPECT_THAT(server.commands,
              ElementsAre("XADD s MAXLEN ~ 9 * a 1 b x", "XADD s MAXLEN ~ 9 * value 7"));
  EXPECT_THAT(values(result), ElementsAre("\"9-1\"", "\"9-2\""));
  server.is_down = true;
  const auto down = run_graph(graph, types(server));
  ASSERT_EQ(down.errors.size(), 1U) << "a message that is not written is not dropped in silence";
  EXPECT_EQ(down.errors.front().component, "x");
}

TEST(RedisStreams, G7_MistakesInConfigHaveAPlace) {
  FakeServer server;
  EXPECT_THAT(report_of(reader("from: yesterday"), types(server)),
              HasSubstr("bad_config: Expected begin, now, or the id of an entry"));
  EXPECT_THAT(report_of(reader("count: 0"), types(server)), HasSubstr("bad_config"));
  EXPECT_THAT(report_of(reader("from: 5-"), types(server)), HasSubstr("bad_config"));
  const auto missing =
      run_graph(reader("password_env: NOT_SET_ANYWHERE"), types(server), {.steps = 1});
  ASSERT_EQ(missing.errors.size(), 1U);
  EXPECT_THAT(missing.errors.front().message, HasSubstr("NOT_SET_ANYWHERE"));
}

}  // namespace
}  // namespace millrace::bridge
