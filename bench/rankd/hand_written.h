#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "rank/request.h"
#include "stores/embedded_store.h"

namespace millrace::bench {

/// The program that one would write by hand instead of the plan `complex_dag`: it reads the same
/// request, fetches the same lists from the same store, and writes the same candidates as the same
/// bytes. Everything is fixed in advance: no plan, no scheduler, no choice of columns, one thread,
/// reused memory. It reads requests and writes JSON with the engine's own reader and writer, so
/// that only the rest of the engine makes a difference.
/// Threading: not shared. Lifetime: borrows the store.
class HandWritten {
 public:
  struct PlanFacts {
    std::string name;
    std::string version;
    std::string digest;
  };
  HandWritten(const stores::EmbeddedStore& store, PlanFacts plan)
      : store_(store), plan_(std::move(plan)) {}

  /// Answers one request; the response is valid until the next one.
  [[nodiscard]] base::Result<std::string_view> answer(std::string_view text);

 private:
  struct Candidate {
    double score;
    std::int64_t id;
    std::uint32_t position;
    std::uint32_t source;
  };

  [[nodiscard]] std::span<const std::int64_t> list(std::string_view prefix, std::int64_t id);
  void read_profile(std::int64_t user_id);
  void add_branch(std::string_view list_prefix, std::int64_t user_id, std::uint32_t source);
  void write_response(base::TimePoint start);

  const stores::EmbeddedStore& store_;
  const PlanFacts plan_;
  rank::RequestReader reader_;
  rank::Request request_;
  std::vector<std::string_view> profile_;
  std::vector<Candidate> candidates_;
  std::string key_;
  std::string response_;
  std::uint64_t next_id_ = 1;
};

/// The response without the fields that always differ: `engine_request_id` and `took_ms`.
[[nodiscard]] std::string without_own_facts(std::string_view response);

}  // namespace millrace::bench
