#pragma once

#include <optional>
#include <string_view>

namespace millrace::observe {

/// What a caller's `traceparent` says (W3C Trace Context).
/// Lifetime: borrows the field's text.
struct TraceParent {
  std::string_view trace_id;   ///< 32 hex digits, not all 0
  std::string_view parent_id;  ///< 16 hex digits, not all 0
  bool is_sampled = false;
};

/// Reads a `traceparent`; nothing if it is not valid. Versions above 00 may have more behind the
/// flags, which is skipped, as the standard asks.
[[nodiscard]] std::optional<TraceParent> parse_traceparent(std::string_view text);

}  // namespace millrace::observe
