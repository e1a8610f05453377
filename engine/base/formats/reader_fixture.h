#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/formats/document_reporter.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/toml_reader.h"
#include "base/problems/problem_report.h"

namespace millrace::base {

/// A closed list of codes as a module has one.
enum class SampleCode : std::uint8_t {
  kWrongType,
  kUnknownField,
  kMissingField,
  kDuplicateKey,
  kBadValue,
  kOutOfRange,
  kBadDuration,
  kTooLarge,
  kOwn,
};

inline std::string_view to_string(SampleCode code) {
  static constexpr std::string_view kNames[] = {"wrong_type",
                                                "unknown_field",
                                                "missing_field",
                                                "duplicate_key",
                                                "bad_value",
                                                "out_of_range",
                                                "bad_duration",
                                                "too_large",
                                                "own"};
  return kNames[static_cast<std::size_t>(code)];
}

/// Holds one document and the report of its problems.
class ReaderFixture : public testing::Test {
 protected:
  void use_json(std::string_view text) {
    auto document = read_json(text);
    ASSERT_TRUE(document) << document.error().message;
    document_ = *std::move(document);
  }
  void use_toml(std::string_view text) {
    auto document = read_toml(text);
    ASSERT_TRUE(document) << document.error().message;
    document_ = *std::move(document);
  }
  /// The lines of the report so far.
  [[nodiscard]] std::string text() const { return report_.to_text(); }

  const ReaderCodes codes_{.wrong_type = SampleCode::kWrongType,
                           .unknown_field = SampleCode::kUnknownField,
                           .missing_field = SampleCode::kMissingField,
                           .duplicate_key = SampleCode::kDuplicateKey,
                           .bad_value = SampleCode::kBadValue,
                           .out_of_range = SampleCode::kOutOfRange,
                           .bad_duration = SampleCode::kBadDuration,
                           .too_large = SampleCode::kTooLarge};
  JsonDocument document_;
  ProblemReport report_;
  DocumentReporter reporter_{document_, report_, codes_};
};

}  // namespace millrace::base
