#include "scheduler/result.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/statistics.h"

namespace millrace::bench {
namespace {

// One measurement per line, fields separated by tabs, an absent value is a dash.
constexpr std::string_view kPrefix = "row";
constexpr std::string_view kFactsPrefix = "machine";
constexpr std::size_t kFieldCount = 15;

bool same_subject(const Measurement& left, const Measurement& right) {
  return left.shape == right.shape && left.body == right.body && left.engine == right.engine &&
         left.workers == right.workers;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool parse_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_optional(std::string_view text, std::optional<double>& value) {
  if (text == "-") return true;
  return parse_number(text, value.emplace());
}

bool parse_list(std::string_view text, std::vector<double>& values) {
  for (const std::string_view part : split(text, ',')) {
    if (!parse_number(part, values.emplace_back())) return false;
  }
  return true;
}

std::string print_optional(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

// Gives the median over the measurements that have the value.
std::optional<double> median_of(const std::vector<const Measurement*>& measurements,
                                std::optional<double> Measurement::* field) {
  std::vector<double> values;
  for (const Measurement* measurement : measurements) {
    const std::optional<double>& value = measurement->*field;
    if (value) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

Summary join(const std::vector<const Measurement*>& parts) {
  Summary summary;
  Measurement& joined = summary.joined;
  joined = *parts.front();
  joined.dag_ns.clear();
  std::vector<double> medians;
  std::vector<double> ideals;
  for (const Measurement* part : parts) {
    medians.push_back(part->median_dag_ns());
    ideals.push_back(part->ideal_ns);
    joined.dag_ns.insert(joined.dag_ns.end(), part->dag_ns.begin(), part->dag_ns.end());
    joined.correct = joined.correct && part->correct;
  }
  summary.dag_ns = median(medians);
  joined.ideal_ns = median(ideals);
  for (const auto field : {&Measurement::allocs_per_run,
                           &Measurement::wakes_per_run,
                           &Measurement::inline_rate,
                           &Measurement::queue_delay_ns,
                           &Measurement::p50_us,
                           &Measurement::p99_us}) {
    joined.*field = median_of(parts, field);
  }
  return summary;
}

}  // namespace

double Measurement::median_dag_ns() const { return median(dag_ns); }

const Measurement* ProcessResult::find(std::string_view shape,
                                       std::string_view body,
                                       unsigned workers,
                                       std::string_view engine) const {
  for (const Measurement& measurement : measurements) {
    if (measurement.shape == shape && measurement.body == body && measurement.workers == workers &&
        measurement.engine == engine) {
      return &measurement;
    }
  }
  return nullptr;
}

std::vector<Summary> summarize(const std::vector<ProcessResult>& processes) {
  std::vector<Summary> summaries;
  if (processes.empty()) return summaries;
  for (const Measurement& subject : processes.front().measurements) {
    std::vector<const Measurement*> parts;
    for (const ProcessResult& process : processes) {
      for (const Measurement& candidate : process.measurements) {
        if (same_subject(candidate, subject)) parts.push_back(&candidate);
      }
    }
    summaries.push_back(join(parts));
  }
  return summaries;
}

std::string encode(const Measurement& m) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                     kPrefix,
                     m.shape,
                     m.body,
                     m.engine,
                     m.workers,
                     m.node_count,
                     m.ideal_ns,
                     fmt::join(m.dag_ns, ","),
                     print_optional(m.allocs_per_run),
                     print_optional(m.wakes_per_run),
                     print_optional(m.inline_rate),
                     print_optional(m.queue_delay_ns),
                     print_optional(m.p50_us),
                     print_optional(m.p99_us),
                     m.correct ? 1 : 0);
}

std::optional<Measurement> decode(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, '\t');
  if (fields.size() != kFieldCount || fields[0] != kPrefix) return std::nullopt;
  Measurement m;
  m.shape = fields[1];
  m.body = fields[2];
  m.engine = fields[3];
  int correct = 0;
  const bool valid =
      parse_number(fields[4], m.workers) && parse_number(fields[5], m.node_count) &&
      parse_number(fields[6], m.ideal_ns) && parse_list(fields[7], m.dag_ns) &&
      parse_optional(fields[8], m.allocs_per_run) && parse_optional(fields[9], m.wakes_per_run) &&
      parse_optional(fields[10], m.inline_rate) && parse_optional(fields[11], m.queue_delay_ns) &&
      parse_optional(fields[12], m.p50_us) && parse_optional(fields[13], m.p99_us) &&
      parse_number(fields[14], correct);
  if (!valid) return std::nullopt;
  m.correct = correct != 0;
  return m;
}

std::string encode(const MachineFacts& facts) {
  return fmt::format("{}\t{}\t{}\t{}",
                     kFactsPrefix,
                     facts.spin_alone_ns,
                     facts.spin_crowded_ns,
                     facts.foreign_share);
}

std::optional<MachineFacts> decode_facts(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, '\t');
  if (fields.size() != 4 || fields[0] != kFactsPrefix) return std::nullopt;
  MachineFacts facts;
  const bool valid = parse_number(fields[1], facts.spin_alone_ns) &&
                     parse_number(fields[2], facts.spin_crowded_ns) &&
                     parse_number(fields[3], facts.foreign_share);
  if (!valid) return std::nullopt;
  return facts;
}

}  // namespace millrace::bench
