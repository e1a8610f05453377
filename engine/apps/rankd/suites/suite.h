#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/formats/json_document.h"

// The tests that people write for their plans, as data.

namespace millrace::rankd {

/// A value of JSON without structure; monostate is null.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
/// Gives a value of a document; an array or an object is null.
[[nodiscard]] FieldValue to_field_value(base::JsonValue value);

/// Fields and the values that they must have, in the order of the file.
using FieldMatch = std::vector<std::pair<std::string, FieldValue>>;

/// At most `count` candidates share one value of the field `per`.
struct GroupLimit {
  std::string per;
  std::int64_t count = 0;
};

/// The candidates stand in the order of this field.
struct OrderRule {
  std::string key;
  bool descending = true;
};

/// What must hold of an answer. What is absent is not looked at, except that an answer is neither
/// an error nor degraded unless the test says so.
struct Expectation {
  std::optional<std::vector<std::int64_t>> ids;        ///< exactly these, in this order
  std::optional<std::vector<std::int64_t>> first_ids;  ///< the answer begins with these
  std::vector<std::int64_t> has_ids;
  std::vector<std::int64_t> no_ids;
  std::optional<std::int64_t> count_min;
  std::optional<std::int64_t> count_max;
  std::map<std::int64_t, FieldMatch> fields;  ///< by id
  std::vector<FieldMatch> all;                ///< every candidate has these
  std::vector<FieldMatch> none;               ///< no candidate has these
  std::vector<GroupLimit> at_most;
  std::optional<OrderRule> sorted_by;
  bool degraded = false;
  std::string error;  ///< code of the error that the request must get; empty: none
  /// Floats may differ by this share of the larger of both, or by this much near zero.
  double tolerance = 1e-9;
};

struct SuiteCase {
  std::string name = {};
  std::uint32_t line = 0;    ///< in the suite's file
  std::string request = {};  ///< text of a JSON object
  Expectation expect = {};
};

/// One file of tests.
struct Suite {
  std::string file = {};
  std::string plan = {};  ///< of requests that name none; may be empty
  /// Text of a data file that stands for all stores; nothing: the stores of the project.
  std::optional<std::string> data = {};
  std::string data_name = {};  ///< what messages call the data
  std::vector<SuiteCase> cases = {};
};

}  // namespace millrace::rankd
