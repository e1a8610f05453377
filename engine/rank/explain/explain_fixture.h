#pragma once

#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/wall_clock.h"
#include "loop/event_loop.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/run_tracer.h"
#include "rank/services.h"
#include "runtime/admission.h"
#include "runtime/worker_pool.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/task_registry.h"

// For tests only: requests from text to text on real threads, without stores.

namespace millrace::rank::testing {

class TextCall final : public RankCall {
 public:
  const std::string& run(Ranker& ranker, std::string_view text, const CallTerms& terms = {}) {
    RequestReader reader;
    ranker.start(*this, reader, text, terms);
    answered_.acquire();
    return response();
  }

 private:
  void on_answer() override { answered_.release(); }
  std::binary_semaphore answered_{0};
};

class ExplainEngine {
 public:
  ExplainEngine() {
    MR_CHECK(tasks::register_row_tasks(tasks_).has_value());
    registry_ = std::make_unique<plan::Registry>(
        plan::read_registry({.keys = "[keys.score]\ntype = \"float\"\n",
                             .params = "[params.weight]\ntype = \"float\"\ndefault = 2.0\n",
                             .endpoints = ""},
                            plan::Environment::kDev)
            .value());
    loop_ = loop::EventLoop::create("loop").value();
    workers_ = runtime::WorkerPool::create(
                   {.compute_threads = 2, .callers_help = false, .trace = &tracer_.collector()})
                   .value();
    services_ = {.loop = loop_.get(),
                 .workers = workers_.get(),
                 .loop_scratch = &loop_scratch_,
                 .scratches = &scratches_,
                 .wall_clock = &wall_clock_,
                 .tracer = &tracer_};
    ranker_ = std::make_unique<Ranker>(*plans_, services_);
  }
  ~ExplainEngine() { stop(); }
  ExplainEngine(const ExplainEngine&) = delete;
  ExplainEngine& operator=(const ExplainEngine&) = delete;

  /// Loads a plan called `p`, given its nodes and outputs as JSON.
  void load(std::string_view nodes,
            std::string_view outputs,
            bool keep_artifact = true,
            std::string_view output_keys = R"(["id"])") {
    auto loaded = load_apart(nodes, outputs, keep_artifact, output_keys);
    plan_ = loaded.get();
    MR_CHECK(plans_->add(std::move(loaded)).has_value());
  }
  /// The same plan for the caller alone.
  [[nodiscard]] std::unique_ptr<LoadedPlan> load_apart(
      std::string_view nodes,
      std::string_view outputs,
      bool keep_artifact = true,
      std::string_view output_keys = R"(["id"])") const {
    const std::string artifact = std::string(R"({"schema_version": 1, "name": "p", "nodes": )") +
                                 std::string(nodes) + R"(, "outputs": )" + std::string(outputs) +
                                 R"(, "output_keys": )" + std::string(output_keys) + "}";
    auto compiled = plan::compile_plan(artifact, *registry_, tasks_);
    MR_CHECK(compiled.has_value(), compiled.error().to_text());
    auto loaded = LoadedPlan::load(
        *compiled, *registry_, tasks_, {.artifact = keep_artifact ? artifact : std::string()});
    MR_CHECK(loaded.has_value(), loaded.error().to_string());
    return *std::move(loaded);
  }

  [[nodiscard]] std::string ask(std::string_view text) { return TextCall().run(*ranker_, text); }
  /// The part of a response that stands under `"explain"`.
  [[nodiscard]] std::string explain(std::string_view text) {
    const std::string response = ask(text);
    const std::string name = "\"explain\":";
    const std::size_t begin = response.find(name);
    if (begin == std::string::npos) return response;
    return response.substr(begin + name.size(), response.size() - begin - name.size() - 1);
  }
  /// Makes all requests that start from now on ask for admission.
  void use_admission(runtime::Admission& admission) { services_.admission = &admission; }
  /// Waits for what is still under way; no request may follow.
  void stop() {
    // Late bodies and cancelled runs need the loop.
    plans_.reset();
    loop_->stop();
  }
  [[nodiscard]] Ranker& ranker() { return *ranker_; }
  [[nodiscard]] runtime::WorkerPool& workers() { return *workers_; }
  [[nodiscard]] LoadedPlan& plan() { return *plan_; }
  [[nodiscard]] RunTracer& tracer() { return tracer_; }

 private:
  RunTracer tracer_;
  base::SystemWallClock wall_clock_;
  tasks::TaskRegistry tasks_;
  std::unique_ptr<plan::Registry> registry_;
  tasks::ScratchPool scratches_;
  tasks::TaskScratch loop_scratch_;
  std::unique_ptr<runtime::WorkerPool> workers_;
  std::unique_ptr<loop::EventLoop> loop_;
  LoopServices services_;
  std::unique_ptr<PlanSet> plans_ = std::make_unique<PlanSet>();
  LoadedPlan* plan_ = nullptr;
  std::unique_ptr<Ranker> ranker_;
};

}  // namespace millrace::rank::testing
