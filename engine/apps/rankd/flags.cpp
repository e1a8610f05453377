#include "apps/rankd/flags.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/clock.h"
#include "base/log/log_record.h"
#include "base/log/log_sink.h"
#include "runtime/admission.h"

namespace millrace::rankd {
namespace {

constexpr const char* kAbout =
    "rankd runs ranking plans: one JSON request per line on stdin, one JSON response per line on\n"
    "stdout, logs on stderr.\n\n"
    "  echo '{\"user_id\": 1}' | rankd --plan_name mixed_pipeline\n"
    "  rankd serve --port 8080\n"
    "  rankd bench --plan_name complex_dag --count 10000 --concurrency 64\n"
    "  rankd explain complex_dag";

const std::map<std::string, Format> kFormats{{"text", Format::kText},
                                             {"json", Format::kJson},
                                             {"dot", Format::kDot},
                                             {"mermaid", Format::kMermaid},
                                             {"svg", Format::kSvg}};

// The forms in which a command can print; none if it has only one.
std::vector<Format> formats_of(Subcommand command) {
  switch (command) {
    case Subcommand::kExplain:
      return {Format::kText, Format::kJson, Format::kDot, Format::kMermaid, Format::kSvg};
    case Subcommand::kRun:
    case Subcommand::kServe:  // of `--print_config`
    case Subcommand::kBench:
    case Subcommand::kCheck:
    case Subcommand::kTest:
    case Subcommand::kDoctor:
    case Subcommand::kListPlans:
    case Subcommand::kTop:
      return {Format::kText, Format::kJson};
    case Subcommand::kPrintRegistry:
    case Subcommand::kPrintTaskManifest:
      return {Format::kJson};
    case Subcommand::kTrace:
      return {Format::kText};
    case Subcommand::kSeed:
    case Subcommand::kProbe:
    case Subcommand::kRequest:
    case Subcommand::kBatch:
      break;
  }
  return {};
}

// Refuses `--graph` for commands that run nothing.
std::expected<void, EarlyExit> check_graph(const Flags& flags) {
  const bool runs = flags.command == Subcommand::kRun || flags.command == Subcommand::kBench ||
                    flags.command == Subcommand::kServe || flags.command == Subcommand::kDoctor;
  if (flags.graph_file.empty() || runs) return {};
  return std::unexpected(EarlyExit{2, "--graph: only run, bench, serve and doctor run a graph\n"});
}

// Refuses a `--format` that the command does not have.
std::expected<void, EarlyExit> check_format(const Flags& flags) {
  const std::vector<Format> possible = formats_of(flags.command);
  if (!flags.format || std::ranges::find(possible, *flags.format) != possible.end()) return {};
  std::string names;
  for (const auto& [name, format] : kFormats) {
    if (std::ranges::find(possible, format) != possible.end())
      names += (names.empty() ? "" : ", ") + name;
  }
  return std::unexpected(EarlyExit{2,
                                   possible.empty()
                                       ? "--format: this command has no other form\n"
                                       : "--format: this command prints " + names + "\n"});
}

void add_loading(CLI::App& app, Flags& flags) {
  app.add_option("--root", flags.root, "folder with registry/, plans/ and data/ (default: found)");
  app.add_option("--plan_dir,--plan-dir", flags.plan_dir, "folder of *.plan.json files");
  app.add_option("--registry", flags.registry_dir, "folder of keys, params and endpoints (.toml)");
  app.add_option("--plan", flags.plan_files, "a plan file to load besides --plan_dir");
  app.add_option("--plan_name,--plan-name", flags.plan_name, "plan of requests that name none");
  app.add_option("--env", flags.env, "environment of the endpoints")
      ->check(CLI::IsMember({"dev", "test", "prod"}))
      ->capture_default_str();
  app.add_option("--plugin", flags.plugins, "shared object with more tasks");
  app.add_option("--graph", flags.graph_file, "a graph that run, bench and serve run beside plans");
  const auto check_passes = [](const std::string& names) {
    return plan::parse_passes(names) ? std::string()
                                     : "Give off, on or some of " + std::string(plan::kPassNames);
  };
  const auto set_passes = [&flags](const std::string& names) {
    if (const auto passes = plan::parse_passes(names)) flags.passes = *passes;
  };
  app.add_option_function<std::string>(
         "--passes",
         set_passes,
         "compile passes that run: off, or names with commas (default: all)")
      ->check(check_passes);
}

/// Adds an option in milliseconds; 0 means none. The least besides is a microsecond.
void add_milliseconds(CLI::App& app,
                      const std::string& name,
                      std::optional<base::Duration>& value,
                      const std::string& about) {
  const auto set = [&value](double ms) {
    value.reset();
    if (ms > 0) {
      value =
          std::chrono::duration_cast<base::Duration>(std::chrono::duration<double, std::milli>(ms));
    }
  };
  // Not `CLI::Range`, which lets NaN pass.
  const auto in_range = [](const std::string& text) {
    const double ms = std::strtod(text.c_str(), nullptr);
    return !text.empty() && (ms == 0 || ms >= 0.001) && ms <= 3'600'000
               ? std::string()
               : "Value " + text + " is neither 0 nor from 0.001 to 3600000";
  };
  app.add_option_function<double>(name, set, about)->check(in_range);
}

/// Adds an option in microseconds, from 0 on.
void add_microseconds(CLI::App& app,
                      const std::string& name,
                      base::Duration& value,
                      const std::string& about) {
  const auto set = [&value](std::int64_t us) { value = std::chrono::microseconds(us); };
  app.add_option_function<std::int64_t>(name, set, about)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
}

void add_executor(CLI::App& app, Flags& flags) {
  add_microseconds(app,
                   "--inline_threshold_us,--inline-threshold-us",
                   flags.inline_threshold,
                   "cheaper nodes may run on the loop (default: 50)");
  add_microseconds(app,
                   "--loop_inline_budget_us,--loop-inline-budget-us",
                   flags.loop_inline_budget,
                   "time for them in one turn of a loop (default: 2000)");
  app.add_option(
         "--max_inline_depth,--max-inline-depth",
         flags.max_inline_depth,
         "nodes that run after each other before others get a turn; 0: no inlining (default: "
         "turns are by time only)")
      ->check(CLI::Range(0, 10'000));
  app.add_flag("!--no_inline,!--no-inline", flags.inlining, "no node runs on a loop");
  app.add_flag("!--no_chaining,!--no-chaining",
               flags.chaining,
               "no node runs right after the one before it");
}

void add_running(CLI::App& app, Flags& flags) {
  app.add_flag("--async_scheduler,--async-scheduler",
               flags.async_scheduler,
               "accepted: there is no other scheduler");
  add_milliseconds(
      app, "--deadline_ms,--deadline-ms", flags.deadline, "deadline of requests that name none");
  add_milliseconds(app,
                   "--node_timeout_ms,--node-timeout-ms",
                   flags.node_timeout,
                   "time limit of every node, besides its own");
  app.add_option("--cpu_threads,--cpu-threads", flags.cpu_threads, "workers (default: all cores)")
      ->check(CLI::Range(0, 64));
  app.add_option("--loops", flags.loops, "event loops (default: by processors and endpoints)")
      ->check(CLI::Range(1, 16));
  app.add_flag("--pin", flags.pin, "put each loop and each worker on a processor of its own");
  const auto limit = CLI::Range(std::int64_t{1}, runtime::AdmissionSettings::kLimitMax);
  app.add_option("--high_water,--high-water",
                 flags.high_water,
                 "refuse requests while more nodes are ready but not running")
      ->check(limit)
      ->capture_default_str();
  app.add_option("--inflight_max,--inflight-max",
                 flags.inflight_max,
                 "requests under way at a time; more are refused")
      ->check(limit)
      ->capture_default_str();
  app.add_option(
         "--concurrency", flags.run_concurrency, "requests of `run` that are under way at a time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000}))
      ->capture_default_str();
  add_milliseconds(app,
                   "--slow_ms,--slow-ms",
                   flags.slow_request,
                   "log requests of `run` that take longer; 0: none (default: 1000)");
  app.add_option("--max_rows,--max-rows",
                 flags.row_limits.rows_max,
                 "rows that one node may give; more is the error limit_reached")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->capture_default_str();
  app.add_option("--max_request_memory,--max-request-memory",
                 flags.row_limits.bytes_max,
                 "memory for the rows of one request, such as 64MB (default: 512MiB)")
      ->transform(CLI::AsSizeValue(true))
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 50U));
  app.add_flag("--ids-as-strings", flags.ids_as_strings, "write ids as JSON strings");
  app.add_flag("--allow_scheduling_overrides,--allow-scheduling-overrides",
               flags.allow_scheduling_overrides,
               "let requests set 'scheduling', how they are inlined");
  app.add_option("--dump-run-trace,--dump_run_trace",
                 flags.dump_run_trace,
                 "write all runs as a Chrome/Perfetto trace");
  app.add_option("--trace_file_max_mb,--trace-file-max-mb",
                 flags.trace_file_mb_max,
                 "size of that file in MB; later runs are left out")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
}

void add_format(CLI::App& app, Flags& flags) {
  const auto set = [&flags](const std::string& name) { flags.format = kFormats.at(name); };
  app.add_option_function<std::string>(
         "--format", set, "text or json; for explain also dot, mermaid or svg")
      ->transform(CLI::IsMember({"text", "json", "dot", "mermaid", "svg"}, CLI::ignore_case));
}

void add_logging(CLI::App& app, Flags& flags) {
  const std::map<std::string, base::LogFormat> formats{{"text", base::LogFormat::kText},
                                                       {"json", base::LogFormat::kJson}};
  const std::map<std::string, base::LogLevel> levels{{"debug", base::LogLevel::kDebug},
                                                     {"info", base::LogLevel::kInfo},
                                                     {"warn", base::LogLevel::kWarning},
                                                     {"error", base::LogLevel::kError}};
  app.add_option_function<std::string>(
         "--log_format,--log-format",
         [&flags, formats](const std::string& name) { flags.log_format = formats.at(name); },
         "form of log lines on stderr: text or json (default: text on a terminal, else json)")
      ->transform(CLI::IsMember({"text", "json"}, CLI::ignore_case));
  app.add_option_function<std::string>(
         "--log_level,--log-level",
         [&flags, levels](const std::string& name) { flags.log_level = levels.at(name); },
         "lowest level logged: debug, info, warn or error (default: warn)")
      ->transform(CLI::IsMember({"debug", "info", "warn", "error"}, CLI::ignore_case));
}

void add_bench(CLI::App& app, Flags& flags, const std::string& count, const std::string& parallel) {
  app.add_option(count, flags.bench_count, "requests to measure")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
  app.add_option(parallel, flags.bench_concurrency, "requests under way at the same time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
  auto* const one = app.add_option(
      "--bench_request,--bench-request", flags.bench_request, "one request, to be repeated");
  app.add_option("--requests", flags.bench_requests_file, "file with one request per line")
      ->excludes(one);
  app.add_option("--bench_users,--bench-users",
                 flags.bench_users,
                 "without these two: a request for each of so many users, in turn")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
      ->capture_default_str();
}

class CommandLine {
 public:
  explicit CommandLine(Flags& flags) : flags_(flags), app_(kAbout, "rankd") {
    app_.require_subcommand(0, 1);
    add_loading(app_, flags_);
    add_running(app_, flags_);
    add_executor(app_, flags_);
    add_format(app_, flags_);
    add_logging(app_, flags_);
    add_bench(app_, flags_, "--bench", "--bench_concurrency,--bench-concurrency");
    app_.add_flag("--list-plans", list_plans_, "print the plans and end");
    app_.add_flag("--print-registry", print_registry_, "print the registry as JSON and end");
    app_.add_flag("--print-task-manifest", print_manifest_, "print all tasks as JSON and end");
    add_commands();
    apps::finish_command_line(
        app_, "Exit codes: 0 all went well, 1 a request, plan or test failed, 2 wrong usage.");
  }

  [[nodiscard]] std::expected<void, EarlyExit> parse(int argc, const char* const* argv) {
    if (auto parsed = apps::parse_command_line(app_, argc, argv); !parsed) return parsed;
    for (const CLI::Option* const option : app_.get_options()) {
      if (option->count() > 0) flags_.given.insert("--" + option->get_lnames().front());
    }
    choose_command();
    if (auto good = check_graph(flags_); !good) return good;
    return check_format(flags_);
  }

 private:
  void add_commands() {
    command("run", Subcommand::kRun, "answer the requests on stdin (the default)");
    add_serve_options(command("serve", Subcommand::kServe, "answer requests over HTTP"),
                      flags_.serve);
    CLI::App& bench = command("bench", Subcommand::kBench, "measure requests, many times");
    bench.add_option("--count", flags_.bench_count, "requests to measure")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    bench.add_option("--concurrency", flags_.bench_concurrency, "requests under way at a time")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
    CLI::App& explain =
        command("explain", Subcommand::kExplain, "show passes, columns, cost and what can fail");
    explain.add_option("PLAN", flags_.plan_name, "name of a plan, or a plan file");
    CLI::App& check =
        command("check", Subcommand::kCheck, "check plan files and report all problems");
    check.add_option("FILE", flags_.plan_files, "plan files (default: all of --plan_dir)");
    CLI::App& seed =
        command("seed", Subcommand::kSeed, "write generated data for an embedded endpoint");
    seed.add_option("--users", flags_.seed_users, "number of users")->capture_default_str();
    seed.add_option("--seed", flags_.seed_seed, "other numbers give other data");
    seed.add_option("--out", flags_.seed_out, "file to write (default: stdout)");
    CLI::App& test = command("test", Subcommand::kTest, "run the tests of plans: *.test.json");
    test.add_option("FILE", flags_.suite_files, "files of tests (default: all of --plan_dir)");
    test.add_option("--junit", flags_.junit_file, "also write the results as JUnit XML");
    CLI::App& trace = command("trace", Subcommand::kTrace, "draw a run of a --dump-run-trace file");
    trace.add_option("FILE", flags_.trace_file, "file that --dump-run-trace has written")
        ->required();
    trace.add_option("--run", flags_.trace_run, "which run, from 1 (default: the slowest)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}));
    command("probe", Subcommand::kProbe, "ask a server whether it is ready; exit code 0 or 1")
        .add_option("ADDR", flags_.probe_address, "host:port, [v6]:port or unix:/path")
        ->required();
    CLI::App& top = command("top", Subcommand::kTop, "show what a server does now");
    top.add_option("ADDR", flags_.top_address, "host:port, [v6]:port or unix:/path")
        ->capture_default_str();
    top.add_flag("--once", flags_.top_once, "look twice, print once, end");
    top.add_option("--interval", flags_.top_interval, "seconds between two looks")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    add_request_options(
        command("request", Subcommand::kRequest, "ask servers over NATS: one request per line"),
        flags_.nats);
    add_batch_command(command("batch", Subcommand::kBatch, "many requests as one job on JetStream"),
                      flags_.batch);
    command("doctor", Subcommand::kDoctor, "look for what keeps requests from being answered");
  }

  CLI::App& command(const char* name, Subcommand which, const char* about) {
    CLI::App& sub = *app_.add_subcommand(name, about);
    sub.fallthrough();
    sub.callback([this, which] { flags_.command = which; });
    return sub;
  }

  void choose_command() {
    add_common_settings(app_, flags_.serve);
    if (list_plans_) flags_.command = Subcommand::kListPlans;
    if (print_registry_) flags_.command = Subcommand::kPrintRegistry;
    if (print_manifest_) flags_.command = Subcommand::kPrintTaskManifest;
    if (flags_.command == Subcommand::kRun && flags_.bench_count > 0)
      flags_.command = Subcommand::kBench;
    if (flags_.command == Subcommand::kBench && flags_.bench_count == 0) flags_.bench_count = 1000;
  }

  Flags& flags_;
  CLI::App app_;
  bool list_plans_ = false;
  bool print_registry_ = false;
  bool print_manifest_ = false;
};

}  // namespace

std::expected<Flags, EarlyExit> read_flags(int argc, const char* const* argv) {
  Flags flags;
  CommandLine line(flags);
  if (auto parsed = line.parse(argc, argv); !parsed) return std::unexpected(parsed.error());
  return flags;
}

}  // namespace millrace::rankd
