#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "observe/finished_request.h"
#include "observe/trace_context.h"

namespace millrace::observe {

/// The kinds of OpenTelemetry that we use, with their numbers.
enum class SpanKind : std::uint8_t { kInternal = 1, kServer = 2, kClient = 3 };

/// One span as OpenTelemetry has it. Times are nanoseconds since 1970.
struct Span {
  using Value = std::variant<std::string, std::int64_t>;

  TraceIdBits trace{};
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  ///< 0: none
  std::string name = {};
  SpanKind kind = SpanKind::kInternal;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string error = {};  ///< empty: it ended well
  std::vector<std::pair<std::string_view, Value>> attributes = {};
};

/// Appends the spans of a request: server, below it the run, below that the nodes, and below each
/// the calls of its store (S41).
void append_spans(const FinishedRequest& request, std::vector<Span>& spans);

/// How many spans `append_spans` makes at most.
[[nodiscard]] std::size_t span_count_of(const FinishedRequest& request);

}  // namespace millrace::observe
