#include "plan_engine.h"

#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text_file.h"
#include "host/waiting_call.h"
#include "rank/loaded_plan.h"

namespace millrace::differential {

namespace {

/// What the data of the repository lacks: sorted sets, sets and strings, some of them absent.
std::string sets() {
  std::string lines = "ZADD trending 3 5 1.5 2 1.5 11 -2 7\n";
  for (int id = 1; id < 400; ++id) {
    if (id % 3 != 0) {
      lines += fmt::format("ZADD top:{0} {1} {2} 0.5 {3} 0.5 {4}\nZADD top:{0}:{0} 1 {4}\n",
                           id,
                           id % 7,
                           id % 50 + 1,
                           id % 9 + 1,
                           id % 11 + 10);
    }
    if (id % 4 != 0) lines += fmt::format("SADD tagged:{} {} {}\n", id, id % 30 + 1, id % 13 + 1);
    if (id % 5 != 0) lines += fmt::format("SET quality:{} {}.25\n", id, id % 17);
  }
  return lines;
}

}  // namespace

std::string data_text(const std::string& root) {
  const auto text = base::read_text_file(root + "/data/demo.redis", std::size_t{1} << 28U);
  MR_CHECK(text.has_value());
  return *text + sets();
}

stores::EmbeddedStoreRef load_data(const std::string& root) {
  auto store = stores::EmbeddedStore::parse(data_text(root), "differential data");
  MR_CHECK(store.has_value(), store ? "" : store.error().to_string());
  return *std::move(store);
}

std::string Way::name() const {
  return fmt::format("passes {}{}{}{}{}, {} workers, {}, {} loops",
                     passes.remove_dead_nodes ? "d" : "-",
                     passes.prune_columns ? "c" : "-",
                     passes.merge_fetches ? "f" : "-",
                     passes.merge_filters ? "p" : "-",
                     passes.use_top_k ? "k" : "-",
                     workers,
                     inlines ? "inline" : "no inline",
                     loops);
}

PlanEngine::PlanEngine(const host::Project& project,
                       const stores::EmbeddedStoreRef& store,
                       const std::vector<std::string>& plan_folders,
                       const Way& way) {
  auto workers = runtime::WorkerPool::create({.compute_threads = way.workers,
                                              .callers_help = false,
                                              .enable_inline_execution = way.inlines});
  MR_CHECK(workers.has_value());
  workers_ = *std::move(workers);
  for (std::uint32_t index = 0; index < way.loops; ++index) {
    Unit& unit = *units_.emplace_back(std::make_unique<Unit>());
    auto loop = loop::EventLoop::create(fmt::format("loop {}", index));
    MR_CHECK(loop.has_value());
    unit.loop = *std::move(loop);
    unit.client = std::make_unique<stores::EmbeddedClient>(store);
    for (const plan::EndpointInfo& endpoint : project.registry().endpoints()) {
      const bool is_store = endpoint.kind == plan::EndpointKind::kEmbedded;
      unit.clients.push_back(is_store ? unit.client.get() : nullptr);
    }
    unit.services = {.loop = unit.loop.get(),
                     .workers = workers_.get(),
                     .clients = unit.clients,
                     .loop_scratch = &unit.scratch,
                     .scratches = &scratches_,
                     .wall_clock = &wall_clock_};
    unit.ranker = std::make_unique<rank::Ranker>(plans_, unit.services);
  }
  for (const std::string& folder : plan_folders) load(project, folder, way);
}

PlanEngine::~PlanEngine() {
  for (const auto& unit : units_) unit->loop->stop();
}

void PlanEngine::load(const host::Project& project, const std::string& folder, const Way& way) {
  host::Settings settings;
  settings.plan_dir = folder;
  const auto files = project.load_plans(settings, way.passes);
  MR_CHECK(files.has_value(), files ? "" : files.error().text);
  for (const host::PlanFile& file : *files) {
    MR_CHECK(file.plan.has_value(), file.plan ? "" : file.plan.error().to_text());
    auto loaded = rank::LoadedPlan::load(*file.plan, project.registry(), project.tasks());
    MR_CHECK(loaded.has_value(), loaded ? "" : loaded.error().to_string());
    MR_CHECK(plans_.add(*std::move(loaded)).has_value());
  }
}

std::string PlanEngine::answer(std::uint32_t loop, std::string_view request) {
  host::WaitingCall call;
  call.run(*units_[loop]->ranker, reader_, request);
  const std::string& text = call.response();
  const std::size_t candidates = text.find(R"("candidates":)");
  if (candidates == std::string::npos) return text.substr(text.find(R"("error":)"));
  const std::size_t took = text.find(R"("took_ms":)");
  const std::size_t degraded = text.find(R"("degraded":)");
  return text.substr(candidates, took - candidates) + text.substr(degraded);
}

}  // namespace millrace::differential
