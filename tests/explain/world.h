#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <semaphore>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/wall_clock.h"
#include "loop/event_loop.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/request.h"
#include "rank/request_run.h"
#include "rank/services.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/seed_data.h"
#include "stores/store_tasks.h"
#include "tasks/builtin/row_tasks.h"
#include "tasks/task_registry.h"

namespace millrace::explain_test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  MR_CHECK(file.good(), path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

class TextCall final : public rank::RankCall {
 public:
  std::string run(rank::Ranker& ranker, std::string_view text) {
    rank::RequestReader reader;
    ranker.start(*this, reader, text);
    answered_.acquire();
    return response();
  }

 private:
  void on_answer() override { answered_.release(); }
  std::binary_semaphore answered_{0};
};

/// One plan on generated data, in two forms: as it is served, and as written, without any pass.
class World {
 public:
  World(const std::string& artifact, std::uint64_t seed) {
    const std::filesystem::path root(MR_SOURCE_DIR);
    registry_ = std::make_unique<plan::Registry>(
        plan::read_registry({.keys = read_file(root / "registry/keys.toml"),
                             .params = read_file(root / "registry/params.toml"),
                             .endpoints = read_file(root / "registry/endpoints.toml")},
                            plan::Environment::kDev)
            .value());
    MR_CHECK(tasks::register_row_tasks(tasks_).has_value());
    MR_CHECK(stores::register_store_tasks(tasks_).has_value());
    std::stringstream data;
    MR_CHECK(stores::write_seed_data({.users = 40, .seed = seed}, data).has_value());
    data_ = data.str();
    store_ = stores::EmbeddedStore::parse(data_, "generated").value();
    client_ = std::make_unique<stores::EmbeddedClient>(store_);
    for (const plan::EndpointInfo& endpoint : registry_->endpoints()) {
      const bool is_store = endpoint.name == "redis_default";
      clients_.push_back(is_store ? client_.get() : nullptr);
    }
    loop_ = loop::EventLoop::create("loop").value();
    workers_ = runtime::WorkerPool::create({.compute_threads = 2, .callers_help = false}).value();
    services_ = {.loop = loop_.get(),
                 .workers = workers_.get(),
                 .clients = clients_,
                 .loop_scratch = &loop_scratch_,
                 .scratches = &scratches_,
                 .wall_clock = &wall_clock_};
    MR_CHECK(plans_->add(load(artifact, {}, artifact)).has_value());
    written_ = load(artifact, plan::CompileOptions::without_passes(), "");
    ranker_ = std::make_unique<rank::Ranker>(*plans_, services_);
  }
  ~World() {
    loop_->stop();
    written_.reset();
    plans_.reset();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] std::string ask(std::string_view text) { return TextCall().run(*ranker_, text); }

  /// Runs the plan as written; the rows of every node are kept until the run is released.
  [[nodiscard]] std::shared_ptr<rank::RequestRun> run_as_written(std::string_view text) {
    rank::RequestReader reader;
    auto request = std::make_unique<rank::Request>();
    MR_CHECK(reader.read(text, *request).has_value());
    std::shared_ptr<rank::RequestRun> run = written_->make_run();
    MR_CHECK(run->start(request, services_).has_value());
    run->keep_all_rows();
    std::binary_semaphore answered{0};
    const runtime::RunObserver observer{.on_answer =
                                            [](runtime::Run& ended, void* data) {
                                              MR_CHECK(ended.outcome() == runtime::RunOutcome::kOk);
                                              static_cast<std::binary_semaphore*>(data)->release();
                                            },
                                        .data = &answered};
    MR_CHECK(written_->runs().submit(*workers_, run, {.loop = loop_.get()}, observer).has_value());
    answered.acquire();
    return run;
  }

  /// The data as text, in the format of data files.
  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] const stores::EmbeddedStore& store() const { return *store_; }

 private:
  std::unique_ptr<rank::LoadedPlan> load(const std::string& artifact,
                                         const plan::CompileOptions& options,
                                         std::string kept) {
    auto compiled = plan::compile_plan(artifact, *registry_, tasks_, options);
    MR_CHECK(compiled.has_value(), compiled.error().to_text());
    return rank::LoadedPlan::load(*compiled, *registry_, tasks_, {.artifact = std::move(kept)})
        .value();
  }

  base::SystemWallClock wall_clock_;
  tasks::TaskRegistry tasks_;
  std::unique_ptr<plan::Registry> registry_;
  std::string data_;
  stores::EmbeddedStoreRef store_;
  std::unique_ptr<stores::EmbeddedClient> client_;
  std::vector<tasks::EndpointClient*> clients_;
  tasks::ScratchPool scratches_;
  tasks::TaskScratch loop_scratch_;
  std::unique_ptr<runtime::WorkerPool> workers_;
  std::unique_ptr<loop::EventLoop> loop_;
  rank::LoopServices services_;
  std::unique_ptr<rank::PlanSet> plans_ = std::make_unique<rank::PlanSet>();
  std::unique_ptr<rank::LoadedPlan> written_;
  std::unique_ptr<rank::Ranker> ranker_;
};

}  // namespace millrace::explain_test
