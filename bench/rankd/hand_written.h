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

/// What one would write instead of the plan `complex_dag`: the same request read, the same lists
/// fetched from the same store, the same candidates, the same bytes out. It knows everything in
/// advance: no plan, no scheduler, no columns that could be asked for, one thread, memory that is
/// used again. It reads requests and writes JSON by the engine's own reader and writer, so that
/// the difference is the engine's.
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

/// The response without what no two answers have in common: `engine_request_id` and `took_ms`.
[[nodiscard]] std::string without_own_facts(std::string_view response);

}  // namespace millrace::bench
