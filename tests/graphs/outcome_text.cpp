#include "outcome_text.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/format.h"

namespace millrace::graph_reference {
namespace {

std::int64_t us(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

/// Brings lines with the same first word together and keeps their order otherwise.
std::vector<std::string> grouped(const std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> by_first_word;
  for (const std::string& line : lines) {
    by_first_word[line.substr(0, line.find(' '))].push_back(line);
  }
  std::vector<std::string> all;
  for (const auto& [word, group] : by_first_word) all.insert(all.end(), group.begin(), group.end());
  return all;
}

void describe_lists(std::string_view what,
                    std::vector<std::string> expected,
                    std::vector<std::string> actual,
                    std::string& out) {
  expected = grouped(expected);
  actual = grouped(actual);
  int shown = 0;
  const std::size_t count = std::max(expected.size(), actual.size());
  for (std::size_t i = 0; i < count && shown < 4; ++i) {
    const std::string left = i < expected.size() ? expected[i] : "(none)";
    const std::string right = i < actual.size() ? actual[i] : "(none)";
    if (left == right) continue;
    out += base::format("{}: reference '{}', engine '{}'\n", what, left, right);
    ++shown;
  }
}

void describe_texts(std::string_view what,
                    const std::string& expected,
                    const std::string& actual,
                    std::string& out) {
  if (expected == actual) return;
  out += base::format("{}: reference '{}', engine '{}'\n", what, expected, actual);
}

std::vector<std::string> list_rest(const Outcome& outcome) {
  std::vector<std::string> list;
  for (const auto& [domain, count] : outcome.epochs) {
    list.push_back(base::format("epochs-of-{} {}", domain, count));
  }
  for (const auto& [loop, reason] : outcome.loop_stop_reasons) {
    list.push_back(base::format("loop-{} {}", loop, reason));
  }
  for (const auto& [table, values] : outcome.tables) {
    for (const auto& [key, value] : values) {
      list.push_back(base::format("table-{}-{} {}", table, key, value));
    }
  }
  return list;
}

}  // namespace

std::vector<std::string> list_lines(const Outcome& outcome) {
  std::vector<std::string> list;
  for (const OutputLine& line : outcome.lines) {
    list.push_back(base::format("{} {} {} {} {} {}",
                                line.component,
                                line.epoch,
                                us(line.time),
                                line.value,
                                line.correlation,
                                line.causation));
  }
  return list;
}

std::vector<std::string> list_epochs(const Outcome& outcome) {
  std::vector<std::string> list;
  for (const EpochSpan& span : outcome.epoch_spans) {
    list.push_back(
        base::format("{} {} {} {}", span.domain, span.number, us(span.begin), us(span.end)));
  }
  return list;
}

std::vector<std::string> list_executions(const Outcome& outcome) {
  std::vector<std::string> list;
  std::vector<ExecutionSpan> spans = outcome.executions;
  // What begins at the same time on a pool has no order.
  std::ranges::sort(spans, {}, [](const ExecutionSpan& span) {
    return std::tuple(span.component, span.epoch, span.begin, span.duration);
  });
  for (const ExecutionSpan& span : spans) {
    list.push_back(
        base::format("{} {} {} {}", span.component, span.epoch, us(span.begin), us(span.duration)));
  }
  return list;
}

std::string describe_difference(const Outcome& expected, const Outcome& actual) {
  std::string out;
  describe_texts("stop reason", expected.stop_reason, actual.stop_reason, out);
  describe_texts("error", expected.error_code, actual.error_code, out);
  describe_texts("failing component", expected.error_component, actual.error_component, out);
  describe_lists("result", list_rest(expected), list_rest(actual), out);
  describe_lists("epoch", list_epochs(expected), list_epochs(actual), out);
  describe_lists("invocation", list_executions(expected), list_executions(actual), out);
  describe_lists("line", list_lines(expected), list_lines(actual), out);
  int shown = 0;
  for (const auto& [name, value] : expected.metrics) {
    const auto found = actual.metrics.find(name);
    const double other = found == actual.metrics.end() ? 0 : found->second;
    if (other == value || ++shown > 4) continue;
    out += base::format("{}: reference {}, engine {}\n", name, value, other);
  }
  return out;
}

}  // namespace millrace::graph_reference
