#include "plan_engine.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "host/waiting_call.h"
#include "rank/loaded_plan.h"

namespace millrace::differential {

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
