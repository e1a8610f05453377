#include "base/metrics/metric_descriptor.h"

#include <algorithm>
#include <cmath>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace millrace::base {
namespace {

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

/// Whether exporters can write a text as a name. `separators` are allowed after the first letter.
bool is_metric_word(std::string_view text, std::string_view separators) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [separators](char character) {
           return is_letter(character) || (character >= '0' && character <= '9') ||
                  separators.contains(character);
         });
}

std::unexpected<Error> refuse(const MetricDescriptor& descriptor, std::string_view problem) {
  return fail(
      ErrorCode::kInvalidArgument,
      "The descriptor of a metric " + std::string(problem) + ": " + std::string(descriptor.name));
}

bool has_finite_ascending_bounds(const MetricDescriptor& descriptor) {
  return std::ranges::all_of(descriptor.bucket_bounds,
                             [](double bound) { return std::isfinite(bound); }) &&
         std::ranges::adjacent_find(descriptor.bucket_bounds, std::greater_equal<>()) ==
             descriptor.bucket_bounds.end();
}

}  // namespace

std::string_view to_string(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kGauge:
      return "gauge";
    case MetricKind::kHistogram:
      return "histogram";
  }
  return "gauge";
}

Status check(const MetricDescriptor& descriptor) {
  if (!is_metric_word(descriptor.name, "_.")) return refuse(descriptor, "has an unusable name");
  if (descriptor.help.empty()) return refuse(descriptor, "has no help");
  for (const std::string_view label : descriptor.label_names) {
    if (!is_metric_word(label, "_")) return refuse(descriptor, "has an unusable label");
    // `le` holds the bound of a bucket when a histogram is written.
    if (label == "le") return refuse(descriptor, "has the reserved label 'le'");
    if (std::ranges::count(descriptor.label_names, label) > 1) {
      return refuse(descriptor, "has the same label twice");
    }
  }
  const bool is_histogram = descriptor.kind == MetricKind::kHistogram;
  if (is_histogram != !descriptor.bucket_bounds.empty()) {
    return refuse(descriptor, "needs bucket bounds if it is a histogram, and only then");
  }
  if (!has_finite_ascending_bounds(descriptor)) {
    return refuse(descriptor, "has bucket bounds that do not ascend");
  }
  if (!std::isfinite(descriptor.scale) || descriptor.scale <= 0) {
    return refuse(descriptor, "has a scale that is not positive");
  }
  if (descriptor.scale != 1 && descriptor.kind != MetricKind::kCounter) {
    return refuse(descriptor, "has a scale but is no counter");
  }
  return {};
}

bool is_same(const MetricDescriptor& left, const MetricDescriptor& right) {
  return left.name == right.name && left.help == right.help && left.unit == right.unit &&
         left.kind == right.kind && std::ranges::equal(left.label_names, right.label_names) &&
         std::ranges::equal(left.bucket_bounds, right.bucket_bounds) && left.scale == right.scale;
}

}  // namespace millrace::base
