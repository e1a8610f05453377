#include "apps/rankd/commands.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "apps/rankd/answer_table.h"
#include "apps/rankd/batch_command.h"
#include "apps/rankd/bench.h"
#include "apps/rankd/doctor.h"
#include "apps/rankd/extensions.h"
#include "apps/rankd/graph_run.h"
#include "apps/rankd/line_reader.h"
#include "apps/rankd/line_server.h"
#include "apps/rankd/output.h"
#include "apps/rankd/plan_picture.h"
#include "apps/rankd/probe.h"
#include "apps/rankd/process_log.h"
#include "apps/rankd/registry_json.h"
#include "apps/rankd/request_command.h"
#include "apps/rankd/request_mix.h"
#include "apps/rankd/serve.h"
#include "apps/rankd/stop_signals.h"
#include "apps/rankd/suites/suite_report.h"
#include "apps/rankd/suites/suite_runner.h"
#include "apps/rankd/top/top.h"
#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/problems/message_text.h"
#include "host/engine.h"
#include "host/project.h"
#include "plan/explain.h"
#include "rank/request.h"
#include "stores/seed_data.h"
#include "tasks/manifest.h"
#include "trace/chrome_trace_reader.h"
#include "trace/waterfall.h"

namespace millrace::rankd {
namespace {

constexpr int kOk = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

int fail(const host::StartError& error) {
  std::string text = base::printable(error.text);
  if (!text.ends_with('\n')) text += '\n';
  std::fprintf(stderr, "rankd: %s", text.c_str());
  return kFailed;
}

std::string plans_json(std::span<const host::PlanFile> files) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_array();
  for (const host::PlanFile& file : files) {
    json.begin_object();
    json.member("file", file.path);
    json.member("ok", file.plan.has_value());
    if (file.plan) {
      json.member("name", (*file.plan)->name);
      json.member("nodes", (*file.plan)->nodes.size());
    }
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

int list_plans(const Flags& flags, const host::Project& project, Output& out) {
  const auto files = project.load_plans(flags);
  if (!files) return fail(files.error());
  const bool all_good =
      std::ranges::all_of(*files, [](const host::PlanFile& file) { return file.plan.has_value(); });
  if (flags.format_or(Format::kText) == Format::kJson) {
    out.write(plans_json(*files));
    return all_good ? kOk : kFailed;
  }
  for (const host::PlanFile& file : *files) {
    if (file.plan) {
      out.write(base::format("{:<24} {:>3} {}  {}\n",
                             (*file.plan)->name,
                             (*file.plan)->nodes.size(),
                             (*file.plan)->nodes.size() == 1 ? "node " : "nodes",
                             base::printable(file.path)));
    } else {
      out.write(base::format("{:<24} invalid    {}\n", "-", base::printable(file.path)));
    }
  }
  return all_good ? kOk : kFailed;
}

int check(const Flags& flags, const host::Project& project, Output& output) {
  const auto files = project.load_plans(flags);
  if (!files) return fail(files.error());
  std::string out;
  base::JsonWriter json(out);
  bool all_good = true;
  if (flags.format_or(Format::kText) == Format::kJson) json.begin_array();
  for (const host::PlanFile& file : *files) {
    all_good &= file.plan.has_value();
    if (flags.format_or(Format::kText) == Format::kJson) {
      json.begin_object();
      json.member("file", file.path);
      json.member("ok", file.plan.has_value());
      json.key("problems");
      if (file.plan) {
        base::write_json((*file.plan)->warnings, json);
      } else {
        file.plan.error().write_json(json);
        const std::size_t more = file.plan.error().dropped_count();
        if (more != 0) json.member("more_problems", more);
      }
      json.end_object();
    } else if (file.plan) {
      out += base::format("{}: ok\n", base::printable(file.path));
      for (const base::Problem& warning : (*file.plan)->warnings) {
        plan::ProblemReport report;
        report.add(warning);
        out += report.to_text();
      }
    } else {
      out += base::format("{}:\n{}", base::printable(file.path), file.plan.error().to_text());
    }
  }
  if (flags.format_or(Format::kText) == Format::kJson) json.end_array();
  if (!out.ends_with('\n')) out += '\n';
  output.write(out);
  return all_good ? kOk : kFailed;
}

base::Result<std::string> describe(const plan::CompiledPlanRef& plan,
                                   const host::Project& project,
                                   Format format) {
  if (format == Format::kDot) return plan_to_dot(plan, project);
  if (format == Format::kMermaid) return plan_to_mermaid(plan, project);
  if (format == Format::kSvg) return plan_to_svg(*plan);
  const plan::PlanExplanation explanation(*plan, project.registry());
  if (format == Format::kText) return base::printable(explanation.to_text());
  std::string out;
  base::JsonWriter json(out);
  explanation.write_json(json);
  return out + "\n";
}

int explain(const Flags& flags, const host::Project& project, Output& output) {
  if (flags.plan_name.empty()) {
    std::fputs("rankd: explain needs the name of a plan\n", stderr);
    return kUsage;
  }
  Flags loaded = flags;
  const bool is_file = flags.plan_name.ends_with(".json");
  if (is_file) loaded.plan_files = {flags.plan_name};
  const auto files = project.load_plans(loaded);
  if (!files) return fail(files.error());
  for (const host::PlanFile& file : *files) {
    const bool is_named = is_file || file.path.ends_with("/" + flags.plan_name + ".plan.json");
    if (is_named && !file.plan)
      return fail({base::format("{}:\n{}", file.path, file.plan.error().to_text())});
    if (!file.plan || (!is_file && (*file.plan)->name != flags.plan_name)) continue;
    const auto text = describe(*file.plan, project, flags.format_or(Format::kText));
    if (!text) return fail({text.error().to_string()});
    output.write(*text);
    return kOk;
  }
  std::vector<std::string_view> names;
  for (const host::PlanFile& file : *files) {
    if (file.plan) names.emplace_back((*file.plan)->name);
  }
  const std::string meant = base::did_you_mean(flags.plan_name, names);
  return fail({base::format("No valid plan has the name '{}'{}",
                            flags.plan_name,
                            meant.empty() ? "; --list-plans shows all" : meant)});
}

host::StartError cannot_write(const std::string& name) {
  return {base::format("Cannot write '{}': {}", name, std::generic_category().message(errno))};
}

int write_seed(const Flags& flags) {
  const stores::SeedOptions options{.users = flags.seed_users, .seed = flags.seed_seed};
  base::Status written;
  if (flags.seed_out.empty()) {
    written = stores::write_seed_data(options, std::cout);
    std::cout.flush();
    if (!std::cout) return fail(cannot_write("stdout"));
  } else {
    std::ofstream file(flags.seed_out, std::ios::binary);
    if (!file) return fail(cannot_write(flags.seed_out));
    written = stores::write_seed_data(options, file);
    file.close();
    if (written && !file) return fail(cannot_write(flags.seed_out));
  }
  return written ? kOk : fail({written.error().to_string()});
}

int test_plans(const Flags& flags, const host::Project& project, Output& out) {
  std::vector<std::string> files = flags.suite_files;
  if (files.empty()) files = find_suites(project.plan_dir(flags));
  if (files.empty()) {
    return fail({base::format("No file of tests: '{}' has no *.test.json; name one",
                              project.plan_dir(flags))});
  }
  SuiteResults results;
  for (const std::string& file : files) results.suites.push_back(run_suite(flags, file));
  out.write(flags.format_or(Format::kText) == Format::kJson ? to_json(results)
                                                            : base::printable(to_text(results)));
  if (!flags.junit_file.empty()) {
    std::ofstream junit(flags.junit_file, std::ios::binary);
    junit << to_junit(results);
    junit.close();
    if (!junit) return fail(cannot_write(flags.junit_file));
  }
  return results.failed_count() == 0 ? kOk : kFailed;
}

/// The columns of the terminal, or as many as a page shows.
std::size_t terminal_columns() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 100;
}

int draw_trace(const Flags& flags, Output& out) {
  const auto text = host::read_text_file(flags.trace_file);
  if (!text) return fail(text.error());
  const auto runs = trace::read_chrome_trace(*text);
  if (!runs) return fail({base::format("{}: {}", flags.trace_file, runs.error().message())});
  if (flags.trace_run > static_cast<std::int64_t>(runs->size())) {
    return fail({base::format(
        "{} has {} runs; there is no run {}", flags.trace_file, runs->size(), flags.trace_run)});
  }
  const auto slowest = std::ranges::max_element(*runs, {}, &trace::FiledRun::duration);
  const std::ptrdiff_t index = flags.trace_run > 0 ? flags.trace_run - 1 : slowest - runs->begin();
  const bool is_chosen = flags.trace_run > 0 || runs->size() == 1;
  out.write(
      base::format("run {} of {}{}: ", index + 1, runs->size(), is_chosen ? "" : ", the slowest"));
  out.write(base::printable(trace::draw_waterfall((*runs)[static_cast<std::size_t>(index)],
                                                  {.columns = terminal_columns()})));
  return kOk;
}

// Whoever starts it by hand sees that it waits, and for what.
void greet_terminal() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return;
  std::fputs(
      "rankd: type a request, as {\"user_id\": 1}, one per line; Ctrl-D ends. `rankd --help` says "
      "what else it does.\n",
      stderr);
}

int run_lines(const Flags& flags, host::Engine& engine, Output& out, StopFlag& stop) {
  greet_terminal();
  LineReader in(STDIN_FILENO, "stdin", stop, rank::RequestLimits().json.text_bytes_max);
  LineServerOptions options{
      .concurrency = flags.run_concurrency, .slow = flags.slow_request, .log = flags.log};
  if (flags.format == Format::kText) options.rewrite = &answer_table;
  const auto all_good = serve_lines(engine, in, out, stop, options);
  // A failed output is reported where all commands end.
  if (!all_good) return out.status() ? fail({all_good.error().message()}) : kFailed;
  return *all_good ? kOk : kFailed;
}

int bench(const Flags& flags, host::Engine& engine, Output& out, const StopFlag& stop) {
  const auto mix = make_request_mix(flags);
  if (!mix) return fail(mix.error());
  const BenchResult result = run_bench(engine, flags, *mix, stop);
  out.write(flags.format_or(Format::kText) == Format::kJson ? to_json(result)
                                                            : base::printable(to_text(result)));
  return result.failed == 0 ? kOk : kFailed;
}

int with_engine(Flags flags, const host::Project& project, bridge::GraphHost* graph, Output& out) {
  ProcessLog log(flags);
  flags.log = &log.logger();
  StopFlag stop;
  const StopSignals signals(stop);
  auto engine = host::Engine::start(flags, project);
  if (!engine) return fail(engine.error());
  GraphRun graph_run(graph);
  if (auto started = graph_run.start(**engine, flags.log); !started) return fail(started.error());
  const int code = flags.command == Subcommand::kRun ? run_lines(flags, **engine, out, stop)
                                                     : bench(flags, **engine, out, stop);
  if (const auto closed = (*engine)->close_trace_dump(); !closed) return fail(closed.error());
  return code;
}

int run_command_to(const Flags& flags, Output& out) {
  if (flags.command == Subcommand::kSeed) return write_seed(flags);
  if (flags.command == Subcommand::kServe) return run_serve(flags);
  if (flags.command == Subcommand::kProbe) return run_probe(flags.probe_address);
  if (flags.command == Subcommand::kTop) return run_top(flags, out);
  if (flags.command == Subcommand::kRequest) return run_request(flags.nats, flags.deadline, out);
  if (flags.command == Subcommand::kBatch) return run_batch(flags, out);
  if (flags.command == Subcommand::kTrace) return draw_trace(flags, out);
  if (flags.command == Subcommand::kDoctor) return run_doctor(flags, out);
  Flags settings = flags;
  const auto graph = load_graph(flags.graph_file, settings);
  if (!graph) return fail(graph.error());
  const auto project = host::Project::open(settings, rankd_extensions(graph->get()));
  if (!project) return fail(project.error());
  switch (flags.command) {
    case Subcommand::kPrintRegistry:
      out.write(registry_json((*project)->registry()) + "\n");
      return kOk;
    case Subcommand::kPrintTaskManifest:
      out.write(tasks::make_manifest((*project)->tasks()));
      return kOk;
    case Subcommand::kListPlans:
      return list_plans(flags, **project, out);
    case Subcommand::kCheck:
      return check(flags, **project, out);
    case Subcommand::kTest:
      return test_plans(flags, **project, out);
    case Subcommand::kExplain:
      return explain(flags, **project, out);
    default:
      return with_engine(std::move(settings), **project, graph->get(), out);
  }
}

}  // namespace

int print_early_exit(const EarlyExit& exit) {
  Output out(exit.exit_code == kOk ? STDOUT_FILENO : STDERR_FILENO, "stdout");
  if (out.write(base::printable(exit.text)) || exit.exit_code != kOk) return exit.exit_code;
  return fail({out.status().error().message()});
}

int run_command(const Flags& flags) {
  Output out(STDOUT_FILENO, "stdout");
  const int code = run_command_to(flags, out);
  return out.status() ? code : fail({out.status().error().message()});
}

}  // namespace millrace::rankd
