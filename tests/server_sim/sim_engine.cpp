#include "sim_engine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "loop/awaitables.h"
#include "plan/compiler.h"
#include "rank/loaded_plan.h"
#include "runtime/worker.h"
#include "scenario.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/params_description.h"

namespace millrace::server_sim {
namespace {

using Note = std::function<void(std::int64_t user, const std::string& node, bool is_end)>;

/// Tells who runs it.
class NotingBody final : public tasks::TaskBody {
 public:
  NotingBody(const tasks::PreparedNode& node, Note note)
      : inner_(*node.body), id_(node.node->id), note_(std::move(note)) {}

  [[nodiscard]] bool is_async() const override { return inner_.is_async(); }
  [[nodiscard]] base::Result<std::shared_ptr<const void>> load_params(
      const plan::CompiledNode& node, const tasks::LoadContext& load) const override {
    return inner_.load_params(node, load);
  }
  [[nodiscard]] base::Result<rows::RowSet> run(const tasks::TaskCall& call) const override {
    note_(call.context.request().user_id, id_, false);
    return inner_.run(call);
  }
  [[nodiscard]] loop::Task<base::Result<rows::RowSet>> run_async(
      tasks::TaskCall call) const override {
    const std::int64_t user = call.context.request().user_id;
    note_(user, id_, false);
    base::Result<rows::RowSet> made = co_await inner_.run_async(std::move(call));
    note_(user, id_, true);
    co_return made;
  }

 private:
  const tasks::TaskBody& inner_;
  const std::string id_;
  const Note note_;
};

struct StoreParams {
  std::int64_t seed = 0;
  std::int64_t steady_us = 0;
  static void describe(tasks::ParamsDescription<StoreParams>& params) {
    params.required("seed", &StoreParams::seed, "Decides what becomes of each user");
    params.required("steady_us", &StoreParams::steady_us, "If positive: answers all after this");
  }
};

/// A store that answers, fails or never answers, by user.
loop::Task<base::Result<rows::RowSet>> ask_store(rows::RowSet rows,
                                                 const StoreParams* params,
                                                 tasks::TaskContext context) {
  UserFate fate = fate_of(static_cast<std::uint64_t>(params->seed), context.request().user_id);
  if (params->steady_us > 0) fate = {.after = std::chrono::microseconds(params->steady_us)};
  const base::Duration after =
      fate.fate == Fate::kHangs ? base::Duration(std::chrono::hours(1)) : fate.after;
  MR_CO_TRY_STATUS(co_await loop::sleep_for(context.loop(), after, context.stop_token()));
  if (fate.fate == Fate::kFails)
    co_return base::fail(base::ErrorCode::kUnavailable, "The store is away");
  co_return std::move(rows);
}

struct WorkParams {
  static void describe(tasks::ParamsDescription<WorkParams>& /*params*/) {}
};

/// Keeps a worker for the time that `SimEngine::cost_of` says.
base::Result<rows::RowSet> work(const rows::RowSet& rows, const WorkParams& /*params*/) {
  return rows;
}

plan::Registry make_registry() {
  const std::string endpoint = "kind = \"embedded\"\ndata_file = \"x\"\n";
  auto read = plan::read_registry({.keys = "",
                                   .params = "",
                                   .endpoints = "[dev.store]\n" + endpoint + "[test.store]\n" +
                                                endpoint + "[prod.store]\n" + endpoint},
                                  plan::Environment::kDev);
  MR_CHECK(read.has_value(), read ? "" : read.error().to_text());
  return *std::move(read);
}

std::string artifact_of(std::string_view plan, int version, const SimEngineSettings& settings) {
  std::string nodes = base::format(
      R"({{"id":"source","op":"fixed_source","inputs":[],"params":{{"row_count":{}}}}})",
      version + 2);
  std::string last = "source";
  if (plan != "quick") {
    nodes += base::format(
        R"(,{{"id":"store","op":"ask_store","inputs":["{}"],"params":{{"seed":{},"steady_us":{}}}}})",
        last,
        settings.seed,
        std::chrono::duration_cast<std::chrono::microseconds>(
            settings.steady_store.value_or(base::Duration(0)))
            .count());
    last = "store";
  }
  if (plan != "store") {
    nodes += base::format(R"(,{{"id":"cpu","op":"work","inputs":["{}"],"params":{{}}}})", last);
    last = "cpu";
  }
  return base::format(
      R"({{"schema_version":1,"name":"{}","version":"v{}","nodes":[{}],"outputs":["{}"],"output_keys":["id"]}})",
      plan,
      version,
      nodes,
      last);
}

constexpr std::array<std::string_view, 3> kPlanNames = {"quick", "store", "mixed"};

}  // namespace

std::string candidates_of(int version) {
  std::string text = "\"candidates\":[";
  for (int id = 1; id <= version + 2; ++id)
    text += (id > 1 ? "," : "") + base::format(R"({{"id":{},"fields":{{}}}})", id);
  return text + "]";
}

SimEngine::SimEngine(const SimEngineSettings& settings)
    : settings_(settings), registry_(make_registry()), named_counts_(settings.loop_count) {
  MR_CHECK(tasks::register_row_tasks(tasks_).has_value());
  const base::Status added = tasks::register_task(tasks_,
                                                  {.op = "ask_store",
                                                   .doc = "Asks a store of the simulation.",
                                                   .kind = plan::TaskKind::kAsync,
                                                   .rows = plan::OutputRows::kSame,
                                                   .can_fail = true,
                                                   .shareable = false},
                                                  ask_store);
  MR_CHECK(added.has_value(), added ? "" : added.error().to_string());
  const base::Status worked = tasks::register_task(tasks_,
                                                   {.op = "work",
                                                    .doc = "Takes the time of a worker.",
                                                    .kind = plan::TaskKind::kCpu,
                                                    .rows = plan::OutputRows::kSame,
                                                    .shareable = false},
                                                   work);
  MR_CHECK(worked.has_value(), worked ? "" : worked.error().to_string());
  auto made = runtime::WorkerPool::create_undriven(
      {.compute_threads = settings.worker_count, .callers_help = false}, clock);
  MR_CHECK(made.has_value());
  pool = *std::move(made);
  drivers_.resize(pool->thread_count());
  auto gate = runtime::Admission::create(settings.admission, *pool);
  MR_CHECK(gate.has_value());
  admission = *std::move(gate);
  for (std::size_t index = 0; index < settings.loop_count; ++index) {
    loops.push_back(std::make_unique<loop::FakeLoop>(clock));
    scratch_.push_back(std::make_unique<tasks::TaskScratch>());
    services_.push_back({.loop = loops[index].get(),
                         .workers = pool.get(),
                         .loop_scratch = scratch_[index].get(),
                         .scratches = &scratches_,
                         .wall_clock = &wall_clock,
                         .admission = admission.get(),
                         .loop_index = index,
                         .loop_count = settings.loop_count,
                         .named_count = &named_counts_[index]});
  }
}

SimEngine::~SimEngine() = default;

std::shared_ptr<rank::LoadedPlan> SimEngine::load(
    const std::string& artifact, std::vector<std::unique_ptr<tasks::TaskBody>>& bodies) {
  auto compiled = plan::compile_plan(artifact, registry_, tasks_);
  MR_CHECK(compiled.has_value(), compiled ? "" : compiled.error().to_text());
  rank::LoadOptions options;
  if (!settings_.inlines) options.costs.inline_threshold = base::Duration(0);
  auto loaded = rank::LoadedPlan::load(*compiled, registry_, tasks_, options);
  MR_CHECK(loaded.has_value(), loaded ? "" : loaded.error().to_string());
  for (const rank::PlanNode& node : (*loaded)->nodes()) {
    bodies.push_back(std::make_unique<NotingBody>(
        node.prepared,
        [this](std::int64_t user, const std::string& id, bool is_end) { note(user, id, is_end); }));
    // The plan is ours and no request has seen it yet.
    const_cast<rank::PlanNode&>(node).prepared.body = bodies.back().get();
  }
  return *std::move(loaded);
}

SimGeneration::SimGeneration(SimEngine& engine, int version, std::optional<int> canary)
    : version_(version) {
  for (const std::string_view name : kPlanNames) {
    MR_CHECK(
        plans_.add(engine.load(artifact_of(name, version, engine.settings_), bodies_)).has_value());
    if (!canary) continue;
    auto other = engine.load(artifact_of(name, *canary, engine.settings_), bodies_);
    plans_.add_version(other);
    plans_.set_canary(*other, 50);
  }
  for (const rank::LoopServices& services : engine.services_)
    rankers_.push_back(std::make_unique<rank::Ranker>(
        plans_, services, rank::RankOptions{.deadline = engine.settings_.deadline}));
}

std::shared_ptr<SimGeneration> SimEngine::make_generation(int version, std::optional<int> canary) {
  return std::make_shared<SimGeneration>(*this, version, canary);
}

server::LoopPlans SimEngine::plans_of(const std::shared_ptr<SimGeneration>& generation,
                                      std::size_t loop) {
  return {.ranker = &generation->ranker(loop),
          .plans = &generation->plans(),
          .registry = &registry_,
          .owner = generation};
}

void SimEngine::note(std::int64_t user, const std::string& node, bool is_end) {
  if (is_on_worker_ && !is_end) {
    begun_user_ = user;
    begun_node_ = node;
  }
  if (on_body) on_body({.user = user, .node = node, .is_end = is_end});
}

bool SimEngine::drive(std::size_t index) {
  Driver& driver = drivers_[index];
  runtime::Worker& worker = *pool->worker_at(static_cast<std::uint32_t>(index));
  const runtime::DriverScope scope(worker);
  if (!driver.until) {
    begun_node_.clear();
    is_on_worker_ = true;
    const bool has_begun = worker.start();
    is_on_worker_ = false;
    if (!has_begun) return false;
    driver.user = begun_user_;
    driver.node = begun_node_;
    const bool has_cost = !driver.node.empty() && cost_of;
    driver.until = clock.now() + (has_cost ? cost_of(driver.user, driver.node) : base::Duration(0));
    return true;
  }
  if (*driver.until > clock.now()) return false;
  driver.until.reset();
  if (!driver.node.empty() && on_body)
    on_body({.user = driver.user, .node = driver.node, .is_end = true});
  worker.finish();
  return true;
}

bool SimEngine::step(base::Random& random) {
  const std::size_t count = loops.size() + drivers_.size();
  const std::size_t first = random.below(count);
  for (std::size_t offset = 0; offset < count; ++offset) {
    const std::size_t choice = (first + offset) % count;
    if (choice < loops.size() ? loops[choice]->run_one() : drive(choice - loops.size()))
      return true;
  }
  return false;
}

std::optional<base::TimePoint> SimEngine::next_time() const {
  std::optional<base::TimePoint> next;
  const auto consider = [&next](const std::optional<base::TimePoint>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  for (const auto& loop : loops) consider(loop->next_deadline());
  for (const Driver& driver : drivers_) consider(driver.until);
  return next;
}

void SimEngine::drain(base::Random& random) {
  while (true) {
    if (step(random)) continue;
    const auto next = next_time();
    if (!next) return;
    clock.set(std::max(*next, clock.now()));
  }
}

}  // namespace millrace::server_sim
