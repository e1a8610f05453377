#include "graph/report/scenario.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/yaml_reader.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/components/builtin_components.h"
#include "graph/format/duration_text.h"
#include "graph/format/graph_file.h"
#include "graph/format/spec.h"
#include "graph/payload.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"

namespace millrace::graph {
namespace {

using base::JsonKind;
using base::JsonValue;

class ScenarioReader {
 public:
  explicit ScenarioReader(const base::JsonDocument& document) : document_(document) {}

  base::Result<Scenario> read() {
    const JsonValue root = document_.root();
    if (!root.is(JsonKind::kObject)) return refuse(root, "A scenario is a mapping");
    scenario_.options.virtual_time = true;
    for (const JsonValue member : root.children()) MR_TRY_STATUS(read_section(member));
    if (scenario_.graph.empty())
      return refuse(root, "A scenario needs 'graph', the path of a file");
    if (has_expect_ && has_exact_) {
      return refuse(root, "Give 'expect' or 'expect_exactly', not both");
    }
    const bool has_bound = scenario_.options.steps || scenario_.options.duration;
    if (!has_bound) scenario_.options.until_idle = true;
    return std::move(scenario_);
  }

 private:
  std::unexpected<base::Error> refuse(const JsonValue& value, std::string message) const {
    const base::TextPlace place = document_.place(value.offset());
    return base::fail(base::ErrorCode::kInvalidArgument,
                      std::move(message),
                      base::format("{}:{}", place.line, place.column));
  }

  base::Status read_section(const JsonValue& member) {
    const std::string_view key = member.key();
    if (key == "graph") return read_text(member, scenario_.graph);
    if (key == "options") return read_options(member);
    if (key == "stand_ins") return read_stand_ins(member);
    if (key == "inject") return read_list(member, &ScenarioReader::read_injection);
    if (key == "expect" || key == "expect_exactly") {
      (key == "expect" ? has_expect_ : has_exact_) = true;
      scenario_.is_exact = key == "expect_exactly";
      return read_list(member, &ScenarioReader::read_expected);
    }
    if (key == "expect_metrics") return read_metrics(member);
    if (key == "expect_state") return read_state(member);
    return refuse(member,
                  base::format("Unknown field '{}'; there are graph, options, stand_ins, inject, "
                               "expect, expect_exactly, expect_metrics, expect_state",
                               key));
  }

  base::Status read_text(const JsonValue& value, std::string& text) {
    const auto given = value.find_string();
    if (!given) return refuse(value, base::format("'{}' is a text", value.key()));
    text = std::string(*given);
    return {};
  }

  base::Status read_stand_ins(const JsonValue& list) {
    if (!list.is(JsonKind::kArray)) return refuse(list, "'stand_ins' is a list of components");
    for (const JsonValue item : list.children()) {
      const auto id = item.find_string();
      if (!id) return refuse(item, "Expected the id of a component");
      scenario_.stand_ins.emplace_back(*id);
    }
    return {};
  }

  base::Status read_list(const JsonValue& list,
                         base::Status (ScenarioReader::*read_item)(const JsonValue&)) {
    if (!list.is(JsonKind::kArray)) return refuse(list, base::format("'{}' is a list", list.key()));
    for (const JsonValue item : list.children()) {
      if (!item.is(JsonKind::kObject)) return refuse(item, "Expected a mapping");
      MR_TRY_STATUS((this->*read_item)(item));
    }
    return {};
  }

  base::Status read_options(const JsonValue& options) {
    if (!options.is(JsonKind::kObject)) return refuse(options, "'options' is a mapping");
    for (const JsonValue option : options.children()) {
      const auto count = option.find_unsigned();
      if (option.key() == "steps" && count) {
        scenario_.options.steps = *count;
      } else if (option.key() == "duration_ms" && count && *count < kDurationMsMax) {
        scenario_.options.duration = std::chrono::milliseconds(*count);
      } else if (option.key() == "until_idle" && option.find_bool()) {
        scenario_.options.until_idle = *option.find_bool();
      } else if (option.key() == "virtual_time" && option.find_bool() == true) {
        continue;
      } else {
        return refuse(option,
                      base::format("Not an option of a scenario: '{}'; there are steps, "
                                   "duration_ms, until_idle: true or false, virtual_time: true",
                                   option.key()));
      }
    }
    return {};
  }

  base::Result<Duration> read_time(const JsonValue& value) const {
    const auto text = value.find_string();
    const auto duration = text ? find_duration(*text) : std::nullopt;
    if (!duration) return refuse(value, base::format("'{}' is a time such as 20ms", value.key()));
    return *duration;
  }

  base::Status read_injection(const JsonValue& item) {
    TimedInjection injection;
    bool has_value = false;
    for (const JsonValue member : item.children()) {
      const std::string_view key = member.key();
      if (key == "at") {
        MR_TRY(injection.at, read_time(member));
      } else if (key == "event_time") {
        MR_TRY(injection.event_time, read_time(member));
      } else if (key == "component") {
        MR_TRY_STATUS(read_text(member, injection.component));
      } else if (key == "value") {
        injection.value = Payload::from_json(member);
        has_value = true;
      } else if (key != "port" || member.find_string() != "out") {
        return refuse(member,
                      "An injection has at, component, value, and optionally event_time and port, "
                      "which is out");
      }
    }
    if (injection.component.empty() || !has_value) {
      return refuse(item, "An injection needs component and value");
    }
    scenario_.options.injections.push_back(std::move(injection));
    return {};
  }

  base::Status read_expected(const JsonValue& item) {
    ExpectedOutput expected;
    bool has_value = false;
    for (const JsonValue member : item.children()) {
      const std::string_view key = member.key();
      if (key == "component") {
        MR_TRY_STATUS(read_text(member, expected.component));
      } else if (key == "value") {
        expected.value = Payload::from_json(member);
        has_value = true;
      } else if (key == "epoch" && member.find_unsigned()) {
        expected.epoch = member.find_unsigned();
      } else if (key == "time") {
        MR_TRY(expected.time, read_time(member));
      } else {
        return refuse(member, "An expectation has component, value, and optionally epoch and time");
      }
    }
    if (expected.component.empty() || !has_value) {
      return refuse(item, "An expectation needs component and value");
    }
    scenario_.expect.push_back(std::move(expected));
    return {};
  }

  base::Status read_metrics(const JsonValue& metrics) {
    if (!metrics.is(JsonKind::kObject)) return refuse(metrics, "'expect_metrics' is a mapping");
    for (const JsonValue metric : metrics.children()) {
      const auto add = [&](const JsonValue& value, std::string_view place) -> base::Status {
        if (!value.find_number()) {
          return refuse(value, "A metric is a number, or a mapping of places to numbers");
        }
        scenario_.metrics.push_back({.name = std::string(metric.key()),
                                     .place = std::string(place),
                                     .value = *value.find_number()});
        return {};
      };
      if (!metric.is(JsonKind::kObject)) {
        MR_TRY_STATUS(add(metric, {}));
        continue;
      }
      for (const JsonValue series : metric.children()) MR_TRY_STATUS(add(series, series.key()));
    }
    return {};
  }

  base::Status read_state(const JsonValue& tables) {
    if (!tables.is(JsonKind::kObject)) return refuse(tables, "'expect_state' is a mapping");
    for (const JsonValue table : tables.children()) {
      if (!table.is(JsonKind::kObject)) return refuse(table, "A table is a mapping of keys");
      for (const JsonValue entry : table.children()) {
        scenario_.state.push_back({.table = std::string(table.key()),
                                   .key = std::string(entry.key()),
                                   .value = Payload::from_json(entry)});
      }
    }
    return {};
  }

  static constexpr std::uint64_t kDurationMsMax = 1'000'000'000;

  const base::JsonDocument& document_;
  Scenario scenario_;
  bool has_expect_ = false;
  bool has_exact_ = false;
};

std::string expected_text(const ExpectedOutput& expected) {
  std::string text = base::format("{} {}", expected.component, expected.value.to_json());
  if (expected.epoch) text += base::format(" in epoch {}", *expected.epoch);
  if (expected.time) text += base::format(" at {}", duration_text(*expected.time));
  return text;
}

std::string output_text(const CompiledGraph& graph, const OutputRecord& output) {
  return base::format("{} {} in epoch {} at {}",
                      graph.components[output.component].id,
                      output.value.to_json(),
                      output.epoch,
                      duration_text(output.time));
}

bool fits(const CompiledGraph& graph, const ExpectedOutput& expected, const OutputRecord& output) {
  if (graph.components[output.component].id != expected.component) return false;
  if (expected.epoch && *expected.epoch != output.epoch) return false;
  if (expected.time && *expected.time != output.time) return false;
  if (expected.value == output.value) return true;
  // 2 and 2.0 are the same number to whoever writes a scenario.
  return expected.value.is_number() && output.value.is_number() &&
         expected.value.find_number() == output.value.find_number();
}

/// The JSON of an entry of the state, or `nothing`.
std::string state_text(const RuntimeRunnerResult& result, const ExpectedState& expected) {
  for (const StateTableView& table : result.state) {
    if (table.name != expected.table) continue;
    for (const StateEntry& entry : table.values) {
      if (entry.key == expected.key) return entry.value.to_json();
    }
  }
  return "nothing";
}

void judge_state(const Scenario& scenario,
                 const RuntimeRunnerResult& result,
                 ScenarioOutcome& outcome) {
  for (const ExpectedState& expected : scenario.state) {
    const std::string place = base::format("state {} of table {}", expected.key, expected.table);
    const std::string found = state_text(result, expected);
    if (found == expected.value.to_json()) continue;
    outcome.missing.push_back(base::format("{} = {}", place, expected.value.to_json()));
    outcome.unexpected.push_back(base::format("{} = {}", place, found));
  }
}

}  // namespace

base::Result<Scenario> read_scenario(std::string_view text) {
  const auto document = base::read_yaml(text);
  if (!document) {
    return base::fail(
        base::ErrorCode::kInvalidArgument,
        document.error().message,
        base::format("{}:{}", document.error().place.line, document.error().place.column));
  }
  return ScenarioReader(*document).read();
}

base::Status use_stand_ins(const Scenario& scenario, ComponentRegistry& types, GraphFile& file) {
  for (const std::string& id : scenario.stand_ins) {
    ComponentSpec* const component = file.find_component(id);
    if (component == nullptr) {
      return base::fail(base::ErrorCode::kNotFound,
                        base::format("'stand_ins' names a component that is not there: {}", id));
    }
    const ComponentDescriptor* const type = types.find(component->type);
    if (type == nullptr || type->role != BoundaryRole::kInput) {
      return base::fail(
          base::ErrorCode::kInvalidArgument,
          base::format("Only an input boundary can have a stand-in, and '{}' is none", id));
    }
    ComponentDescriptor stand_in = *types.find("core.input");
    stand_in.type = "core.input for " + component->type;
    stand_in.outputs = type->outputs;
    if (types.find(stand_in.type) == nullptr) {
      MR_TRY_STATUS(types.add(stand_in, builtin_factory("core.input")));
    }
    component->type = stand_in.type;
    component->event_sources.clear();
    component->trigger.reset();
    component->config.reset();
  }
  return {};
}

ScenarioOutcome judge(const CompiledGraph& graph,
                      const Scenario& scenario,
                      const RuntimeRunnerResult& result) {
  ScenarioOutcome outcome;
  std::size_t next = 0;
  for (const ExpectedOutput& expected : scenario.expect) {
    std::size_t found = next;
    while (found < result.outputs.size() && !fits(graph, expected, result.outputs[found])) ++found;
    if (found == result.outputs.size()) {
      outcome.missing.push_back(expected_text(expected));
      continue;
    }
    for (; scenario.is_exact && next < found; ++next) {
      outcome.unexpected.push_back(output_text(graph, result.outputs[next]));
    }
    next = found + 1;
  }
  for (; scenario.is_exact && next < result.outputs.size(); ++next) {
    outcome.unexpected.push_back(output_text(graph, result.outputs[next]));
  }
  for (const ExpectedMetric& expected : scenario.metrics) {
    const double value = result.metric(expected.name, expected.place);
    if (value == expected.value) continue;
    const std::string name =
        expected.name + (expected.place.empty() ? "" : base::format(" of {}", expected.place));
    outcome.missing.push_back(base::format("{} = {}", name, expected.value));
    outcome.unexpected.push_back(base::format("{} = {}", name, value));
  }
  judge_state(scenario, result, outcome);
  for (const RunError& error : result.errors) {
    outcome.unexpected.push_back(
        base::format("error {} {}: {}", error.code, error.component, error.message));
  }
  outcome.ok = outcome.missing.empty() && outcome.unexpected.empty();
  return outcome;
}

}  // namespace millrace::graph
