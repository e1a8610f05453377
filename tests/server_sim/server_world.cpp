#include "server_world.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "loop/executor.h"
#include "observe/exemplars.h"
#include "observe/prometheus_writer.h"
#include "runtime/adaptive_limit.h"

namespace millrace::server_sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A world that needs more turns does the same thing for ever.
constexpr std::uint64_t kTicksMax = 3'000'000;
constexpr int kLinesAtOnceMax = 16;

SimEngineSettings engine_settings(const Scenario& scenario) {
  return {.seed = scenario.seed,
          .loop_count = scenario.loop_count,
          .worker_count = scenario.worker_count,
          .admission = scenario.admission,
          .inlines = scenario.inlines,
          .deadline = scenario.deadline,
          .steady_store = scenario.steady_store};
}

/// A listener that the server may destroy while its clients, which belong to it, go on.
class LentListener final : public net::Listener {
 public:
  explicit LentListener(net::FakeListener& inner) : inner_(inner) {}
  ~LentListener() override { inner_.close(); }
  [[nodiscard]] const net::Address& address() const override { return inner_.address(); }
  void pause() override { inner_.pause(); }
  void resume() override { inner_.resume(); }
  void close_after_backlog() override { inner_.close_after_backlog(); }

 private:
  net::FakeListener& inner_;
};

double total(const std::vector<base::MetricSnapshot>& metrics,
             std::string_view metric,
             const std::vector<std::string_view>& outcomes = {}) {
  double sum = 0;
  for (const auto& one : metrics) {
    if (one.descriptor.name != metric) continue;
    for (const auto& series : one.series) {
      const bool counts = outcomes.empty() || std::ranges::any_of(outcomes, [&](auto outcome) {
                            return series.label_values.back() == outcome;
                          });
      if (counts) sum += series.value.value;
    }
  }
  return sum;
}

}  // namespace

ServerWorld::ServerWorld(const Scenario& scenario)
    : scenario_(scenario),
      random_(mix(scenario.seed, 2)),
      engine_(engine_settings(scenario)),
      pulses_(scenario.loop_count, engine_.clock.now()) {
  engine_.cost_of = [this](std::int64_t user, std::string_view node) {
    if (!scenario_.cpu_costs.empty()) return steady_cost(node);
    const std::uint64_t drawn =
        mix(mix(scenario_.seed, static_cast<std::uint64_t>(user)), node.size());
    return base::Duration(microseconds(10 + drawn % (drawn % 16 == 0 ? 20'000 : 800)));
  };
  engine_.on_body = [this](const BodyEvent& event) { judge_body(event); };
  for (std::size_t client = 0; client < scenario.clients.size(); ++client) {
    const ClientPlan& plan = scenario.clients[client];
    for (std::size_t ask = 0; ask < plan.asks.size(); ++ask) {
      const Ask& one = plan.asks[ask];
      const auto last =
          static_cast<std::size_t>(one.user) + std::max<std::size_t>(one.line_count, 1);
      if (origins_.size() < last) origins_.resize(std::max(last, 2 * origins_.size()));
      for (auto user = static_cast<std::size_t>(one.user); user < last; ++user)
        origins_[user] = {client, ask};
      if (one.kind == AskKind::kBadHead) hidden_[one.user] = true;
    }
  }
}

ServerWorld::~ServerWorld() {
  serving_.reset();
  engine_.drain(random_);
  limit_.reset();
  generation_.reset();
  retired_.clear();
}

void ServerWorld::start() {
  readiness_.expect({}, {"quick"});
  readiness_.report_plan("quick", std::nullopt);
  runtime::AdaptiveLimitSettings limits;
  limits.most = scenario_.admission.inflight_max;
  limits.least =
      std::min(std::max<std::int64_t>(4, 2 * std::int64_t{scenario_.worker_count}), limits.most);
  limits.start = std::min<std::int64_t>(limits.start, limits.most);
  limit_ = std::make_unique<server::LimitController>(
      server::LimitController::Parts{
          *engine_.admission, *engine_.pool, *engine_.pool, engine_.clock},
      limits);
  generation_ = engine_.make_generation(0);
  facts_.publications.push_back(
      {.active = 0, .canary = {}, .begun = {}, .done = base::TimePoint()});
  std::vector<loop::Loop*> loops;
  for (const auto& loop : engine_.loops) loops.push_back(loop.get());
  serving_ = std::make_unique<server::ServingLoops>(
      loops,
      scenario_.connections_max,
      [this](loop::Loop& loop, const std::function<void()>& function) {
        call_on_loop(loop, function);
      },
      [this](std::size_t index) { return make_loop(index); });
  open_before_.assign(serving_->size(), 0);
  const auto opened = serving_->listen(
      server::ListenerKind::kMain,
      [&](net::Acceptor& acceptor) -> base::Result<std::unique_ptr<net::Listener>> {
        listener_ = std::make_unique<net::FakeListener>(*loops.back(), acceptor);
        return std::make_unique<LentListener>(*listener_);
      });
  MR_CHECK(opened.has_value());
  listener_->on_receive = [this](net::FakePeer& peer) {
    const auto found = by_peer_.find(&peer);
    if (found != by_peer_.end()) found->second->on_receive();
  };
  for (std::size_t index = 0; index < scenario_.clients.size(); ++index) {
    clients_.push_back(std::make_unique<SimClient>(SimClient::World{.scenario = &scenario_,
                                                                    .clock = &engine_.clock,
                                                                    .judge = &judge_,
                                                                    .facts = &facts_,
                                                                    .listener = listener_.get()},
                                                   scenario_.clients[index],
                                                   mix(scenario_.seed, 100 + index)));
  }
}

std::unique_ptr<server::ServingLoop> ServerWorld::make_loop(std::size_t index) {
  server::ServingLoop::Parts parts{
      .index = index,
      .seed = mix(scenario_.seed, 10 + index),
      .pulses = &pulses_,
      .services = {.loop = engine_.loops[index].get(),
                   .admission = engine_.admission.get(),
                   .limit = limit_.get(),
                   .readiness = &readiness_,
                   .metrics = &metrics_,
                   .workers = engine_.pool.get(),
                   .metrics_page =
                       [this](std::string_view accept) {
                         std::string page;
                         observe::append_metrics(all_metrics(), observe::format_for(accept), page);
                         return page;
                       },
                   .stats_page = [] { return std::string("{}"); }},
      .front = {.deadline = scenario_.deadline},
      .http = {.head_timeout = scenario_.head_timeout, .write_timeout = scenario_.write_timeout},
      .retire = [this](std::shared_ptr<void> old) { retired_.push_back(std::move(old)); },
      .plans = engine_.plans_of(generation_, index)};
  return std::make_unique<server::ServingLoop>(std::move(parts));
}

void ServerWorld::call_on_loop(loop::Loop& loop, const std::function<void()>& function) {
  struct Call : loop::Job {
    explicit Call(const std::function<void()>& called)
        : Job([](Job& job) {
            auto& self = static_cast<Call&>(job);
            self.function();
            self.is_done = true;
          }),
          function(called) {}
    const std::function<void()>& function;
    bool is_done = false;
  };
  Call call(function);
  loop.post(call);
  while (!call.is_done) tick(base::TimePoint::max());
  // Whoever waits for something by asking again and again lets time pass.
  tick(base::TimePoint::max());
}

void ServerWorld::tick(base::TimePoint until) {
  if (!judge_.is_content()) {
    // The world is not needed any more, but whoever waits for a call must get out of it.
    (void)engine_.step(random_);
    return;
  }
  judge_.expect(++tick_count_ < kTicksMax, "world", "The world does not come to an end");
  let_clients_act();
  if (engine_.step(random_)) return judge_step();
  std::optional<base::TimePoint> next = engine_.next_time();
  for (SimClient* const client : active_) {
    client->look();
    const auto wanted = client->next_time();
    if (wanted && (!next || *wanted < *next)) next = wanted;
  }
  std::erase_if(active_, [](const SimClient* client) { return client->is_over(); });
  if (next_client_ < clients_.size()) {
    const auto wanted = clients_[next_client_]->next_time();
    if (wanted && (!next || *wanted < *next)) next = wanted;
  }
  const base::TimePoint time = next ? std::min(*next, until) : until;
  if (time == base::TimePoint::max()) return;
  engine_.clock.set(std::max(time, engine_.clock.now()));
  sample();
}

void ServerWorld::let_clients_act() {
  const base::TimePoint now = engine_.clock.now();
  while (next_client_ < clients_.size() &&
         base::TimePoint() + clients_[next_client_]->plan().connect_after <= now) {
    SimClient& client = *clients_[next_client_++];
    client.act();
    by_peer_[client.peer()] = &client;
    active_.push_back(&client);
  }
  for (SimClient* const client : active_) {
    const auto next = client->next_time();
    if (next && *next <= now) client->act();
  }
}

void ServerWorld::run_until(base::TimePoint time) {
  while (engine_.clock.now() < time && judge_.is_content()) tick(time);
}

base::Duration ServerWorld::steady_cost(std::string_view node) const {
  if (node != "cpu") return {};
  base::Duration cost{};
  for (const auto& [from, costs] : scenario_.cpu_costs) {
    if (base::TimePoint() + from <= engine_.clock.now()) cost = costs;
  }
  return cost;
}

void ServerWorld::sample() {
  while (next_sample_ <= engine_.clock.now()) {
    samples_.push_back(
        {next_sample_ - base::TimePoint(), engine_.admission->stats().limit, facts_.good_answers});
    next_sample_ += kSampleEvery;
  }
}

void ServerWorld::judge_step() {
  const runtime::AdmissionStats stats = engine_.admission->stats();
  if (stats.run_count > runs_before_)
    judge_.expect(stats.run_count <= std::max(stats.limit, limit_before_),
                  "S32",
                  "A run was admitted beyond the limit");
  runs_before_ = stats.run_count;
  limit_before_ = stats.limit;
  if (serving_ == nullptr || serving_->size() != open_before_.size()) return;
  std::size_t least = open_before_[0];
  for (const std::size_t open : open_before_) least = std::min(least, open);
  std::size_t changed = 0;
  for (std::size_t loop = 0; loop < open_before_.size(); ++loop) {
    const std::size_t open = serving_->spreader().open_count(loop);
    changed += open > open_before_[loop] ? open - open_before_[loop] : open_before_[loop] - open;
  }
  for (std::size_t loop = 0; loop < open_before_.size(); ++loop) {
    const std::size_t open = serving_->spreader().open_count(loop);
    if (changed == 1 && open > open_before_[loop])
      judge_.expect(open_before_[loop] == least, "S3", "A connection went to a loop with more");
    open_before_[loop] = open;
  }
}

void ServerWorld::judge_body(const BodyEvent& event) {
  const auto user = static_cast<std::size_t>(event.user);
  if (user >= origins_.size()) return;
  const Origin& origin = origins_[user];
  const SimClient& client = *clients_[origin.client];
  if (event.node == "store") {
    const Ask& ask = client.plan().asks[origin.ask];
    int& count = at_store_[{origin.client, origin.ask}];
    count += event.is_end ? -1 : 1;
    judge_.expect(ask.line_count == 0 || count <= kLinesAtOnceMax,
                  "S22",
                  "More than 16 lines of a batch run at once");
  }
  if (event.is_end) return;
  judge_.expect(!hidden_.contains(event.user), "S6", "A request behind a malformed one runs");
  judge_.expect(!client.closed_at() || engine_.clock.now() <= *client.closed_at(),
                client.plan().asks[origin.ask].line_count > 0 ? "S23" : "S11",
                base::format("Node {} of r{} began after its client had gone", event.node, user));
}

void ServerWorld::publish(int active, std::optional<int> canary) {
  facts_.has_canary |= canary.has_value();
  generation_ = engine_.make_generation(active, canary);
  const std::size_t place = facts_.publications.size();
  facts_.publications.push_back(
      {.active = active, .canary = canary, .begun = engine_.clock.now(), .done = {}});
  serving_->publish([&](std::size_t loop) { return engine_.plans_of(generation_, loop); });
  facts_.publications[place].done = engine_.clock.now();
}

void ServerWorld::drain() {
  const base::TimePoint begun = engine_.clock.now();
  facts_.drain_begun = begun;
  readiness_.begin_drain();
  serving_->announce_close();
  facts_.drain_announced = engine_.clock.now();
  run_until(begun + scenario_.drain_notice);
  facts_.accepting_ended = engine_.clock.now();
  serving_->stop_accepting();
  while (judge_.is_content() && !serving_->is_idle()) {
    if (engine_.clock.now() < begun + scenario_.drain_timeout) {
      run_until(engine_.clock.now() + milliseconds(10));
      continue;
    }
    facts_.gave_up_at = engine_.clock.now();
    serving_->give_up();
    break;
  }
}

std::optional<Violation> ServerWorld::run() {
  start();
  struct Control {
    base::Duration when;
    bool is_canary = false;
  };
  std::vector<Control> controls;
  for (const base::Duration when : scenario_.reloads) controls.push_back({when});
  if (scenario_.canary_at) controls.push_back({*scenario_.canary_at, true});
  std::ranges::sort(controls, {}, &Control::when);
  for (const Control& control : controls) {
    if (control.when >= scenario_.drain_after) break;
    run_until(base::TimePoint() + control.when);
    if (!judge_.is_content()) break;
    if (control.is_canary) {
      publish(facts_.publications.back().active, next_version_++);
    } else {
      publish(next_version_++, std::nullopt);
    }
  }
  run_until(base::TimePoint() + scenario_.drain_after);
  if (judge_.is_content()) drain();
  if (judge_.is_content()) judge_end();
  return judge_.violation();
}

std::vector<base::MetricSnapshot> ServerWorld::all_metrics() const {
  server::RequestLedger::Sums sums;
  for (std::size_t index = 0; index < serving_->size(); ++index)
    serving_->at(index).front().metrics().ledger().add_to(sums);
  auto metrics = metrics_.snapshot();
  observe::ExemplarTable exemplars;
  server::add_ledger_metrics(sums, metrics, exemplars);
  return metrics;
}

void ServerWorld::judge_end() {
  for (const auto& client : clients_) client->look();
  // The books of a loop go with it.
  const bool was_idle = serving_->is_idle();
  const auto metrics = all_metrics();
  const std::uint64_t seen_before = facts_.good_answers;
  serving_->close();
  for (const auto& client : clients_) client->look();
  engine_.drain(random_);
  for (const auto& client : clients_) client->judge_end();
  const runtime::AdmissionStats stats = engine_.admission->stats();
  judge_.expect(stats.run_count == 0, "S33", "A place in admission was never given back");
  judge_.expect(
      !was_idle || total(metrics, "rankd_inflight") == 0, "S36", "A request is counted for ever");
  const double good = total(metrics, "rankd_requests_total", {"ok", "degraded"});
  // What was still under way may be answered while the loops end, after their books were read.
  const auto seen = static_cast<double>(was_idle ? facts_.good_answers : seen_before);
  judge_.expect(seen <= good, "S36", "More good answers than were counted");
  if (!scenario_.is_harmless() || facts_.gave_up_at) return;
  judge_.expect(
      seen == good, "S36", base::format("{} good answers were counted, {} arrived", good, seen));
  const auto late = static_cast<double>(facts_.late_answers);
  judge_.expect(late == total(metrics, "rankd_requests_total", {"deadline"}),
                "S36",
                "Late answers are counted wrongly");
}

std::uint64_t ServerWorld::log_hash() const {
  std::uint64_t hash = 0;
  for (const auto& client : clients_) hash = mix(hash, client->log_hash());
  return mix(hash, tick_count_);
}

std::optional<Violation> check_seed(std::uint64_t seed) {
  // On the heap, because after a failure the remains of the world still refer to it.
  auto scenario = std::make_unique<Scenario>(make_scenario(seed));
  auto world = std::make_unique<ServerWorld>(*scenario);
  std::optional<Violation> violation = world->run();
  if (!violation && seed % 16 == 0) {
    ServerWorld again(*scenario);
    violation = again.run();
    if (!violation && again.log_hash() != world->log_hash())
      violation = Violation{"world", "The same seed went another way"};
  }
  if (violation) {
    [[maybe_unused]] const ServerWorld* left_behind = world.release();
    [[maybe_unused]] const Scenario* scenario_left_behind = scenario.release();
  }
  return violation;
}

}  // namespace millrace::server_sim
