#include "apps/rankd/suites/suite_reader.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "base/formats/object_reader.h"
#include "base/formats/value_reader.h"
#include "host/project.h"

namespace millrace::rankd {
namespace {

using base::JsonKind;
using base::JsonValue;
using base::ObjectReader;
using base::ValuePlace;

enum class SuiteProblem : std::uint8_t {
  kUnreadable,
  kBadSyntax,
  kWrongType,
  kUnknownField,
  kMissingField,
  kBadValue,
  kOutOfRange,
  kTooLarge,
  kDuplicateName,
};

std::string_view to_string(SuiteProblem problem) {
  switch (problem) {
    case SuiteProblem::kUnreadable:
      return "unreadable";
    case SuiteProblem::kBadSyntax:
      return "bad_syntax";
    case SuiteProblem::kWrongType:
      return "wrong_type";
    case SuiteProblem::kUnknownField:
      return "unknown_field";
    case SuiteProblem::kMissingField:
      return "missing_field";
    case SuiteProblem::kBadValue:
      return "bad_value";
    case SuiteProblem::kOutOfRange:
      return "out_of_range";
    case SuiteProblem::kTooLarge:
      return "too_large";
    case SuiteProblem::kDuplicateName:
      break;
  }
  return "duplicate_name";
}

const base::ReaderCodes& suite_codes() {
  static const base::ReaderCodes codes{.wrong_type = SuiteProblem::kWrongType,
                                       .unknown_field = SuiteProblem::kUnknownField,
                                       .missing_field = SuiteProblem::kMissingField,
                                       .duplicate_key = SuiteProblem::kDuplicateName,
                                       .bad_value = SuiteProblem::kBadValue,
                                       .out_of_range = SuiteProblem::kOutOfRange,
                                       .bad_duration = SuiteProblem::kBadValue,
                                       .too_large = SuiteProblem::kTooLarge};
  return codes;
}

/// Writes a value as the same JSON without white space.
void write_again(base::JsonWriter& json, JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return json.null();
    case JsonKind::kBool:
      return json.value(*value.find_bool());
    case JsonKind::kInt:
      return json.value(*value.find_int());
    case JsonKind::kUnsigned:
      return json.value(*value.find_unsigned());
    case JsonKind::kFloat:
      return json.value(*value.find_number());
    case JsonKind::kString:
      return json.value(*value.find_string());
    case JsonKind::kArray:
      json.begin_array();
      for (const JsonValue item : value.children()) write_again(json, item);
      return json.end_array();
    case JsonKind::kObject:
      json.begin_object();
      for (const JsonValue member : value.children()) {
        json.key(member.key());
        write_again(json, member);
      }
      return json.end_object();
  }
}

class SuiteReader {
 public:
  SuiteReader(const base::JsonDocument& document, base::ProblemReport& report, std::string path)
      : document_(document),
        reporter_(document, report, suite_codes(), path),
        values_(reporter_),
        path_(std::move(path)) {}

  Suite read() {
    Suite suite{.file = path_};
    ObjectReader root(document_.root(), {}, reporter_);
    if (!root.is_object()) return suite;
    root.allow_only({"plan", "data", "cases"});
    suite.plan = root.find_string("plan").value_or("");
    read_data(root, suite);
    root.require("cases");
    if (const auto cases = root.find_array("cases")) {
      const ValuePlace place = root.place_of(*cases);
      if (cases->size() == 0)
        root.add(SuiteProblem::kBadValue, "cases", "There is no case", "add one");
      for (const JsonValue one : cases->children())
        suite.cases.push_back(read_case(one, place.child(one)));
    }
    return suite;
  }

 private:
  void read_data(ObjectReader& root, Suite& suite) {
    const auto data = root.find("data");
    if (!data) return;
    if (data->is(JsonKind::kArray)) {
      std::string text;
      for (const JsonValue line : data->children()) {
        const ValuePlace place = root.place_of(*data).child(line);
        text += values_.read_string(line, place).value_or("");
        text += '\n';
      }
      suite.data = std::move(text);
      suite.data_name = path_ + ": data";
      return;
    }
    const auto name = data->find_string();
    if (!name) {
      root.add(SuiteProblem::kWrongType,
               "data",
               "Expected the name of a data file or an array of its lines");
      return;
    }
    suite.data_name = (std::filesystem::path(path_).parent_path() / *name).string();
    auto text = host::read_text_file(suite.data_name);
    if (!text) {
      root.add(SuiteProblem::kUnreadable,
               "data",
               text.error().text,
               "the name is relative to the file of tests");
      return;
    }
    suite.data = *std::move(text);
  }

  SuiteCase read_case(JsonValue value, const ValuePlace& place) {
    SuiteCase result{.line = document_.place(value.offset()).line};
    ObjectReader object(value, place, reporter_);
    if (!object.is_object()) return result;
    object.allow_only({"name", "request", "expect"});
    object.require("name");
    result.name = object.find_string("name").value_or("");
    if (!result.name.empty() && !names_.insert(result.name).second) {
      object.add(SuiteProblem::kDuplicateName,
                 "name",
                 base::format("Another case has this name: {}", result.name));
    }
    object.require("request");
    if (auto request = object.find_object("request")) {
      base::JsonWriter json(result.request);
      write_again(json, request->value());
    }
    object.require("expect");
    if (auto expect = object.find_object("expect")) result.expect = read_expectation(*expect);
    return result;
  }

  Expectation read_expectation(ObjectReader& object) {
    object.allow_only({"ids",
                       "first_ids",
                       "has_ids",
                       "no_ids",
                       "count",
                       "min_count",
                       "max_count",
                       "fields",
                       "all",
                       "none",
                       "at_most",
                       "sorted_by",
                       "degraded",
                       "error",
                       "tolerance"});
    if (object.value().size() == 0)
      reporter_.add(SuiteProblem::kBadValue, object.place(), "The case expects nothing");
    Expectation expect;
    expect.ids = read_ids(object, "ids");
    expect.first_ids = read_ids(object, "first_ids");
    expect.has_ids = read_ids(object, "has_ids").value_or(std::vector<std::int64_t>{});
    expect.no_ids = read_ids(object, "no_ids").value_or(std::vector<std::int64_t>{});
    const base::Range<std::int64_t> counts{.minimum = 0};
    const auto count = object.find_int("count", counts);
    expect.count_min = count ? count : object.find_int("min_count", counts);
    expect.count_max = count ? count : object.find_int("max_count", counts);
    read_fields(object, expect);
    expect.all = read_matches(object, "all");
    expect.none = read_matches(object, "none");
    read_limits(object, expect);
    read_order(object, expect);
    expect.degraded = object.find_bool("degraded").value_or(false);
    expect.error = object.find_string("error").value_or("");
    if (const auto tolerance = object.find("tolerance")) {
      const auto number = values_.read_number(*tolerance, object.place_of(*tolerance));
      if (number && *number >= 0) expect.tolerance = *number;
      if (number && *number < 0)
        object.add(SuiteProblem::kOutOfRange, "tolerance", "tolerance is below 0");
    }
    return expect;
  }

  std::optional<std::vector<std::int64_t>> read_ids(ObjectReader& object, std::string_view name) {
    const auto array = object.find_array(name);
    if (!array) return std::nullopt;
    std::vector<std::int64_t> ids;
    for (const JsonValue item : array->children()) {
      const auto id = values_.read_int(item, object.place_of(*array).child(item));
      if (id) ids.push_back(*id);
    }
    return ids;
  }

  void read_fields(ObjectReader& object, Expectation& expect) {
    const auto fields = object.find_object("fields");
    if (!fields) return;
    for (const JsonValue member : fields->value().children()) {
      const std::string_view key = member.key();
      std::int64_t id = 0;
      const auto read = std::from_chars(key.data(), key.data() + key.size(), id);
      const ValuePlace place = fields->place_of(member);
      if (read.ec != std::errc{} || read.ptr != key.data() + key.size()) {
        reporter_.add(SuiteProblem::kBadValue,
                      place,
                      base::format("Not an id: {}", key),
                      "fields are given by id, as {\"101\": {\"score\": 0.5}}");
        continue;
      }
      expect.fields[id] = read_match(member, place);
    }
  }

  std::vector<FieldMatch> read_matches(ObjectReader& object, std::string_view name) {
    std::vector<FieldMatch> matches;
    const auto array = object.find_array(name);
    if (!array) return matches;
    for (const JsonValue item : array->children())
      matches.push_back(read_match(item, object.place_of(*array).child(item)));
    return matches;
  }

  FieldMatch read_match(JsonValue value, const ValuePlace& place) {
    FieldMatch match;
    if (!values_.is_object(value, place)) return match;
    if (value.size() == 0) reporter_.add(SuiteProblem::kBadValue, place, "No field is named");
    for (const JsonValue member : value.children()) {
      if (member.is(JsonKind::kArray) || member.is(JsonKind::kObject)) {
        values_.wrong_type("a single value", member, place.child(member));
        continue;
      }
      match.emplace_back(member.key(), to_field_value(member));
    }
    return match;
  }

  void read_limits(ObjectReader& object, Expectation& expect) {
    const auto array = object.find_array("at_most");
    if (!array) return;
    for (const JsonValue item : array->children()) {
      ObjectReader limit(item, object.place_of(*array).child(item), reporter_);
      if (!limit.is_object()) continue;
      limit.allow_only({"per", "count"});
      limit.require("per");
      limit.require("count");
      expect.at_most.push_back({.per = std::string(limit.find_string("per").value_or("")),
                                .count = limit.find_int("count", {.minimum = 1}).value_or(1)});
    }
  }

  void read_order(ObjectReader& object, Expectation& expect) {
    auto order = object.find_object("sorted_by");
    if (!order) return;
    order->allow_only({"key", "order"});
    order->require("key");
    expect.sorted_by =
        OrderRule{.key = std::string(order->find_string("key").value_or("")),
                  .descending = order->find_choice("order", {"desc", "asc"}).value_or(0) == 0};
  }

  const base::JsonDocument& document_;
  base::DocumentReporter reporter_;
  base::ValueReader values_;
  const std::string path_;
  std::set<std::string, std::less<>> names_;
};

std::unexpected<base::ProblemReport> single_problem(base::Problem problem) {
  base::ProblemReport report;
  report.add(std::move(problem));
  return std::unexpected(std::move(report));
}

}  // namespace

std::expected<Suite, base::ProblemReport> parse_suite(const std::string& text,
                                                      const std::string& path) {
  auto document = base::read_json(text);
  if (!document) {
    return single_problem({.code = SuiteProblem::kBadSyntax,
                           .file = path,
                           .line = document.error().place.line,
                           .column = document.error().place.column,
                           .message = document.error().message});
  }
  base::ProblemReport report;
  Suite suite = SuiteReader(*document, report, path).read();
  if (!report.empty()) return std::unexpected(std::move(report));
  return suite;
}

std::expected<Suite, base::ProblemReport> read_suite(const std::string& path) {
  auto text = host::read_text_file(path);
  if (!text) {
    return single_problem(
        {.code = SuiteProblem::kUnreadable, .file = path, .message = text.error().text});
  }
  return parse_suite(*text, path);
}

}  // namespace millrace::rankd
