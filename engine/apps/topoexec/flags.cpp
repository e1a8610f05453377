#include "apps/topoexec/flags.h"

#include <cstddef>
#include <expected>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "graph/format/limits.h"

namespace millrace::topoexec {
namespace {

constexpr const char* kProgramAbout =
    "topoexec checks, compiles and draws resident graphs: components that stay and exchange\n"
    "messages in epochs. A graph is a YAML or JSON file. This version does not run them yet.\n\n"
    "  topoexec graph validate graph.yaml            what is wrong with it, line by line\n"
    "  topoexec graph plan graph.yaml                in which order its parts run\n"
    "  topoexec graph render graph.yaml --format svg > graph.svg\n"
    "  topoexec graph explain graph.yaml COMPONENT   where and when one component runs\n"
    "  topoexec schema dump > graph.schema.json      for completion in an editor\n\n"
    "Exit code: 0 all well, 1 failed (lint --strict found warnings), 2 wrong usage or invalid "
    "file.";

constexpr const char* kGraphAbout =
    "commands about one graph file\n\n"
    "Start with 'validate': it reports everything that is wrong, with line, column and a fix. "
    "Then\n"
    "'plan' and 'render' show what the compiler made of the file.";

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
  }

  [[nodiscard]] std::expected<void, EarlyExit> parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      std::ostringstream out;
      std::ostringstream problems;
      const int code = app_.exit(error, out, problems);
      return std::unexpected(EarlyExit{code == 0 ? 0 : 2, out.str() + problems.str()});
    }
    return {};
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
    add_format(render, {"text", "mermaid", "svg"});
    CLI::App& lint = file_command(
        graph, "lint", Subcommand::kLint, "the same report; --strict makes warnings fail");
    add_strict(lint);
    CLI::App& explain = file_command(
        graph, "explain", Subcommand::kExplain, "where and when one component runs, and why there");
    explain.add_option("COMPONENT", flags_.component, "id of a component")->required();
    CLI::App& diff = file_command(
        graph, "diff-plan", Subcommand::kDiffPlan, "what differs between the plans of two files");
    diff.add_option("OTHER", flags_.other_file, "the newer graph file")->required();
  }

  void add_schema_commands() {
    CLI::App& schema = *app_.add_subcommand("schema", "the file format");
    schema.require_subcommand(1, 1);
    command(schema, "dump", Subcommand::kSchemaDump, "print the JSON Schema of graph files");
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

  void add_strict(CLI::App& sub) {
    sub.add_flag("--strict", flags_.strict, "warnings make the exit code 1");
  }

  void add_format(CLI::App& sub, const std::vector<std::string>& names) {
    const auto set = [this](const std::string& name) {
      flags_.format = name == "json"      ? Format::kJson
                      : name == "mermaid" ? Format::kMermaid
                      : name == "svg"     ? Format::kSvg
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

}  // namespace

std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv) {
  Flags flags;
  GraphCommandLine line(flags);
  if (auto parsed = line.parse(argc, argv); !parsed) return std::unexpected(parsed.error());
  return flags;
}

}  // namespace millrace::topoexec
