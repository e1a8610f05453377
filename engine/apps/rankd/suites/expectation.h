#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/rankd/suites/suite.h"

namespace millrace::rankd {

struct AnsweredCandidate {
  std::int64_t id = 0;
  std::vector<std::pair<std::string, FieldValue>> fields;

  /// The value of a field; nullptr if the answer does not have it.
  [[nodiscard]] const FieldValue* find(std::string_view name) const;
};

/// What a test can ask of a response.
struct Answer {
  std::vector<AnsweredCandidate> candidates;
  bool degraded = false;
  std::string degraded_text;  ///< the reasons, as JSON-free text
  std::string error_code;     ///< empty: candidates
  std::string error_message;
};

/// Reads the text of a response.
[[nodiscard]] Answer read_answer(std::string_view response);

/// Says in sentences where an answer is not as expected; empty: it is.
[[nodiscard]] std::vector<std::string> find_failures(const Expectation& expect,
                                                     const Answer& answer);

}  // namespace millrace::rankd
