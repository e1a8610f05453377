#include "server/generations/plan_reloader.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "plan/compiler.h"
#include "rank/plan_version.h"
#include "server/generations/plan_warm_up.h"
#include "server/server_metrics.h"

namespace millrace::server {
namespace {

constexpr std::string_view kNoMemory = "There is not enough memory to load it";

/// The plan that a file is named after.
std::string stem_of(const std::string& path) {
  constexpr std::string_view kSuffix = ".plan.json";
  std::string name = std::filesystem::path(path).filename().string();
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

std::string joined(const std::vector<std::string>& parts, std::string_view mark) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += mark;
    text += part;
  }
  return text;
}

}  // namespace

/// A reload under way: what will be there if all goes well.
struct PlanReloader::Draft {
  std::shared_ptr<host::EndpointClients> clients;
  Versions versions = {};
  std::map<std::string, KnownFile> files = {};
  std::map<std::string, std::string> stale = {};
  std::vector<std::string> problems = {};
  std::set<std::string> claimed = {};  // plans that a file has, good or bad
  std::map<std::string, std::vector<std::string>> paths_of = {};  // by plan, of good files
  std::vector<std::pair<std::string, std::shared_ptr<rank::LoadedPlan>>> loaded = {};  // by path
};

PlanReloader::PlanReloader(Parts parts)
    : parts_(std::move(parts)), counts_(parts_.engine->metrics()) {
  counts_.bind(kPlanReloads, {"ok"}, &good_reloads_);
  counts_.bind(kPlanReloads, {"refused"}, &bad_reloads_);
  counts_.bind(kPlansStale, {}, &stale_count_);
  one_.set(1);
}

std::string PlanReloader::plan_dir() const {
  return parts_.engine->generation()->clients()->project().plan_dir(parts_.settings);
}

std::expected<void, host::StartError> PlanReloader::begin() {
  const auto generation = parts_.engine->generation();
  const host::Project& project = generation->clients()->project();
  Versions versions;
  for (const std::string_view name : generation->plans().names())
    versions[std::string(name)].offer({.plan = generation->plans().share(name)});
  const auto paths = project.plan_paths(parts_.settings);
  for (const std::string& path : paths.value_or(std::vector<std::string>())) {
    auto text = host::read_text_file(path);
    if (!text) continue;
    for (const auto& [name, own] : versions) {
      if (own.active().plan->artifact() == *text) files_[path] = {.text = *text, .plan = name};
    }
  }
  if (!parts_.state_file.empty()) {
    auto read = read_state_file(parts_.state_file);
    if (!read) return std::unexpected(host::StartError{read.error().message()});
    Draft draft{.clients = generation->clients()};
    for (const auto& [name, plan] : *read) {
      const auto found = versions.find(name);
      if (found == versions.end()) continue;
      const PlanVersion filed = found->second.active();
      std::shared_ptr<rank::LoadedPlan> kept = filed.plan;
      if (filed.plan->artifact() != plan.artifact) {
        kept = load_plan(parts_.state_file, plan.artifact, draft);
        if (kept == nullptr) continue;
        found->second = {};
        found->second.offer({.plan = kept});
        found->second.offer(filed);
      }
      found->second.restore(kept->plan().digest, plan.is_pinned, plan.held);
    }
    if (!draft.problems.empty()) {
      return std::unexpected(host::StartError{base::format(
          "The version of a plan that was pinned or rolled back to cannot be loaded; mend it, or "
          "delete the file to load what is in the folder:\n{}",
          joined(draft.problems, "\n"))});
    }
    saved_ = *std::move(read);
  }
  note_files();
  publish(generation->clients(), std::move(versions));
  return {};
}

ReloadReport PlanReloader::reload() {
  note_files();
  wants_retry_ = false;
  Draft draft{.clients = parts_.engine->generation()->clients(), .versions = versions_};
  ReloadReport report;
  if (parts_.reload_others) {
    for (std::string& problem : parts_.reload_others())
      draft.problems.push_back(std::move(problem));
  }
  read_registry(draft);
  read_plans(draft);
  finish(draft, report);
  return report;
}

void PlanReloader::add_problem(Draft& draft, std::string_view plan, std::string text) {
  std::string& reason = draft.stale[std::string(plan)];
  if (reason.empty()) reason = text;
  draft.problems.push_back(std::move(text));
}

void PlanReloader::read_registry(Draft& draft) {
  const host::Project& current = draft.clients->project();
  const auto text = current.read_registry_text(parts_.settings);
  if (text && *text == current.registry_text() && !draft.clients->has_stale_file()) return;
  const auto refuse = [&](const std::string& why) {
    draft.problems.push_back(base::format("registry: {}", why));
  };
  if (!text) return refuse(text.error().text);
  auto project = host::Project::open(parts_.settings, parts_.extensions());
  if (!project) return refuse(project.error().text);
  auto clients = parts_.engine->connect(*std::move(project), draft.clients.get());
  if (!clients) return refuse(clients.error().text);
  // All plans are made anew, or none: what they were made of before stays if one fails.
  Draft next{.clients = *std::move(clients), .versions = draft.versions};
  try {
    load_again(next);
  } catch (const std::bad_alloc&) {
    wants_retry_ = true;
    next.problems.emplace_back(kNoMemory);
  }
  if (next.problems.empty()) {
    draft.clients = std::move(next.clients);
    draft.versions = std::move(next.versions);
    return;
  }
  for (const std::string& problem : next.problems) refuse(problem);
  if (parts_.retire) parts_.retire(std::move(next.clients));
}

void PlanReloader::load_again(Draft& draft) {
  for (auto& [name, versions] : draft.versions) {
    const std::vector<PlanVersion> all = versions.all();
    for (const PlanVersion& version : all) {
      const std::size_t problem_count = draft.problems.size();
      const auto plan = load_plan(
          base::format("plan '{}', version {}", name, rank::version_of(version.plan->plan())),
          version.plan->artifact(),
          draft);
      if (plan != nullptr) {
        plan->adopt_costs(*version.plan);
        versions.replace({.plan = plan});
        continue;
      }
      // One that answers nobody is not worth keeping everything else back.
      const VersionState state = versions.state_of(version);
      if (state == VersionState::kActive || state == VersionState::kCanary) continue;
      draft.problems.resize(problem_count);
      versions.drop(version.digest());
    }
    // The file may have a better version than the one that was just made anew; `read_plans` looks.
    if (!draft.problems.empty()) continue;
    rank::PlanSet alone;
    (void)alone.add(versions.active().plan);
    auto recalled = parts_.recall ? parts_.recall(name) : std::vector<std::string>();
    const auto problem = warm_up(*draft.clients,
                                 alone,
                                 name,
                                 warm_up_requests(plan_dir(), name, std::move(recalled)),
                                 [this] { return parts_.readiness->is_draining(); });
    if (!problem || !parts_.warmup_required) continue;
    wants_retry_ = true;
    draft.problems.push_back(base::format("plan '{}': {}", name, *problem));
  }
}

std::shared_ptr<rank::LoadedPlan> PlanReloader::load_plan(const std::string& place,
                                                          const std::string& artifact,
                                                          Draft& draft) {
  const host::Project& project = draft.clients->project();
  const auto compiled =
      plan::compile_plan(artifact, project.registry(), project.tasks(), parts_.settings.passes);
  if (!compiled) {
    draft.problems.push_back(base::format("{}:\n{}", place, compiled.error().to_text()));
    return nullptr;
  }
  auto loaded = parts_.engine->load(*compiled, artifact, *draft.clients);
  if (loaded) return *std::move(loaded);
  draft.problems.push_back(base::format("{}: {}", place, loaded.error().to_string()));
  return nullptr;
}

void PlanReloader::read_plans(Draft& draft) {
  const auto paths = draft.clients->project().plan_paths(parts_.settings);
  const bool is_empty = paths && paths->empty();
  if (!paths || is_empty) {
    const std::string why =
        !paths
            ? paths.error().text
            : base::format("The folder '{}' has no plans; those that are loaded stay", plan_dir());
    draft.files = files_;
    for (const auto& [name, versions] : draft.versions) draft.stale[name] = why;
    draft.problems.push_back(why);
    return;
  }
  std::set<std::string> seen;
  for (const std::string& path : *paths) {
    // A file that is named twice counts once.
    std::error_code missing;
    const std::string place = std::filesystem::canonical(path, missing).string();
    if (missing || seen.insert(place).second) read_plan_within_memory(path, draft);
  }
  for (const auto& [name, own_paths] : draft.paths_of) {
    if (own_paths.size() < 2) continue;
    add_problem(
        draft,
        name,
        base::format(
            "Several files have a plan of the name '{}': {}", name, joined(own_paths, ", ")));
  }
  warm_all(draft);
  find_removed(draft);
}

void PlanReloader::read_plan_within_memory(const std::string& path, Draft& draft) {
  try {
    read_plan(path, draft);
  } catch (const std::bad_alloc&) {
    wants_retry_ = true;
    const auto known = files_.find(path);
    const std::string plan = known != files_.end() ? known->second.plan : stem_of(path);
    draft.claimed.insert(plan);
    add_problem(draft, plan, base::format("{}: {}", path, kNoMemory));
  }
}

void PlanReloader::read_plan(const std::string& path, Draft& draft) {
  const auto known = files_.find(path);
  const std::string usual = known != files_.end() ? known->second.plan : stem_of(path);
  const auto text = host::read_text_file(path);
  if (!text) {
    draft.claimed.insert(usual);
    return add_problem(draft, usual, text.error().text);
  }
  if (known != files_.end() && known->second.text == *text &&
      draft.versions.contains(known->second.plan)) {
    draft.claimed.insert(known->second.plan);
    draft.paths_of[known->second.plan].push_back(path);
    draft.files[path] = known->second;
    // A version that was dropped meanwhile comes back when the file is read anew.
    if (draft.versions[known->second.plan].find_digest(
            draft.versions[known->second.plan].filed()) != nullptr)
      return;
  }
  const std::size_t problem_count = draft.problems.size();
  const auto plan = load_plan(path, *text, draft);
  if (plan == nullptr) {
    const std::string why = draft.problems.back();
    draft.problems.resize(problem_count);
    draft.claimed.insert(usual);
    return add_problem(draft, usual, why);
  }
  const std::string& name = plan->plan().name;
  draft.claimed.insert(name);
  draft.paths_of[name].push_back(path);
  draft.files[path] = {.text = *text, .plan = name};
  const auto versions = draft.versions.find(name);
  if (versions != draft.versions.end()) plan->adopt_costs(*versions->second.active().plan);
  draft.loaded.emplace_back(path, plan);
}

void PlanReloader::warm_all(Draft& draft) {
  for (const auto& [path, plan] : draft.loaded) {
    const std::string& name = plan->plan().name;
    if (draft.paths_of[name].size() > 1) {
      draft.files.erase(path);
      continue;
    }
    auto recalled = parts_.recall ? parts_.recall(name) : std::vector<std::string>();
    rank::PlanSet alone;
    (void)alone.add(plan);
    const auto problem = warm_up(*draft.clients,
                                 alone,
                                 name,
                                 warm_up_requests(plan_dir(), name, std::move(recalled)),
                                 [this] { return parts_.readiness->is_draining(); });
    if (problem && parts_.warmup_required) {
      wants_retry_ = true;
      draft.files.erase(path);
      add_problem(draft, name, base::format("{}: {}", path, *problem));
      continue;
    }
    draft.versions[name].offer({.plan = plan});
  }
}

void PlanReloader::find_removed(Draft& draft) {
  std::erase_if(draft.versions,
                [&](const auto& entry) { return !draft.claimed.contains(entry.first); });
  if (!draft.versions.empty()) return;
  // Only bad files are left: a server without plans serves nobody.
  draft.versions = versions_;
}

void PlanReloader::finish(Draft& draft, ReloadReport& report) {
  for (const auto& [name, versions] : draft.versions) {
    const auto old = versions_.find(name);
    if (old == versions_.end() || old->second.active().digest() != versions.active().digest())
      report.changed.push_back(name);
  }
  for (const auto& [name, versions] : versions_) {
    if (!draft.versions.contains(name)) report.removed.push_back(name);
  }
  report.problems = draft.problems;
  files_ = std::move(draft.files);
  stale_ = std::move(draft.stale);
  stale_count_.set(static_cast<double>(stale_.size()));
  parts_.readiness->set_stale(stale_);
  (report.problems.empty() ? good_reloads_ : bad_reloads_).add();
  if (auto kept = save(draft.versions); !kept && parts_.log != nullptr)
    parts_.log->error("plan_state_unsaved", kept.error().detail);
  publish(std::move(draft.clients), std::move(draft.versions));
  if (parts_.log == nullptr) return;
  for (const std::string& problem : report.problems)
    parts_.log->warning(
        "plan_refused", "A file was refused; what was loaded stays", {{"err", problem}});
  parts_.log->info("plans_reloaded",
                   "Files were read again",
                   {{"changed", joined(report.changed, ",")},
                    {"removed", joined(report.removed, ",")},
                    {"problems", report.problems.size()},
                    {"plans", versions_.size()}});
}

void PlanReloader::end_canary(std::string_view plan, std::string_view digest) {
  const auto found = versions_.find(plan);
  if (found == versions_.end() || !found->second.canary() ||
      found->second.canary()->digest != digest)
    return;
  Versions next = versions_;
  next.find(plan)->second.end_canary();
  publish(parts_.engine->generation()->clients(), std::move(next));
  if (parts_.log != nullptr) {
    parts_.log->warning("canary_ended",
                        "A canary was ended, because it fails more often than the active version",
                        {{"plan", plan}, {"digest", digest}});
  }
}

bool PlanReloader::has_changed_file() const { return stamps() != stamps_; }

void PlanReloader::note_files() { stamps_ = stamps(); }

std::vector<std::pair<std::string, host::FileStamp>> PlanReloader::stamps() const {
  const auto clients = parts_.engine->generation()->clients();
  const host::Project& project = clients->project();
  std::vector<std::pair<std::string, host::FileStamp>> all;
  const auto paths = project.plan_paths(parts_.settings);
  for (const std::string& path : paths.value_or(std::vector<std::string>()))
    all.emplace_back(path, host::stamp_of(path));
  std::vector<std::string> others;
  for (const char* const name : {"keys.toml", "params.toml", "endpoints.toml"})
    others.push_back(project.registry_dir(parts_.settings) + "/" + name);
  for (const plan::EndpointInfo& endpoint : project.registry().endpoints()) {
    if (!endpoint.data_file.empty())
      others.push_back((std::filesystem::path(project.root()) / endpoint.data_file).string());
  }
  for (const std::string& path : others) all.emplace_back(path, host::stamp_of(path));
  return all;
}

std::vector<std::string> PlanReloader::folders() const {
  std::set<std::string> all{plan_dir()};
  for (const auto& [path, stamp] : stamps_) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    all.insert(folder.empty() ? "." : folder);
  }
  return {all.begin(), all.end()};
}

}  // namespace millrace::server
