#include "apps/topoexec/flags.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "graph/format/limits.h"

namespace millrace::topoexec {
namespace {

constexpr const char* kProgramAbout =
    "topoexec checks, draws and runs resident graphs: components that stay and exchange\n"
    "messages in epochs. A graph is a YAML or JSON file.\n\n"
    "  topoexec graph validate graph.yaml            what is wrong with it, line by line\n"
    "  topoexec graph plan graph.yaml                in which order its parts run\n"
    "  topoexec graph render graph.yaml --format svg > graph.svg\n"
    "  topoexec graph explain graph.yaml COMPONENT   where and when one component runs\n"
    "  topoexec graph run graph.yaml                 until SIGINT or SIGTERM, or a bound\n"
    "  topoexec graph run graph.yaml --virtual-time --until-idle\n"
    "  topoexec graph observe graph.yaml             run it and watch it in a table\n"
    "  topoexec graph why graph.yaml COMPONENT       why it ran, or what it waits for\n"
    "  topoexec graph bench graph.yaml --virtual-time    what its invocations cost\n"
    "  topoexec graph test scenario.yaml             compare a run with what is expected\n"
    "  topoexec graph replay run.record              run again what 'run --record' wrote\n"
    "  topoexec schema dump > graph.schema.json      for completion in an editor\n\n"
    "Exit code: 0 all well, 1 failed (the run, the scenario, or lint --strict found warnings),\n"
    "2 wrong usage or invalid file.";

constexpr const char* kGraphAbout =
    "commands about one graph file\n\n"
    "Start with 'validate': it reports everything that is wrong, with line, column and a fix. "
    "Then\n"
    "'plan' and 'render' show what the compiler made of the file, 'run' executes it, and 'why' "
    "says\n"
    "what one component waits for.";

class GraphCommandLine {
 public:
  explicit GraphCommandLine(Flags& flags) : flags_(flags), app_(kProgramAbout, "topoexec") {
    app_.require_subcommand(1, 1);
    add_graph_commands();
    add_schema_commands();
    CLI::App& doctor = command(app_,
                               "doctor",
                               Subcommand::kDoctor,
                               "show versions, limits, component types and what the system allows");
    add_format(doctor, {"text", "json"});
    add_plugins(doctor);
    apps::finish_command_line(
        app_,
        "Exit codes: 0 ok, 1 failed (with --strict: warnings), 2 wrong usage or invalid file.");
  }

  [[nodiscard]] std::expected<void, EarlyExit> parse(int argc, const char* const* argv) {
    return apps::parse_command_line(app_, argc, argv);
  }

 private:
  void add_graph_commands() {
    CLI::App& graph = *app_.add_subcommand("graph", kGraphAbout);
    graph.require_subcommand(1, 1);
    CLI::App& validate = file_command(
        graph, "validate", Subcommand::kValidate, "report everything that is wrong with the file");
    add_strict(validate);
    file_command(graph, "plan", Subcommand::kPlan, "show domains, stages and the order of regions");
    CLI::App& render =
        command(graph, "render", Subcommand::kRender, "draw the graph as text, mermaid or svg");
    add_file(render);
    add_format(render, {"text", "mermaid", "svg", "json"});
    CLI::App& lint = file_command(
        graph, "lint", Subcommand::kLint, "the same report; --strict makes warnings fail");
    add_strict(lint);
    CLI::App& explain = file_command(
        graph, "explain", Subcommand::kExplain, "where and when one component runs, and why there");
    explain.add_option("COMPONENT", flags_.component, "id of a component")->required();
    CLI::App& diff = file_command(
        graph, "diff-plan", Subcommand::kDiffPlan, "what differs between the plans of two files");
    diff.add_option("OTHER", flags_.other_file, "the newer graph file")->required();
    add_run_commands(graph);
  }

  void add_run_commands(CLI::App& graph) {
    CLI::App& run = file_command(
        graph, "run", Subcommand::kRun, "execute the graph; its core.stdout prints lines");
    add_bounds(run);
    run.add_option("--record", flags_.record, "write everything needed to replay the run");
    run.add_option(
        "--admin", flags_.admin, "answer questions at unix:PATH or HOST:PORT while it runs (HTTP)");
    run.add_flag("--admin-anywhere",
                 flags_.admin_anywhere,
                 "let --admin listen at an address that other machines can reach");
    add_watch_commands(graph);
    CLI::App& trace = command(
        graph, "trace", Subcommand::kTrace, "execute it and print what happened, event by event");
    add_file(trace);
    add_format(trace, {"text", "json", "chrome"});
    add_bounds(trace);
    CLI::App& metrics = file_command(
        graph, "metrics", Subcommand::kMetrics, "execute it and print counters and gauges");
    add_bounds(metrics);
    CLI::App& replay = file_command(
        graph, "replay", Subcommand::kReplay, "run a record again and name the first difference");
    replay.get_option("FILE")->description("what 'run --record' wrote");
    CLI::App& test = file_command(
        graph, "test", Subcommand::kTest, "run a scenario in virtual time and compare its outputs");
    test.get_option("FILE")->description("scenario file: graph, options, inject, expect");
  }

  void add_watch_commands(CLI::App& graph) {
    CLI::App& why =
        command(graph, "why", Subcommand::kWhy, "say why one component ran last, or did not");
    why.add_option("FILE", flags_.file, "graph file to execute in virtual time; not with --at");
    why.add_option("COMPONENT", flags_.component, "id of a component");
    add_limits(why);
    add_format(why, {"text", "json"});
    why.add_option("--epoch", flags_.epoch, "ask after this epoch of its domain")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U));
    why.add_option("--at", flags_.at, "ask the graph that runs with this --admin address");
    add_bounds(why);
    CLI::App& observe = file_command(graph,
                                     "observe",
                                     Subcommand::kObserve,
                                     "execute it in wall time and show what it is doing, or watch "
                                     "one that runs with --admin");
    observe.get_option("FILE")->description("graph file, or the address of a running graph");
    add_bounds(observe);
    observe.add_option("--interval-ms", flags_.interval_ms, "time between two looks")
        ->check(CLI::Range(std::int64_t{10}, std::int64_t{3'600'000}))
        ->capture_default_str();
    observe.add_flag("--once", flags_.once, "look once, then end");
    CLI::App& bench = file_command(
        graph, "bench", Subcommand::kBench, "execute it several times and print what it costs");
    add_bounds(bench);
    bench.add_option("--repeat", flags_.repeat, "how many runs")
        ->check(CLI::Range(1U, 1000U))
        ->capture_default_str();
  }

  void add_bounds(CLI::App& sub) {
    // Without the range -1 would be the largest number.
    sub.add_option("--steps", flags_.steps, "end after so many epochs of the first domain")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62U));
    sub.add_option("--duration-ms", flags_.duration_ms, "begin no epoch at or after this time")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40U));
    sub.add_flag("--until-idle", flags_.until_idle, "end when nothing can happen by itself");
    sub.add_flag("--virtual-time", flags_.virtual_time, "do not wait: time moves by itself");
  }

  void add_schema_commands() {
    CLI::App& schema = *app_.add_subcommand("schema", "the file format");
    schema.require_subcommand(1, 1);
    CLI::App& dump =
        command(schema, "dump", Subcommand::kSchemaDump, "print the JSON Schema of graph files");
    add_format(dump, {"text", "json"});
    file_command(schema,
                 "check",
                 Subcommand::kSchemaCheck,
                 "check fields, types and values of a file, but not what its ids refer to");
  }

  CLI::App& command(CLI::App& parent, const char* name, Subcommand which, const char* about) {
    CLI::App& sub = *parent.add_subcommand(name, about);
    sub.callback([this, which] { flags_.command = which; });
    return sub;
  }

  CLI::App& file_command(CLI::App& parent, const char* name, Subcommand which, const char* about) {
    CLI::App& sub = command(parent, name, which, about);
    add_file(sub);
    add_format(sub, {"text", "json"});
    return sub;
  }

  void add_file(CLI::App& sub) {
    sub.add_option("FILE", flags_.file, "graph file: JSON if it ends in .json, else YAML")
        ->required();
    add_limits(sub);
  }

  void add_limits(CLI::App& sub) {
    add_plugins(sub);
    const auto limit = [&sub](const char* name, std::size_t& value, const char* about) {
      sub.add_option(name, value, about)
          ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30U))
          ->capture_default_str()
          ->group("Limits");
    };
    graph::GraphLimits& limits = flags_.limits;
    limit("--max-text-bytes", limits.text_bytes_max, "size of the file");
    limit("--max-lanes", limits.lanes_max, "lanes");
    limit("--max-components", limits.components_max, "components, templates written out");
    limit("--max-edges", limits.edges_max, "edges, templates written out");
    limit("--max-loops", limits.loops_max, "composite loops");
    limit("--max-id-bytes", limits.id_bytes_max, "length of an id");
    limit("--max-config-depth", limits.config_depth_max, "nesting of a config");
  }

  void add_plugins(CLI::App& sub) {
    sub.add_option("--plugin", flags_.plugins, "shared object with more component types")
        ->allow_extra_args(false);
  }

  void add_strict(CLI::App& sub) {
    sub.add_flag("--strict", flags_.strict, "warnings make the exit code 1");
  }

  void add_format(CLI::App& sub, const std::vector<std::string>& names) {
    const auto set = [this](const std::string& name) {
      flags_.format = name == "json"      ? Format::kJson
                      : name == "mermaid" ? Format::kMermaid
                      : name == "svg"     ? Format::kSvg
                      : name == "chrome"  ? Format::kChrome
                                          : Format::kText;
    };
    std::string about;
    for (const std::string& name : names) about += (about.empty() ? "" : ", ") + name;
    sub.add_option_function<std::string>("--format", set, about)
        ->transform(CLI::IsMember(names, CLI::ignore_case));
  }

  Flags& flags_;
  CLI::App app_;
};

/// `why` takes a file and a component, or with `--at` a component only.
std::expected<void, EarlyExit> place_why_arguments(Flags& flags) {
  if (flags.at.empty()) {
    if (!flags.file.empty() && !flags.component.empty()) return {};
    return std::unexpected(EarlyExit{
        .exit_code = 2,
        .text = "topoexec: graph why needs FILE and COMPONENT, or COMPONENT and --at ADDRESS\n"});
  }
  if (flags.file.empty() || !flags.component.empty()) {
    return std::unexpected(EarlyExit{
        .exit_code = 2, .text = "topoexec: graph why --at ADDRESS takes COMPONENT and no file\n"});
  }
  flags.component = std::move(flags.file);
  flags.file.clear();
  return {};
}

}  // namespace

std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv) {
  Flags flags;
  GraphCommandLine line(flags);
  if (auto parsed = line.parse(argc, argv); !parsed) return std::unexpected(parsed.error());
  if (flags.command == Subcommand::kWhy) {
    if (auto placed = place_why_arguments(flags); !placed) return std::unexpected(placed.error());
  }
  return flags;
}

}  // namespace millrace::topoexec
