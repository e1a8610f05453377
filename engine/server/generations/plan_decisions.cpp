// What operators decide about versions, and how a generation is made of what is loaded: the second
// half of `PlanReloader`.

#include <filesystem>
#include <string>
#include <utility>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "plan/compiler.h"
#include "rank/plan_version.h"
#include "server/generations/plan_reloader.h"
#include "server/pages/plan_pages.h"
#include "server/server_metrics.h"

namespace millrace::server {
namespace {

VersionCatalog catalog_of(const std::map<std::string, PlanVersions, std::less<>>& all) {
  VersionCatalog catalog;
  for (const auto& [name, versions] : all) {
    PlanVersionsInfo& info = catalog[name];
    info.is_pinned = versions.is_pinned();
    for (const PlanVersion& version : versions.all()) {
      const bool is_canary = versions.state_of(version) == VersionState::kCanary;
      info.versions.push_back({.version = rank::version_of(version.plan->plan()),
                               .digest = version.digest(),
                               .state = std::string(to_string(versions.state_of(version))),
                               .is_in_file = version.digest() == versions.filed(),
                               .percent = is_canary ? versions.canary()->percent : 0});
    }
  }
  return catalog;
}

}  // namespace

rank::PlanSet PlanReloader::plan_set(const Versions& versions) const {
  rank::PlanSet plans;
  for (const auto& [name, own] : versions) {
    // Names of a map differ, so this cannot fail.
    (void)plans.add(own.active().plan);
    for (const PlanVersion& version : own.all()) {
      if (version.digest() == own.active().digest()) continue;
      plans.add_version(version.plan);
      if (own.state_of(version) == VersionState::kCanary)
        plans.set_canary(*version.plan, own.canary()->percent);
    }
  }
  const std::string& standard = parts_.settings.plan_name;
  if (!standard.empty() && !plans.set_default(standard) && parts_.log != nullptr) {
    parts_.log->warning("no_default_plan",
                        "The plan of requests that name none is not loaded",
                        {{"plan", standard}});
  }
  return plans;
}

void PlanReloader::publish(std::shared_ptr<host::EndpointClients> clients, Versions versions) {
  std::vector<std::shared_ptr<CanaryGuard>> guards;
  for (const auto& [name, own] : versions) {
    if (!own.canary()) continue;
    const rank::LoadedPlan& active = *own.active().plan;
    const rank::LoadedPlan& canary = *own.find_digest(own.canary()->digest)->plan;
    std::shared_ptr<CanaryGuard> guard;
    for (const auto& old : guards_) {
      if (old->is_of(active, canary)) guard = old;
    }
    if (guard == nullptr) {
      guard = std::make_shared<CanaryGuard>(active,
                                            canary,
                                            parts_.engine->loop_count(),
                                            [this, plan = name, digest = own.canary()->digest] {
                                              if (parts_.on_bad_canary)
                                                parts_.on_bad_canary(plan, digest);
                                            });
    }
    guards.push_back(std::move(guard));
  }
  guards_ = std::move(guards);
  versions_ = std::move(versions);
  catalog_ = std::make_shared<const VersionCatalog>(catalog_of(versions_));
  auto next = parts_.engine->make_generation(std::move(clients), plan_set(versions_));
  std::vector<std::string> names;
  for (const auto& [name, own] : versions_) names.push_back(name);
  parts_.readiness->set_plans(names);
  auto old = parts_.engine->replace_generation(next);
  bind_metrics();
  parts_.publish({.generation = std::move(next), .versions = catalog_, .canaries = guards_});
  if (parts_.retire) parts_.retire(std::move(old));
}

void PlanReloader::bind_metrics() {
  infos_ = std::make_unique<base::MetricBinding>(parts_.engine->metrics());
  std::vector<std::unique_ptr<base::GaugeCell>> shares;
  for (const auto& [name, info] : *catalog_) {
    for (const VersionInfo& version : info.versions) {
      infos_->bind(kPlanInfo, {name, version.version, version.digest, version.state}, &one_);
      if (version.percent == 0) continue;
      auto& share = *shares.emplace_back(std::make_unique<base::GaugeCell>());
      share.set(version.percent / 100);
      infos_->bind(kCanaryShare, {name}, &share);
    }
  }
  shares_ = std::move(shares);
}

SavedPlans PlanReloader::saved(const Versions& versions) const {
  SavedPlans plans;
  for (const auto& [name, own] : versions) {
    if (!own.is_pinned() && own.held().empty()) continue;
    plans[name] = {.artifact = own.active().plan->artifact(),
                   .is_pinned = own.is_pinned(),
                   .held = own.held()};
  }
  return plans;
}

std::expected<void, RequestProblem> PlanReloader::save(const Versions& versions) {
  if (parts_.state_file.empty()) return {};
  SavedPlans next = saved(versions);
  if (next == saved_) return {};
  if (auto written = write_state_file(parts_.state_file, next); !written) {
    return std::unexpected(RequestProblem{
        .code = "internal",
        .detail = base::format("Nothing was changed, because the state cannot be kept: {}",
                               written.error().message())});
  }
  saved_ = std::move(next);
  return {};
}

PlanReloader::Reply PlanReloader::decide(
    std::string_view plan,
    const std::function<std::expected<void, RequestProblem>(PlanVersions&)>& change) {
  const auto found = versions_.find(plan);
  if (found == versions_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, own] : versions_) names.push_back(name);
    return std::unexpected(RequestProblem{
        .code = "unknown_plan",
        .detail = base::format("No plan '{}' is loaded{}", plan, base::did_you_mean(plan, names))});
  }
  Versions next = versions_;
  PlanVersions& own = next.find(plan)->second;
  if (auto done = change(own); !done) return std::unexpected(done.error());
  if (auto kept = save(next); !kept) return std::unexpected(kept.error());
  publish(parts_.engine->generation()->clients(), std::move(next));
  if (parts_.log != nullptr) {
    parts_.log->info("plan_decided",
                     "An operator has chosen versions of a plan",
                     {{"plan", plan},
                      {"active", versions_.find(plan)->second.active().digest()},
                      {"pinned", versions_.find(plan)->second.is_pinned()}});
  }
  return versions_json(plan, catalog_->find(plan)->second);
}

PlanReloader::Reply PlanReloader::rollback(std::string_view plan) {
  return decide(plan, [](PlanVersions& versions) { return versions.rollback(); });
}

PlanReloader::Reply PlanReloader::pin(std::string_view plan, std::string_view version) {
  return decide(plan, [&](PlanVersions& versions) { return versions.pin(version); });
}

PlanReloader::Reply PlanReloader::unpin(std::string_view plan) {
  return decide(plan, [](PlanVersions& versions) -> std::expected<void, RequestProblem> {
    versions.unpin();
    return {};
  });
}

PlanReloader::Reply PlanReloader::set_canary(std::string_view plan,
                                             std::string_view version,
                                             double percent) {
  return decide(plan,
                [&](PlanVersions& versions) { return versions.set_canary(version, percent); });
}

PlanReloader::Reply PlanReloader::reload_on_demand() {
  const ReloadReport report = reload();
  if (!report.problems.empty()) {
    std::string text;
    for (const std::string& problem : report.problems) text += problem + "\n";
    if (!report.changed.empty()) {
      text += "These plans were exchanged all the same:";
      for (const std::string& name : report.changed) text += " " + name;
      text += "\n";
    }
    text.pop_back();
    return std::unexpected(RequestProblem{.code = "invalid_plan", .detail = std::move(text)});
  }
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  for (const auto& [key, names] :
       {std::pair("changed", &report.changed), std::pair("removed", &report.removed)}) {
    json.key(key);
    json.begin_array();
    for (const std::string& name : *names) json.value(name);
    json.end_array();
  }
  json.member("plans", versions_.size());
  json.end_object();
  return out;
}

PlanReloader::Reply PlanReloader::upload(std::string_view plan,
                                         const std::string& artifact,
                                         bool is_dry_run) {
  const auto clients = parts_.engine->generation()->clients();
  const host::Project& project = clients->project();
  const auto bad = [](std::string_view code, std::string detail) {
    return std::unexpected(RequestProblem{.code = code, .detail = std::move(detail)});
  };
  if (!is_dry_run && !parts_.allow_upload) {
    return bad("not_allowed",
               "Plans are not written here: set plans.allow_upload=true, or ask with dry_run=1");
  }
  const auto compiled =
      plan::compile_plan(artifact, project.registry(), project.tasks(), parts_.settings.passes);
  if (!compiled) return bad("invalid_plan", compiled.error().to_text());
  if ((*compiled)->name != plan) {
    return bad("bad_value",
               base::format(
                   "The path names the plan '{}' and the artifact '{}'", plan, (*compiled)->name));
  }
  if (!is_dry_run) {
    std::string path = base::format("{}/{}.plan.json", plan_dir(), plan);
    for (const auto& [known, file] : files_) {
      if (file.plan == plan) path = known;
    }
    if (auto written = replace_file(path, artifact); !written)
      return bad("internal", written.error().message());
    const ReloadReport report = reload();
    if (const auto stale = stale_.find(std::string(plan)); stale != stale_.end())
      return bad("invalid_plan", stale->second);
  }
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("plan", plan);
  json.member("version", rank::version_of(**compiled));
  json.member("digest", (*compiled)->digest);
  json.member("dry_run", is_dry_run);
  json.key("warnings");
  json.begin_array();
  for (const base::Problem& warning : (*compiled)->warnings) json.value(warning.message);
  json.end_array();
  json.end_object();
  return out;
}

}  // namespace millrace::server
