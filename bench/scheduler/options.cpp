#include "scheduler/options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/result.h"
#include "scheduler/engine.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

constexpr std::string_view kUsage =
    R"(bench_scheduler: our scheduler beside a serial loop and oneTBB, on the same graphs of nodes
  ./dev bench scheduler                  every bar, about a minute and a half
  ./dev bench scheduler --full           every engine and shape, pinned threads too; takes long
  ./dev bench scheduler --body empty --shape fan,chain --tables
                                         only this, with the figures of each shape
What to measure; a named body or engine is measured in either form:
  --shape A,B       only shapes whose name contains A or B
  --body A,B        only these bodies: empty, 50ns, 100ns, 200ns, 500ns, 1us, 5us, 20us, mixed, 1ms
  --engine A,B      only these engines
  --workers 1,2     worker counts, the waiting caller included
  --list            name what would be measured and stop
How:
  --processes N     fresh processes to take medians over (5)
  --reps N          samples per process (3, with --full 7)
  --pin             with each thread on a processor of its own, instead of where the kernel puts it
  --unpinned        with --full: not a second time with pinned threads
  --smoke           tiny sizes: checks results, the times mean nothing
What to do with it:
  --tables          print every shape (--full does)
  --json FILE       write rows and bars as JSON
  --commit TEXT     recorded in that file
  --subject NAME    the engine that the bars judge (millrace)
  --enforce         a missed bar is an error; a wrong result always is
Run it on an idle machine. bench/scheduler/README.md says how to read it.
)";

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

base::Result<unsigned> parse_count(std::string_view text, std::string_view option) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Expected a positive number, got: " + std::string(text),
                      std::string(option));
  }
  return value;
}

bool* find_switch(Options& options, std::string_view name) {
  if (name == "--smoke") return &options.smoke;
  if (name == "--enforce") return &options.enforce;
  if (name == "--list") return &options.list;
  if (name == "--help" || name == "-h") return &options.help;
  if (name == "--child") return &options.child;
  if (name == "--pin") return &options.pin;
  if (name == "--unpinned") return &options.unpinned;
  if (name == "--full") return &options.full;
  if (name == "--tables") return &options.tables;
  return nullptr;
}

// Sets an option that takes a value.
base::Status set_value(Options& options, std::string_view name, std::string_view value) {
  if (name == "--json") {
    options.json_file = value;
  } else if (name == "--commit") {
    options.commit = value;
  } else if (name == "--subject") {
    options.subject = value;
  } else if (name == "--shape") {
    options.shapes = split_list(value);
  } else if (name == "--engine") {
    options.engines = split_list(value);
  } else if (name == "--body") {
    options.bodies = split_list(value);
  } else if (name == "--reps") {
    MR_TRY(options.repetitions, parse_count(value, name));
  } else if (name == "--processes") {
    MR_TRY(options.processes, parse_count(value, name));
  } else if (name == "--workers") {
    options.workers.clear();
    for (const std::string& part : split_list(value)) {
      MR_TRY(const unsigned count, parse_count(part, name));
      options.workers.push_back(count);
    }
  } else {
    return base::fail(
        base::ErrorCode::kInvalidArgument, "Unknown option: " + std::string(name), "command line");
  }
  return {};
}

base::Status check_names(const Options& options) {
  for (const std::string& wanted : options.engines) {
    const bool known = std::ranges::any_of(
        engine_entries(), [&](const EngineEntry& entry) { return entry.name == wanted; });
    if (!known)
      return base::fail(base::ErrorCode::kNotFound, "No such engine: " + wanted, "--engine");
  }
  const std::vector<std::string_view> bodies = body_names();
  for (const std::string& wanted : options.bodies) {
    if (std::ranges::find(bodies, wanted) == bodies.end())
      return base::fail(base::ErrorCode::kNotFound, "No such body: " + wanted, "--body");
  }
  if (options.workers.empty()) {
    return base::fail(base::ErrorCode::kInvalidArgument, "Needs at least one count", "--workers");
  }
  return {};
}

}  // namespace

std::string_view usage() { return kUsage; }

base::Result<Options> parse_options(std::span<const std::string_view> arguments) {
  Options options;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string_view name = arguments[index];
    if (bool* chosen = find_switch(options, name); chosen != nullptr) {
      *chosen = true;
    } else if (index + 1 == arguments.size()) {
      return base::fail(base::ErrorCode::kInvalidArgument,
                        "Unknown option or missing value: " + std::string(name),
                        "command line");
    } else {
      MR_TRY_STATUS(set_value(options, name, arguments[++index]));
    }
  }
  MR_TRY_STATUS(check_names(options));
  if (options.repetitions == 0) options.repetitions = options.full ? 7 : 3;
  options.tables = options.tables || options.full;
  return options;
}

std::vector<std::string> child_arguments(const Options& options) {
  std::vector<std::string> arguments = {"--child", "--reps", std::to_string(options.repetitions)};
  const auto add_list = [&](std::string_view name, const auto& values) {
    if (values.empty()) return;
    arguments.emplace_back(name);
    arguments.push_back(fmt::format("{}", fmt::join(values, ",")));
  };
  add_list("--shape", options.shapes);
  add_list("--engine", options.engines);
  add_list("--body", options.bodies);
  add_list("--workers", options.workers);
  if (options.smoke) arguments.emplace_back("--smoke");
  if (options.full) arguments.emplace_back("--full");
  if (options.pin) arguments.emplace_back("--pin");
  return arguments;
}

}  // namespace millrace::bench
