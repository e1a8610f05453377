#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/wall_clock.h"
#include "loop/fake_loop.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/request.h"
#include "rank/services.h"
#include "runtime/worker.h"
#include "runtime/worker_pool.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"
#include "tasks/task.h"
#include "tasks/task_registry.h"

// For tests only: the whole engine on one thread in virtual time. Bodies really run; a cpu node
// keeps its worker for as long as `costs` says, and time passes only between events.

namespace millrace::rank::testing {

/// What happened to a node, and when.
struct NodeEvent {
  std::string node;
  bool is_end = false;
  base::TimePoint when;
};

/// Notes every call of the body it stands in front of.
class NotingBody final : public tasks::TaskBody {
 public:
  using Note = std::function<void(const std::string& node, bool is_end)>;
  NotingBody(const tasks::PreparedNode& node, Note note)
      : inner_(*node.body), id_(node.node->id), note_(std::move(note)) {}

  [[nodiscard]] bool is_async() const override { return inner_.is_async(); }
  [[nodiscard]] base::Result<std::shared_ptr<const void>> load_params(
      const plan::CompiledNode& node, const tasks::LoadContext& load) const override {
    return inner_.load_params(node, load);
  }
  [[nodiscard]] base::Result<rows::RowSet> run(const tasks::TaskCall& call) const override {
    note_(id_, false);
    return inner_.run(call);
  }
  [[nodiscard]] loop::Task<base::Result<rows::RowSet>> run_async(
      tasks::TaskCall call) const override {
    note_(id_, false);
    base::Result<rows::RowSet> made = co_await inner_.run_async(std::move(call));
    note_(id_, true);
    co_return made;
  }

 private:
  const tasks::TaskBody& inner_;
  const std::string id_;
  const Note note_;
};

struct FailParams {
  std::string how;
  static void describe(tasks::ParamsDescription<FailParams>& params) {
    params.required("how", &FailParams::how, "Kind of failure");
  }
};

/// Fails in the way its param says.
inline base::Result<rows::RowSet> fail_as_asked(const rows::RowSet&, const FailParams& params) {
  static const std::map<std::string, base::ErrorCode, std::less<>> kCodes{
      {"unavailable", base::ErrorCode::kUnavailable},
      {"limit", base::ErrorCode::kResourceExhausted},
      {"internal", base::ErrorCode::kInternal},
      {"own", base::ErrorCode::kNodeFailed}};
  const auto code = kCodes.find(params.how);
  // A library that throws is no reason to end the process.
  const base::ErrorCode kind =
      code != kCodes.end() ? code->second : static_cast<base::ErrorCode>(params.how.at(1000));
  return base::fail(kind, "Failed as asked");
}

/// A request under test.
class TestCall final : public RankCall {
 public:
  explicit TestCall(const base::Clock& clock) : clock_(clock) {}
  [[nodiscard]] bool is_answered() const { return answer_count_ > 0; }
  [[nodiscard]] int answer_count() const { return answer_count_; }
  [[nodiscard]] base::TimePoint answered_at() const { return answered_at_; }
  /// The JSON under a top-level name, as bytes; empty if there is none.
  [[nodiscard]] std::string part(std::string_view name) const;
  [[nodiscard]] std::string candidates() const { return part("candidates"); }
  [[nodiscard]] std::string error_code() const;

 private:
  void on_answer() override {
    ++answer_count_;
    answered_at_ = clock_.now();
  }
  const base::Clock& clock_;
  int answer_count_ = 0;
  base::TimePoint answered_at_{};
};

inline std::string TestCall::part(std::string_view name) const {
  base::JsonReader reader;
  base::JsonDocument document;
  MR_CHECK(reader.read(response(), document).has_value());
  std::size_t end = response().size() - 1;
  std::string found;
  // Members in reverse: each ends where the next one begins.
  std::vector<base::JsonValue> members;
  for (const base::JsonValue member : document.root().children()) members.push_back(member);
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->key() == name) found = response().substr(member->offset(), end - member->offset());
    end = member->key_offset() - 1;
  }
  return found;
}

inline std::string TestCall::error_code() const {
  base::JsonReader reader;
  base::JsonDocument document;
  MR_CHECK(reader.read(response(), document).has_value());
  const auto error = document.root().find_member("error");
  return error ? std::string(*error->find_member("code")->find_string()) : std::string();
}

/// Names that plans of tests may use.
inline plan::Registry test_registry() {
  auto read = plan::read_registry(
      {.keys = "[keys.score]\ntype = \"float\"\n[keys.boost]\ntype = \"float\"\n"
               "[keys.likes]\ntype = \"int\"\n[keys.name]\ntype = \"string\"\n",
       .params = "[params.weight]\ntype = \"float\"\n[params.tag]\ntype = \"string\"\n"
                 "[params.floor]\ntype = \"int\"\nnullable = false\ndefault = 2\n"
                 "[params.frozen]\ntype = \"int\"\nallow_write = false\n",
       .endpoints = "[dev.store]\nkind = \"embedded\"\ndata_file = \"x\"\n"
                    "[test.store]\nkind = \"embedded\"\ndata_file = \"x\"\n"
                    "[prod.store]\nkind = \"embedded\"\ndata_file = \"x\"\n"},
      plan::Environment::kDev);
  MR_CHECK(read.has_value(), read ? "" : read.error().to_text());
  return *std::move(read);
}

/// Threading: not shared.
class RankRig {
 public:
  explicit RankRig(std::uint32_t worker_count = 2, plan::Registry names = test_registry())
      : loop(clock), registry(std::move(names)) {
    MR_CHECK(tasks::register_row_tasks(tasks).has_value());
    const base::Status added = tasks::register_task(tasks,
                                                    {.op = "fail_as",
                                                     .doc = "Fails as asked.",
                                                     .kind = plan::TaskKind::kCpu,
                                                     .rows = plan::OutputRows::kSame,
                                                     .can_fail = true},
                                                    fail_as_asked);
    MR_CHECK(added.has_value(), added ? "" : added.error().to_string());
    auto made = runtime::WorkerPool::create_undriven(
        {.compute_threads = worker_count, .callers_help = false}, clock);
    MR_CHECK(made.has_value());
    pool = *std::move(made);
    drivers_.resize(pool->thread_count());
    services = {.loop = &loop,
                .workers = pool.get(),
                .clients = clients,
                .loop_scratch = &scratch_,
                .scratches = &scratches_,
                .wall_clock = &wall_clock};
  }
  // Late bodies use all of this; they must be done before it goes.
  ~RankRig() { drain(); }
  RankRig(const RankRig&) = delete;
  RankRig& operator=(const RankRig&) = delete;

  /// Compiles and loads an artifact; its nodes leave notes.
  LoadedPlan& load(std::string_view artifact,
                   LoadOptions options = {},
                   const plan::CompileOptions& passes = {}) {
    auto compiled = plan::compile_plan(artifact, registry, tasks, passes);
    MR_CHECK(compiled.has_value(), compiled ? "" : compiled.error().to_text());
    // No cpu node runs on the loop: there it would take no virtual time.
    options.costs.inline_threshold = base::Duration(0);
    auto loaded = LoadedPlan::load(*compiled, registry, tasks, options);
    MR_CHECK(loaded.has_value(), loaded ? "" : loaded.error().to_string());
    LoadedPlan& plan = **loaded;
    for (const PlanNode& node : plan.nodes()) {
      bodies_.push_back(std::make_unique<NotingBody>(
          node.prepared, [this](const std::string& id, bool is_end) { note(id, is_end); }));
      // The plan is ours and no request has seen it yet.
      const_cast<PlanNode&>(node).prepared.body = bodies_.back().get();
    }
    MR_CHECK(plans.add(*std::move(loaded)).has_value());
    return plan;
  }

  /// Starts a request, which goes on with `run` and `advance_to`.
  std::unique_ptr<TestCall> start(std::string_view request) {
    services.clients = clients;
    if (ranker == nullptr) ranker = std::make_unique<Ranker>(plans, services, options);
    auto call = std::make_unique<TestCall>(clock);
    ranker->start(*call, reader, request);
    return call;
  }
  /// Lets time pass until the request is answered.
  std::unique_ptr<TestCall> ask(std::string_view request) {
    auto call = start(request);
    while (!call->is_answered()) MR_CHECK(step(), "nothing will ever answer this");
    return call;
  }
  /// Lets everything happen that happens by itself.
  void drain() {
    while (step()) {
    }
  }
  /// Does all that can be done now, or else moves to the next event. False: there is none.
  bool step() {
    if (do_what_is_due()) return true;
    std::optional<base::TimePoint> next = loop.next_deadline();
    for (const Driver& driver : drivers_) {
      if (driver.until) next = next ? std::min(*next, *driver.until) : *driver.until;
    }
    if (!next) return false;
    clock.set(std::max(*next, clock.now()));
    return true;
  }

  /// Ids of the nodes in the order in which their bodies began or ended.
  [[nodiscard]] std::string order(bool of_ends = false) const {
    std::string text;
    for (const NodeEvent& event : events) {
      if (event.is_end == of_ends) text += (text.empty() ? "" : " ") + event.node;
    }
    return text;
  }

  base::ManualClock clock;
  base::ManualWallClock wall_clock;
  loop::FakeLoop loop;
  std::unique_ptr<runtime::WorkerPool> pool;
  tasks::TaskRegistry tasks;
  plan::Registry registry;
  std::vector<tasks::EndpointClient*> clients;
  LoopServices services;
  RankOptions options;
  RequestReader reader;
  std::map<std::string, base::Duration, std::less<>> costs;  ///< of cpu nodes, by id
  std::vector<NodeEvent> events;
  PlanSet plans;
  std::unique_ptr<Ranker> ranker;

 private:
  struct Driver {
    std::optional<base::TimePoint> until;  // the body is under way until then
    std::string node;
  };

  void note(const std::string& node, bool is_end) {
    events.push_back({node, is_end, clock.now()});
    if (!is_end) last_begun_ = node;
  }

  bool do_what_is_due() {
    bool moved = loop.run_ready() > 0;
    for (std::uint32_t index = 0; index < drivers_.size(); ++index) moved |= drive(index);
    // A worker that found only async nodes has handed them to the loop and has nothing to do.
    return moved || loop.has_ready();
  }

  bool drive(std::uint32_t index) {
    Driver& driver = drivers_[index];
    runtime::Worker& worker = *pool->worker_at(index);
    const runtime::DriverScope scope(worker);
    if (!driver.until) {
      last_begun_.clear();
      if (!worker.start()) return false;
      const auto cost = costs.find(last_begun_);
      driver.node = last_begun_;
      driver.until = clock.now() + (cost != costs.end() ? cost->second : base::Duration(0));
    }
    if (*driver.until > clock.now()) return false;
    driver.until.reset();
    if (!driver.node.empty()) note(driver.node, true);
    worker.finish();
    return true;
  }

  std::vector<Driver> drivers_;
  std::string last_begun_;
  std::vector<std::unique_ptr<NotingBody>> bodies_;
  tasks::TaskScratch scratch_;
  tasks::ScratchPool scratches_;
};

/// An artifact with these nodes; outputs and keys as JSON arrays.
inline std::string plan_text(std::string_view nodes,
                             std::string_view outputs,
                             std::string_view keys = R"(["id"])",
                             std::string_view name = "p") {
  return base::format(
      R"({{"schema_version": 1, "name": "{}", "nodes": [{}], "outputs": {}, "output_keys": {}}})",
      name,
      nodes,
      outputs,
      keys);
}

/// A source of ids 1..count.
inline std::string source_node(int count, std::string_view id = "src") {
  return base::format(
      R"({{"id": "{}", "op": "fixed_source", "inputs": [], "params": {{"row_count": {}}}}})",
      id,
      count);
}
/// A node behind another; `more` holds further fields.
inline std::string node(std::string_view id,
                        std::string_view op,
                        std::string_view input,
                        std::string_view params,
                        std::string_view more = "") {
  return base::format(R"(, {{"id": "{}", "op": "{}", "inputs": ["{}"], "params": {}{}{}}})",
                      id,
                      op,
                      input,
                      params,
                      more.empty() ? "" : ", ",
                      more);
}

}  // namespace millrace::rank::testing
