#include "base/problems/problem_report.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/problems/message_text.h"

namespace millrace::base {

namespace {

void append_text(const Problem& problem, std::string& all) {
  std::string text;
  if (!problem.file.empty()) text += problem.file + ":";
  if (problem.line != 0) text += format("{}:{}:", problem.line, problem.column);
  if (!problem.file.empty() || problem.line != 0) text += ' ';
  if (problem.severity == Severity::kWarning) text += "warning: ";
  text += format("{}: {}", problem.code.text(), problem.message);
  const std::string& subject = problem.subject;
  if (!subject.empty() && !problem.path.empty()) {
    text += format(" ({}, at {})", subject, problem.path);
  } else if (!subject.empty()) {
    text += format(" ({})", subject);
  } else if (!problem.path.empty()) {
    text += format(" (at {})", problem.path);
  }
  if (!problem.hint.empty()) text += "; " + problem.hint;
  std::ranges::replace(text, '\n', ' ');
  all += printable(text) + '\n';
}

void append_json(const Problem& problem, JsonWriter& json) {
  json.begin_object();
  json.member("code", problem.code.text());
  if (problem.severity != Severity::kError) json.member("severity", to_string(problem.severity));
  if (!problem.subject.empty()) json.member("subject", problem.subject);
  json.member("path", problem.path);
  if (!problem.file.empty()) json.member("file", problem.file);
  if (problem.line != 0) {
    json.member("line", problem.line);
    json.member("column", problem.column);
  }
  json.member("message", problem.message);
  if (!problem.hint.empty()) json.member("hint", problem.hint);
  json.end_object();
}

}  // namespace

std::string_view to_string(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

void ProblemReport::add(Problem problem) {
  ++(problem.severity == Severity::kError ? error_count_ : warning_count_);
  if (!full()) problems_.push_back(std::move(problem));
}

void ProblemReport::sort() {
  std::vector<std::size_t> order(problems_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [this](std::size_t index) {
    return std::tuple(problems_[index].line, problems_[index].column, index);
  });
  std::vector<Problem> sorted;
  sorted.reserve(order.size());
  for (const std::size_t index : order) sorted.push_back(std::move(problems_[index]));
  problems_ = std::move(sorted);
}

bool ProblemReport::has(CodeName code) const {
  return std::ranges::find(problems_, code, &Problem::code) != problems_.end();
}

std::string ProblemReport::to_text() const {
  std::string text;
  for (const Problem& problem : problems_) append_text(problem, text);
  if (dropped_count() != 0) text += format("and {} more\n", dropped_count());
  return text;
}

void ProblemReport::write_json(JsonWriter& json) const { base::write_json(problems_, json); }

void write_json(std::span<const Problem> problems, JsonWriter& json) {
  json.begin_array();
  for (const Problem& problem : problems) append_json(problem, json);
  json.end_array();
}

}  // namespace millrace::base
