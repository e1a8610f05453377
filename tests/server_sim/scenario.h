#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "runtime/admission.h"

// What one seed describes: loops, workers, limits, what clients do and when, reloads, and how the
// server is ended. Every random decision is made here or by the world's own random numbers.

namespace millrace::server_sim {

/// What the store does for a user.
enum class Fate : std::uint8_t { kAnswers, kFails, kHangs };
struct UserFate {
  Fate fate = Fate::kAnswers;
  base::Duration after{};
};
/// The same in the world of `seed` wherever it is asked.
[[nodiscard]] UserFate fate_of(std::uint64_t seed, std::int64_t user);

/// What a client asks for.
enum class AskKind : std::uint8_t {
  kRank,
  kBatch,
  kReady,
  kMetrics,
  kPlans,
  kUnknownPlan,
  kBadJson,
  kBadHead,  ///< with a good request behind it, which must never run
};

struct Ask {
  AskKind kind = AskKind::kRank;
  std::int64_t user = 0;  ///< of a ranking request; batches have one for each line, from here on
  std::string plan;       ///< empty: none
  std::string bytes;
  std::optional<base::Duration> deadline;  ///< in a header
  std::size_t line_count = 0;              ///< of a batch, blank lines not counted
  bool in_input_order = true;
  bool is_last = false;       ///< says `Connection: close`
  std::vector<int> expected;  ///< statuses of asks that are no ranking requests
};

enum class ClientEnd : std::uint8_t { kStays, kResets, kHalfCloses };

struct ClientPlan {
  base::Duration connect_after{};
  std::vector<Ask> asks;
  bool pipelines = false;      ///< sends all at once, else each after the answer before
  std::size_t piece_max = 0;   ///< bytes per piece, drawn up to this; 0: whole
  base::Duration piece_gap{};  ///< between pieces
  base::Duration think{};      ///< from an answer to the next request
  ClientEnd end = ClientEnd::kStays;
  base::Duration end_after{};                 ///< from its connection
  std::optional<base::Duration> stall_after;  ///< reads nothing from then on
  base::Duration stall_for{};
  /// Whether the server may lose patience with it.
  [[nodiscard]] bool is_difficult() const {
    return end != ClientEnd::kStays || stall_after || piece_gap > base::Duration(0);
  }
};

struct Scenario {
  std::uint64_t seed = 0;
  std::size_t loop_count = 1;
  std::uint32_t worker_count = 2;
  std::size_t connections_max = 1000;
  runtime::AdmissionSettings admission;
  bool inlines = false;  ///< cheap nodes run on the loop and take no time
  base::Duration head_timeout{};
  base::Duration write_timeout{};
  base::Duration deadline{};  ///< of requests that name none
  std::vector<ClientPlan> clients;
  std::vector<base::Duration> reloads;      ///< when, from the start
  std::optional<base::Duration> canary_at;  ///< the next version gets half of the users first
  base::Duration drain_after{};
  base::Duration drain_notice{};
  base::Duration drain_timeout{};
  /// The store answers everybody after this time; unset: users have fates.
  std::optional<base::Duration> steady_store;
  /// What the node `cpu` costs from which time on; empty: costs are drawn.
  std::vector<std::pair<base::Duration, base::Duration>> cpu_costs;
  [[nodiscard]] bool is_harmless() const;  ///< no client goes, stalls or dawdles
};

[[nodiscard]] Scenario make_scenario(std::uint64_t seed);

/// An open loop of requests for the plan `mixed`, drawn at `rate` per second, each on a connection
/// of its own. The store takes 20 ms. `cpu_costs` as in `Scenario`; the end comes after `span`.
[[nodiscard]] Scenario make_open_loop(
    std::uint64_t seed,
    double rate,
    base::Duration span,
    std::vector<std::pair<base::Duration, base::Duration>> cpu_costs);

/// Combines two numbers into a third that is independent of both.
[[nodiscard]] std::uint64_t mix(std::uint64_t left, std::uint64_t right);

}  // namespace millrace::server_sim
