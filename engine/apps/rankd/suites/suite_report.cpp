#include "apps/rankd/suites/suite_report.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/formats/xml_text.h"

namespace millrace::rankd {
namespace {

double milliseconds(base::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void append_junit_suite(const SuiteResult& suite, std::string& out) {
  const bool ran = suite.problems.empty();
  out += base::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                      base::xml_text(suite.file),
                      ran ? suite.cases.size() : 1,
                      suite.failed_count(),
                      ran ? 0 : 1);
  if (!ran) {
    out += base::format("    <testcase name=\"load\"><error>{}</error></testcase>\n",
                        base::xml_text(suite.problems));
  }
  for (const CaseResult& one : suite.cases) {
    out += base::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6f}\"",
                        base::xml_text(one.name),
                        base::xml_text(suite.file),
                        milliseconds(one.took) / 1000);
    if (one.failures.empty()) {
      out += "/>\n";
      continue;
    }
    out += ">\n";
    for (const std::string& failure : one.failures)
      out += base::format("      <failure message=\"{}\"/>\n", base::xml_text(failure));
    out += "    </testcase>\n";
  }
  out += "  </testsuite>\n";
}

// Each line of a text below the line that announces it.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += base::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string to_text(const SuiteResults& results) {
  std::string out;
  for (const SuiteResult& suite : results.suites) {
    out += suite.file + "\n";
    if (!suite.problems.empty()) {
      out += "  cannot run:\n" + indented(suite.problems);
    }
    for (const CaseResult& one : suite.cases) {
      out += base::format("  {:<6} {} ({:.1f} ms)\n",
                          one.failures.empty() ? "ok" : "FAILED",
                          one.name,
                          milliseconds(one.took));
      for (const std::string& failure : one.failures)
        out += base::format("         {}:{}: {}\n", suite.file, one.line, failure);
    }
  }
  return out +
         base::format("{} passed, {} failed\n", results.passed_count(), results.failed_count());
}

std::string to_json(const SuiteResults& results) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("ok", results.failed_count() == 0);
  json.member("passed", results.passed_count());
  json.member("failed", results.failed_count());
  json.key("suites");
  json.begin_array();
  for (const SuiteResult& suite : results.suites) {
    json.begin_object();
    json.member("file", suite.file);
    if (!suite.problems.empty()) json.member("problems", suite.problems);
    json.key("cases");
    json.begin_array();
    for (const CaseResult& one : suite.cases) {
      json.begin_object();
      json.member("name", one.name);
      json.member("line", one.line);
      json.member("ok", one.failures.empty());
      json.member("took_ms", milliseconds(one.took));
      json.key("failures");
      json.begin_array();
      for (const std::string& failure : one.failures) json.value(failure);
      json.end_array();
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + "\n";
}

std::string to_junit(const SuiteResults& results) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const SuiteResult& suite : results.suites) append_junit_suite(suite, out);
  return out + "</testsuites>\n";
}

}  // namespace millrace::rankd
