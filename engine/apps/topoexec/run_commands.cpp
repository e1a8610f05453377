#include "apps/topoexec/run_commands.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/topoexec/bench_command.h"
#include "apps/topoexec/flags.h"
#include "apps/topoexec/graph_input.h"
#include "apps/topoexec/live_run.h"
#include "apps/topoexec/observe_command.h"
#include "apps/topoexec/outcome.h"
#include "apps/topoexec/record_commands.h"
#include "apps/topoexec/run_session.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/format/graph_file.h"
#include "graph/report/run_report.h"
#include "graph/report/scenario.h"
#include "graph/report/trace_report.h"
#include "graph/run/run_options.h"
#include "graph/run/run_result.h"
#include "graph/run/runtime.h"
#include "graph/run/runtime_runner.h"
#include "graph/run/why.h"

namespace millrace::topoexec {
namespace {

/// How far `why` runs if nothing says how far.
constexpr std::uint64_t kWhySteps = 100;
/// Bytes of lines that a run in virtual time keeps before it writes them.
constexpr std::size_t kLinesKept = std::size_t{64} << 10U;

Outcome print_json_or_text(const Flags& flags, bool is_ok, auto write_json, std::string text) {
  Outcome outcome{.exit_code = is_ok ? 0 : kRunFailed, .out = {}, .err = {}};
  if (flags.format != Format::kJson) {
    outcome.out = std::move(text);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  write_json(json);
  outcome.out += '\n';
  return outcome;
}

Outcome run(const GraphInput& input) {
  const Flags& flags = input.flags;
  const graph::CompiledGraph& graph = input.graph;
  RunSession session(flags);
  graph::RuntimeRunnerOptions options = options_of(flags);
  session.prepare(options);
  std::string lines;
  bool is_written = true;
  options.on_output = [&](const graph::OutputRecord& output) {
    if (graph.components[output.component].type != "core.stdout") return;
    lines += graph::output_line(graph, output) + "\n";
    if (flags.virtual_time && lines.size() < kLinesKept) return;
    // Whoever reads them waits for them; if nobody does any more, the run is of no use.
    is_written = is_written && std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() &&
                 std::fflush(stdout) == 0;
    lines.clear();
    if (!is_written) session.stop();
  };
  const bool is_live = !flags.virtual_time && flags.record.empty();
  const auto ran = is_live ? run_live(input, session, std::move(options))
                           : run_and_record(input, std::move(options));
  if (!ran) {
    const std::string& where = ran.error().where();
    return usage_error(
        base::format("{}{}{}", where, where.empty() ? "" : ": ", ran.error().message()));
  }
  const graph::RuntimeRunnerResult& result = *ran;
  Outcome outcome{
      .exit_code = result.ok && is_written ? 0 : kRunFailed, .out = std::move(lines), .err = {}};
  if (!is_written) outcome.err = "topoexec: Standard output cannot be written\n";
  if (flags.format != Format::kJson) {
    outcome.err += graph::run_summary(graph, result);
    return outcome;
  }
  base::JsonWriter json(outcome.out);
  graph::write_run_json(graph, result, json);
  outcome.out += '\n';
  return outcome;
}

Outcome trace(const GraphInput& input) {
  const Flags& flags = input.flags;
  const graph::CompiledGraph& graph = input.graph;
  RunSession session(flags);
  graph::RuntimeRunnerOptions options = options_of(flags);
  session.prepare(options);
  options.trace = true;
  const auto result = graph::RuntimeRunner::run(graph, input.types, options);
  if (flags.format == Format::kChrome) {
    return {.exit_code = result.ok ? 0 : kRunFailed,
            .out = graph::chrome_trace(graph, result),
            .err = {}};
  }
  const auto write = [&](base::JsonWriter& json) { graph::write_trace_json(graph, result, json); };
  return print_json_or_text(flags, result.ok, write, graph::trace_text(graph, result));
}

Outcome metrics(const GraphInput& input) {
  const Flags& flags = input.flags;
  RunSession session(flags);
  graph::RuntimeRunnerOptions options = options_of(flags);
  session.prepare(options);
  const auto result = graph::RuntimeRunner::run(input.graph, input.types, options);
  const auto write = [&](base::JsonWriter& json) { graph::write_metrics_json(result, json); };
  return print_json_or_text(flags, result.ok, write, graph::metrics_text(result));
}

/// Answers from a run of its own, which is in virtual time: the answer is there at once, and the
/// same each time.
Outcome why(const GraphInput& input) {
  Flags flags = input.flags;
  flags.virtual_time = true;
  const graph::CompiledGraph& graph = input.graph;
  const auto component = graph.find_component(flags.component);
  if (!component) {
    std::vector<std::string_view> ids;
    for (const graph::CompiledComponent& known : graph.components) ids.push_back(known.id);
    return usage_error(base::format("No component has the id '{}'{}",
                                    flags.component,
                                    base::did_you_mean(flags.component, ids)));
  }
  RunSession session(flags);
  graph::RuntimeRunnerOptions options = options_of(flags);
  session.prepare(options);
  const bool has_bound = options.steps || options.duration || options.until_idle;
  if (!has_bound) options.steps = kWhySteps;
  graph::Runtime runtime(graph, input.types, std::move(options));
  if (const base::Status started = runtime.start(); !started) {
    return {.exit_code = kRunFailed,
            .out = {},
            .err = base::format("topoexec: {}\n", started.error().to_string())};
  }
  if (flags.epoch) {
    const std::string& domain = graph.domains[graph.components[*component].domain].id;
    if (const auto stepped = runtime.step(domain, *flags.epoch); !stepped) {
      return usage_error(stepped.error().message());
    }
  } else {
    runtime.run();
  }
  const graph::WhyReport report = *runtime.why(flags.component);
  const auto write = [&](base::JsonWriter& json) { graph::write_why_json(report, json); };
  return print_json_or_text(flags, true, write, graph::why_text(report));
}

std::string difference_text(const std::string& file, const graph::ScenarioOutcome& outcome) {
  std::string text;
  for (const std::string& line : outcome.missing) text += base::format("- {}\n", line);
  for (const std::string& line : outcome.unexpected) text += base::format("+ {}\n", line);
  return text + base::format("{}: {}\n", file, outcome.ok ? "ok" : "differs");
}

void write_difference(const graph::ScenarioOutcome& outcome, base::JsonWriter& json) {
  const auto write_list = [&json](std::string_view name, const std::vector<std::string>& lines) {
    json.key(name);
    json.begin_array();
    for (const std::string& line : lines) json.value(std::string_view(line));
    json.end_array();
  };
  json.begin_object();
  json.member("ok", outcome.ok);
  write_list("missing", outcome.missing);
  write_list("unexpected", outcome.unexpected);
  json.end_object();
}

}  // namespace

Outcome run_graph_command(const GraphInput& input) {
  const Flags& flags = input.flags;
  if (flags.command == Subcommand::kWhy) return why(input);
  if (flags.command == Subcommand::kBench) return bench_graph(input);
  const base::Status checked = graph::check_options(input.graph, options_of(flags));
  if (!checked) return usage_error(checked.error().message());
  if (!flags.record.empty() && !flags.admin.empty()) {
    return usage_error(
        "--record and --admin exclude each other: what --admin changes is not recorded");
  }
  if (!flags.admin.empty() && flags.virtual_time) {
    return usage_error("--admin is for runs in wall time: one in virtual time is over at once");
  }
  if (flags.command == Subcommand::kObserve) return observe_graph(input);
  if (flags.command == Subcommand::kTrace) return trace(input);
  if (flags.command == Subcommand::kMetrics) return metrics(input);
  return run(input);
}

Outcome run_scenario(const Flags& flags, const graph::ComponentRegistry& known) {
  graph::ComponentRegistry registry = known;
  const auto text = graph::read_text_file(flags.file, flags.limits.text_bytes_max);
  if (!text) return usage_error(base::format("{}: {}", flags.file, text.error().message()));
  auto scenario = graph::read_scenario(*text);
  if (!scenario) {
    return usage_error(base::format(
        "{}:{}: {}", flags.file, scenario.error().where(), scenario.error().message()));
  }
  const std::filesystem::path folder = std::filesystem::path(flags.file).parent_path();
  const std::string path = (folder / scenario->graph).string();
  const auto graph_text = graph::read_text_file(path, flags.limits.text_bytes_max);
  if (!graph_text) return usage_error(base::format("{}: {}", path, graph_text.error().message()));
  graph::GraphFile file(*graph_text, graph::format_of(path), flags.limits);
  if (file.has_spec()) {
    const base::Status replaced = graph::use_stand_ins(*scenario, registry, file);
    if (!replaced)
      return usage_error(base::format("{}: {}", flags.file, replaced.error().message()));
  }
  const auto compiled = graph::compile_graph(std::move(file), registry);
  if (!compiled.graph) {
    return {.exit_code = kBadUsage, .out = {}, .err = compiled.report.to_text(path)};
  }
  scenario->options.keep_outputs = true;
  const base::Status checked = graph::check_options(*compiled.graph, scenario->options);
  if (!checked) return usage_error(base::format("{}: {}", flags.file, checked.error().message()));
  const auto result = graph::RuntimeRunner::run(*compiled.graph, registry, scenario->options);
  const graph::ScenarioOutcome outcome = graph::judge(*compiled.graph, *scenario, result);
  const auto write = [&](base::JsonWriter& json) { write_difference(outcome, json); };
  return print_json_or_text(flags, outcome.ok, write, difference_text(flags.file, outcome));
}

}  // namespace millrace::topoexec
