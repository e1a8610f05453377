#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

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

/// The 128 bits of a trace id; both 0: there is none.
struct TraceIdBits {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend bool operator==(const TraceIdBits&, const TraceIdBits&) = default;
};

/// Appends 16 hex digits.
void append_hex(std::uint64_t bits, std::string& out);
/// Gives 32 hex digits.
[[nodiscard]] std::string to_text(const TraceIdBits& trace);

/// To which trace a request belongs.
struct RequestTrace {
  TraceIdBits trace{};
  std::uint64_t parent = 0;  ///< the caller's span; 0: the trace begins here
  bool is_sampled = false;   ///< its spans are to be exported
};

/// Decides which requests are traced (S41): those whose caller traces them, and of requests without
/// a valid `traceparent` a share.
/// Threading: not shared. Lifetime: borrows the random numbers.
class TraceSampler {
 public:
  TraceSampler(base::Random& random, double root_share)
      : random_(random), root_share_(root_share) {}

  /// `traceparent` is the caller's field; empty: there is none.
  [[nodiscard]] RequestTrace begin(std::string_view traceparent);
  /// Draws an id that is not 0.
  [[nodiscard]] std::uint64_t draw_id();

 private:
  base::Random& random_;
  const double root_share_;
};

}  // namespace millrace::observe
