#include "batch_fixture.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace millrace::e2e {
namespace {

using live::NatsServer;

// Well below that of ctest, so that a test which waits in vain says why. A worker that died keeps
// its lines for 30 s.
constexpr base::Duration kTestLimit = std::chrono::seconds(240);
constexpr base::Duration kLookAgain = std::chrono::milliseconds(100);
// Where lines are counted that are done within a second.
constexpr base::Duration kLookSoon = std::chrono::milliseconds(10);
constexpr std::size_t kStoryBytes = 2000;

std::unique_ptr<nats::Client> connected(const NatsServer& server) {
  auto client = nats::Client::connect({.urls = {server.url()}});
  if (!client) throw std::runtime_error(client.error().message());
  return *std::move(client);
}

}  // namespace

std::string batch_shell(const NatsServer& server) {
  return "NATS=" + server.url() +
         "\n"
         "batch() { a=$1; shift; engine/bin/rankd batch $a --root . --nats $NATS \"$@\"; }\n"
         "lines() { i=1; while [ $i -le $1 ]; do echo "
         "\"{\\\"user_id\\\":$((i % 100 + 1)),\\\"limit\\\":2,\\\"request_id\\\":\\\"r$i\\\"}\"; "
         "i=$((i+1)); done; }\n"
         "plain() { sed 's/\"took_ms\":[0-9.e-]*//; s/\"engine_request_id\":\"[^\"]*\"//' $1; }\n"
         "ledger() { rm -f $1.out; batch fetch --job $1 --out $1.out || return\n"
         "  engine/bin/rankd --root . --plan_name complex_dag <$2 >direct\n"
         "  plain $1.out >a; plain direct >b; cmp a b && echo \"ledger $(wc -l <a)\"; }\n";
}

JobBench::JobBench(const NatsServer& server, const Root& root, std::string job)
    : server_(server),
      root_(root),
      url_(server.url()),
      client_(connected(server)),
      jetstream_(client_->box()),
      store_(jetstream_, std::move(job)),
      deadline_(base::steady_clock().now() + kTestLimit) {}

std::unique_ptr<live::Child> JobBench::start(const std::string& action,
                                             const std::string& log,
                                             const std::vector<std::string>& more) const {
  std::vector<std::string> words{"engine/bin/rankd", "batch", action};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--root", ".", "--nats", url_, "--job", store_.names().job()});
  return std::make_unique<live::Child>(root_.path(), std::move(words), log);
}

bool JobBench::wait_until(const std::function<bool(const jobs::JobState&)>& is_wanted,
                          live::Child& child) {
  while (base::steady_clock().now() < deadline_) {
    // Without an answer the server is not back yet.
    if (const auto state = store_.state(); state && is_wanted(*state)) return true;
    (void)child.wait(kLookAgain);
  }
  return false;
}

bool JobBench::wait_for(std::uint64_t done_count, live::Child& child) {
  return wait_until(
      [done_count](const jobs::JobState& state) { return state.done_count >= done_count; }, child);
}

std::optional<std::uint64_t> JobBench::wait_for(std::uint64_t done_count,
                                                live::Child& child,
                                                base::Duration limit) {
  const base::TimePoint end = base::steady_clock().now() + limit;
  while (base::steady_clock().now() < deadline_) {
    const auto state = store_.state();
    const bool is_time_over = base::steady_clock().now() >= end;
    if (state && (is_time_over || state->done_count >= done_count)) return state->done_count;
    if (child.wait(kLookSoon)) {
      const auto last = store_.state();
      return last && last->is_done() ? std::optional(last->done_count) : std::nullopt;
    }
  }
  return std::nullopt;
}

void JobBench::deliver_again_after(std::chrono::seconds pause) {
  const auto made = jetstream_.make_consumer(
      store_.names().queue_stream(),
      jobs::JobStore::kConsumer,
      R"({"durable_name":"work","ack_policy":"explicit","deliver_policy":"all",)"
      R"("max_ack_pending":4096,"max_deliver":-1,"replay_policy":"instant","ack_wait":)" +
          std::to_string(std::chrono::nanoseconds(pause).count()) + "}");
  if (!made) throw std::runtime_error(made.error().message());
}

int JobBench::wait_for_end(live::Child& child) {
  const base::Duration left = deadline_ - base::steady_clock().now();
  return child.wait(std::max(left, kLookAgain)).value_or(-1);
}

std::string JobBench::ledger(const std::string& input) const {
  const ShellResult result =
      root_.run(batch_shell(server_) + "ledger " + store_.names().job() + " " + input + "\n");
  return result.out.substr(0, kStoryBytes) + result.err.substr(0, kStoryBytes);
}

std::string JobBench::story(const std::vector<std::string>& logs) {
  std::string text;
  if (const auto state = store_.state()) {
    text += "done " + std::to_string(state->done_count) + ", waiting " +
            std::to_string(state->waiting_count) + ", in flight " +
            std::to_string(state->in_flight_count) + ", queued " +
            std::to_string(state->queued_count) + "\n";
    if (const auto done = store_.done_lines(state->manifest.line_count))
      text += "lines without a result: " + jobs::missing_text(*done) + "\n";
  } else {
    text += state.error().message() + "\n";
  }
  text += "nats-server: " + server_.last_words() + "\n";
  for (const std::string& log : logs) {
    const std::string said = root_.read(log);
    text += log + ": " + said.substr(said.size() - std::min(said.size(), kStoryBytes)) + "\n";
  }
  return text;
}

}  // namespace millrace::e2e
