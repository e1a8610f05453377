#include "apps/topoexec/doctor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/format/limits.h"
#include "graph/format/words.h"

namespace millrace::topoexec {
namespace {

using Facts = std::vector<std::pair<std::string_view, std::uint64_t>>;

std::uint64_t allowed_cpu_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return static_cast<std::uint64_t>(CPU_COUNT(&set));
}

std::uint64_t resource_limit(__rlimit_resource resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : 0;
}

Facts machine_facts() {
  return {{"processors", std::thread::hardware_concurrency()},
          {"processors_allowed", allowed_cpu_count()},
          {"rt_priority_max", resource_limit(RLIMIT_RTPRIO)},
          {"nice_limit", resource_limit(RLIMIT_NICE)}};
}

Facts limit_facts() {
  const graph::GraphLimits limits;
  return {{"max_text_bytes", limits.text_bytes_max},
          {"max_lanes", limits.lanes_max},
          {"max_components", limits.components_max},
          {"max_edges", limits.edges_max},
          {"max_loops", limits.loops_max},
          {"max_id_bytes", limits.id_bytes_max},
          {"max_config_depth", limits.config_depth_max}};
}

std::string json_report(const graph::ComponentRegistry& registry) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("ok", true);
  json.member("schema_version", 1);
  const auto write = [&json](std::string_view name, const Facts& facts) {
    json.key(name);
    json.begin_object();
    for (const auto& [key, value] : facts) json.member(key, value);
    json.end_object();
  };
  write("machine", machine_facts());
  write("limits", limit_facts());
  json.key("component_types");
  json.begin_array();
  for (const std::string_view type : registry.types()) json.value(type);
  json.end_array();
  json.end_object();
  return text + "\n";
}

}  // namespace

std::string doctor_report(const graph::ComponentRegistry& registry, bool as_json) {
  if (as_json) return json_report(registry);
  std::string text = "graph files of schema_version 1\n";
  text += "\nmachine\n";
  for (const auto& [name, value] : machine_facts())
    text += base::format("  {:<20} {}\n", name, value);
  text += "\nlimits of a file (--max-… flags raise them)\n";
  for (const auto& [name, value] : limit_facts())
    text += base::format("  {:<20} {}\n", name, value);
  text += "\ncomponent types\n";
  for (const std::string_view type : registry.types()) {
    const graph::ComponentDescriptor& descriptor = *registry.find(type);
    text += base::format("  {:<14} {:<7} {}\n",
                         type,
                         descriptor.role == graph::BoundaryRole::kNone
                             ? std::string_view("-")
                             : graph::to_string(descriptor.role),
                         descriptor.about);
    for (const graph::ConfigField& field : descriptor.config) {
      text += base::format("      {}: {}{}\n",
                           field.name,
                           field.about,
                           field.is_required            ? " (required)"
                           : field.default_text.empty() ? ""
                                                        : " (" + field.default_text + ")");
    }
  }
  return text;
}

}  // namespace millrace::topoexec
