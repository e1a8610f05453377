#include "server/pages/plan_pages.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "plan/explain.h"
#include "rank/plan_version.h"

namespace millrace::server {
namespace {

void write_identity(const plan::CompiledPlan& plan, base::JsonWriter& json) {
  json.member("name", plan.name);
  json.member("version", rank::version_of(plan));
  json.member("digest", plan.digest);
}

}  // namespace

std::string plans_page(const rank::PlanSet& plans, const rank::CallRights* rights) {
  std::string out;
  base::JsonWriter json(out);
  const rank::LoadedPlan* const standard = plans.default_plan();
  json.begin_object();
  json.key("plans");
  json.begin_array();
  for (const std::string_view name : plans.names()) {
    if (rights != nullptr && !rights->may_use(name)) continue;
    const rank::LoadedPlan& plan = *plans.find(name);
    json.begin_object();
    write_identity(plan.plan(), json);
    json.member("nodes", plan.plan().nodes.size());
    json.member("default", &plan == standard);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

std::string plan_page(const rank::LoadedPlan& plan, const plan::Registry& registry) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  write_identity(plan.plan(), json);
  json.member("always_answers", plan::nodes_that_can_fail(plan.plan()).empty());
  json.key("graph");
  base::JsonWriter graph(out);
  plan::PlanExplanation(plan.plan(), registry).write_json(graph);
  out += '}';
  return out;
}

std::string versions_page(const rank::LoadedPlan& plan, const VersionCatalog* catalog) {
  const std::string& name = plan.plan().name;
  if (catalog != nullptr) {
    if (const auto found = catalog->find(name); found != catalog->end())
      return versions_json(name, found->second);
  }
  return versions_json(name,
                       {.is_pinned = false,
                        .versions = {{.version = rank::version_of(plan.plan()),
                                      .digest = plan.plan().digest,
                                      .state = "active",
                                      .is_in_file = true}}});
}

std::string versions_json(std::string_view plan, const PlanVersionsInfo& info) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("plan", plan);
  json.member("pinned", info.is_pinned);
  json.key("versions");
  json.begin_array();
  for (const VersionInfo& version : info.versions) {
    json.begin_object();
    json.member("version", version.version);
    json.member("digest", version.digest);
    json.member("state", version.state);
    json.member("in_file", version.is_in_file);
    if (version.percent > 0) json.member("percent", version.percent);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

std::string explain_page(const rank::LoadedPlan& plan, const plan::Registry& registry) {
  std::string out;
  base::JsonWriter json(out);
  plan::PlanExplanation(plan.plan(), registry).write_json(json);
  return out;
}

}  // namespace millrace::server
