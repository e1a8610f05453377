#include "server/plan_pages.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/formats/json_writer.h"
#include "plan/compiled_plan.h"
#include "plan/explain.h"

namespace millrace::server {
namespace {

constexpr std::size_t kVersionDigits = 8;

void write_identity(const plan::CompiledPlan& plan, base::JsonWriter& json) {
  json.member("name", plan.name);
  json.member("version", version_of(plan));
  json.member("digest", plan.digest);
}

}  // namespace

std::string version_of(const plan::CompiledPlan& plan) {
  if (!plan.version.empty()) return plan.version;
  const std::string_view digest = plan.digest;
  const std::size_t colon = digest.find(':');
  return std::string(
      digest.substr(colon == std::string_view::npos ? 0 : colon + 1, kVersionDigits));
}

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

std::string versions_page(const rank::LoadedPlan& plan) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("plan", plan.plan().name);
  json.key("versions");
  json.begin_array();
  json.begin_object();
  json.member("version", version_of(plan.plan()));
  json.member("digest", plan.plan().digest);
  json.member("state", "active");
  json.end_object();
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
