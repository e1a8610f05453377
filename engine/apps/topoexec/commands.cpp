#include "apps/topoexec/commands.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/topoexec/component_types.h"
#include "apps/topoexec/doctor.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/observe_command.h"
#include "apps/topoexec/record_commands.h"
#include "apps/topoexec/run_commands.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/diagnostic.h"
#include "graph/format/graph_file.h"
#include "graph/format/schema.h"
#include "graph/report/explain.h"
#include "graph/report/plan_diff.h"
#include "graph/report/plan_report.h"
#include "graph/report/render_svg.h"
#include "graph/report/render_text.h"

namespace millrace::topoexec {
namespace {

constexpr int kFailed = 1;
constexpr int kInvalid = 2;

Outcome fail_with(const base::Error& error) {
  return {.exit_code = kInvalid,
          .out = {},
          .err = base::format("topoexec: {}: {}\n", error.where(), error.message())};
}

struct LoadedGraph {
  std::string text;
  graph::CompileResult result;
};

/// Compiles a file; nothing if it cannot be read, and then `outcome` says so.
std::optional<LoadedGraph> load(const Flags& flags,
                                const graph::ComponentRegistry& types,
                                const std::string& path,
                                Outcome& outcome) {
  auto text = graph::read_text_file(path, flags.limits.text_bytes_max);
  if (!text) {
    outcome = fail_with(text.error());
    return std::nullopt;
  }
  graph::CompileResult result =
      graph::compile_text(*text, graph::format_of(path), types, flags.limits);
  return LoadedGraph{.text = *std::move(text), .result = std::move(result)};
}

std::string summary(const graph::DiagnosticReport& report, const std::string& file) {
  return base::format("{}: {}, {} error{}, {} warning{}\n",
                      file,
                      report.error_count() == 0 ? "ok" : "invalid",
                      report.error_count(),
                      report.error_count() == 1 ? "" : "s",
                      report.warning_count(),
                      report.warning_count() == 1 ? "" : "s");
}

/// What validate, lint and schema check print.
Outcome print_report(const Flags& flags, const graph::DiagnosticReport& report) {
  Outcome outcome;
  if (report.error_count() > 0) {
    outcome.exit_code = kInvalid;
  } else if (flags.strict && report.warning_count() > 0) {
    outcome.exit_code = kFailed;
  }
  if (flags.format != Format::kJson) {
    outcome.out = report.to_text(flags.file) + summary(report, flags.file);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  json.begin_object();
  json.member("ok", report.error_count() == 0);
  json.key("diagnostics");
  report.write_json(json);
  json.end_object();
  outcome.out += '\n';
  return outcome;
}

/// An invalid file prints its errors instead of the result: as JSON on stdout, as text on stderr.
Outcome refuse(const Flags& flags, const graph::DiagnosticReport& report, const std::string& path) {
  if (flags.format == Format::kJson) return print_report(flags, report);
  return {.exit_code = kInvalid, .out = {}, .err = report.to_text(path) + summary(report, path)};
}

Outcome print_plan(const Flags& flags, const graph::CompileResult& result) {
  Outcome outcome;
  if (flags.format != Format::kJson) {
    outcome.out = graph::plan_text(*result.graph);
    outcome.err = result.report.to_text(flags.file);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  graph::write_plan_json(*result.graph, result.report, json);
  outcome.out += '\n';
  return outcome;
}

Outcome render(const Flags& flags, const graph::CompiledGraph& graph) {
  switch (flags.format) {
    case Format::kMermaid:
      return {.out = graph::render_mermaid(graph), .err = {}};
    case Format::kJson: {
      Outcome outcome;
      base::JsonWriter json(outcome.out);
      graph::write_picture_json(graph, json);
      outcome.out += '\n';
      return outcome;
    }
    case Format::kSvg:
      return {.out = graph::render_svg(graph), .err = {}};
    default:
      return {.out = graph::render_text(graph), .err = {}};
  }
}

Outcome explain(const Flags& flags, const graph::CompiledGraph& graph) {
  const auto component = graph.find_component(flags.component);
  if (!component) {
    std::vector<std::string_view> ids;
    for (const graph::CompiledComponent& known : graph.components) ids.push_back(known.id);
    return {.exit_code = kInvalid,
            .out = {},
            .err = base::format("topoexec: No component has the id '{}'{}\n",
                                flags.component,
                                base::did_you_mean(flags.component, ids))};
  }
  Outcome outcome;
  if (flags.format != Format::kJson) {
    outcome.out = graph::explanation_text(graph, *component);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  graph::write_explanation_json(graph, *component, json);
  outcome.out += '\n';
  return outcome;
}

Outcome diff_plans(const Flags& flags,
                   const graph::ComponentRegistry& types,
                   const graph::CompileResult& before) {
  Outcome outcome;
  const auto loaded = load(flags, types, flags.other_file, outcome);
  if (!loaded) return outcome;
  const graph::CompileResult* after = &loaded->result;
  if (!after->graph) return refuse(flags, after->report, flags.other_file);
  const graph::PlanDiff diff =
      graph::compare_plans({.graph = *before.graph, .report = before.report},
                           {.graph = *after->graph, .report = after->report});
  if (flags.format != Format::kJson) {
    outcome.out = graph::diff_text(diff);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  graph::write_diff_json(diff, json);
  outcome.out += '\n';
  return outcome;
}

Outcome check_schema(const Flags& flags) {
  const auto text = graph::read_text_file(flags.file, flags.limits.text_bytes_max);
  if (!text) return fail_with(text.error());
  graph::GraphFile file(*text, graph::format_of(flags.file), flags.limits);
  file.report().sort();
  return print_report(flags, file.report());
}

Outcome run_on_file(const Flags& flags, const graph::ComponentRegistry& types) {
  Outcome outcome;
  const auto loaded = load(flags, types, flags.file, outcome);
  if (!loaded) return outcome;
  const graph::CompileResult* result = &loaded->result;
  if (flags.command == Subcommand::kValidate || flags.command == Subcommand::kLint) {
    return print_report(flags, result->report);
  }
  if (!result->graph) return refuse(flags, result->report, flags.file);
  switch (flags.command) {
    case Subcommand::kPlan:
      return print_plan(flags, *result);
    case Subcommand::kRender:
      return render(flags, *result->graph);
    case Subcommand::kExplain:
      return explain(flags, *result->graph);
    case Subcommand::kDiffPlan:
      return diff_plans(flags, types, *result);
    default:
      return run_graph_command(
          {.flags = flags, .types = types, .text = loaded->text, .graph = *result->graph});
  }
}

}  // namespace

Outcome run_command(const Flags& flags) {
  const auto types = component_types(flags);
  if (!types) return fail_with(types.error());
  switch (flags.command) {
    case Subcommand::kSchemaDump:
      return {.out = graph::schema_text() + "\n", .err = {}};
    case Subcommand::kSchemaCheck:
      return check_schema(flags);
    case Subcommand::kTest:
      return run_scenario(flags, *types);
    case Subcommand::kReplay:
      return replay_record(flags, *types);
    case Subcommand::kObserve:
      return names_address(flags) ? observe_address(flags) : run_on_file(flags, *types);
    case Subcommand::kWhy:
      return flags.at.empty() ? run_on_file(flags, *types) : ask_why(flags);
    case Subcommand::kDoctor:
      return {.out = doctor_report(*types, flags.format == Format::kJson), .err = {}};
    default:
      return run_on_file(flags, *types);
  }
}

}  // namespace millrace::topoexec
