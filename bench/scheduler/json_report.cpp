#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "scheduler/bars.h"
#include "scheduler/options.h"
#include "scheduler/report.h"
#include "scheduler/result.h"

namespace millrace::bench {
namespace {

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char symbol : text) {
    if (symbol == '"' || symbol == '\\') quoted += '\\';
    // Control characters appear in none of our names; a space keeps the file valid.
    quoted += static_cast<unsigned char>(symbol) < ' ' ? ' ' : symbol;
  }
  return quoted + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "null";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string print_row(const Summary& summary) {
  const Measurement& joined = summary.joined;
  const double nodes = joined.node_count;
  const auto [least, most] = std::ranges::minmax(joined.dag_ns);
  std::optional<double> ideal;
  if (joined.ideal_ns > 0) ideal = joined.ideal_ns / nodes;
  return fmt::format(
      R"({{"shape":{},"body":{},"workers":{},"engine":{},"ns_per_node":{},"dags_per_s":{},)"
      R"("allocs_per_run":{},"wakes_per_run":{},"inline_rate":{},"queue_delay_ns":{},)"
      R"("p50_us":{},"p99_us":{},"ns_per_node_min":{},"ns_per_node_max":{},)"
      R"("ideal_ns_per_node":{},"correct":{}}})",
      quote(joined.shape),
      quote(joined.body),
      joined.workers,
      quote(joined.engine),
      number(summary.node_ns()),
      number(1e9 / summary.dag_ns),
      number(joined.allocs_per_run),
      number(joined.wakes_per_run),
      number(joined.inline_rate),
      number(joined.queue_delay_ns),
      number(joined.p50_us),
      number(joined.p99_us),
      number(least / nodes),
      number(most / nodes),
      number(ideal),
      joined.correct);
}

std::string print_bar(const Bar& bar) {
  return fmt::format(R"({{"name":{},"value":{},"limit":{:g},"at_most":{},"passed":{},"where":{}}})",
                     quote(bar.name),
                     number(bar.value),
                     bar.limit,
                     bar.at_most,
                     bar.value ? (bar.passed() ? "true" : "false") : "null",
                     bar.where.empty() ? "null" : quote(bar.where));
}

template <class Items, class Print>
std::string print_list(const Items& items, Print print) {
  std::string text = "[";
  for (const auto& item : items) {
    text += text.size() == 1 ? "\n    " : ",\n    ";
    text += print(item);
  }
  return text + "\n  ]";
}

}  // namespace

std::string print_json(const Report& report) {
  const Options& options = report.options;
  return fmt::format(
      "{{\n  \"bench\":\"scheduler\",\n  \"commit\":{},\n  \"compiler\":{},\n"
      "  \"processor\":{},\n  \"processors\":{},\n  \"processes\":{},\n  \"repetitions\":{},\n"
      "  \"foreign_share\":{},\n  \"pinned\":{},\n  \"full\":{},\n  \"subject\":{},\n  "
      "\"rows\":{},\n  "
      "\"bars\":{},\n  \"pinned_bars\":{}\n}}\n",
      quote(options.commit),
      quote(__VERSION__),
      quote(processor_name()),
      std::thread::hardware_concurrency(),
      report.processes.size(),
      options.repetitions,
      print_list(report.processes,
                 [](const ProcessResult& process) {
                   return fmt::format("{:.4f}", process.machine.foreign_share);
                 }),
      options.pin,
      options.full,
      quote(options.subject),
      print_list(report.summaries, print_row),
      print_list(report.bars, print_bar),
      print_list(report.pinned_bars, print_bar));
}

}  // namespace millrace::bench
