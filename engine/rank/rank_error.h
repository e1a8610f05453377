#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace millrace::rank {

/// Why a request has no candidates. The list is closed; `error_table` documents it.
enum class RankErrorCode : std::uint8_t {
  kBadJson,
  kTooLarge,
  kUnknownField,
  kMissingField,
  kWrongType,
  kBadValue,
  kPlanMismatch,
  kUnknownPlan,
  kUnknownVersion,
  kUnknownParam,
  kUnknownOutputKey,
  kNotAllowed,
  kBusy,
  kCancelled,
  kDeadlineExceeded,
  kNodeTimeout,
  kNodeFailed,
  kEndpointUnavailable,
  kLimitReached,
  kInternal,
};

/// How a request ended, for logs and metrics.
enum class RankOutcome : std::uint8_t {
  kOk,
  kDegraded,   ///< answered with candidates, and at least one fallback was used
  kError,      ///< a node failed, or took longer than its own limit
  kDeadline,   ///< the deadline of the request passed
  kRefused,    ///< not started, because too much was under way
  kCancelled,  ///< the caller gave it up
  kInvalid,    ///< the request itself was wrong
};

/// Why a request was not let in.
enum class Refusal : std::uint8_t {
  kLimit,      ///< as many requests as its class may have are under way
  kPlanLimit,  ///< as many of its plan
  kHighWater,  ///< the gate is closed
  kDeadline,   ///< too little time was left
};

struct RankErrorEntry {
  RankErrorCode code;
  std::string_view name;
  std::string_view meaning;
};

/// All codes, in order.
[[nodiscard]] std::span<const RankErrorEntry> error_table();
/// Gives the documented name, as `unknown_plan`.
[[nodiscard]] std::string_view to_string(RankErrorCode code);

/// A node that kept a request from being answered in time (C12).
struct PendingWork {
  std::string node;
  std::string op;
  bool was_running = false;  ///< else it waited for a thread
  base::Duration elapsed{};  ///< since its body began; 0: not known
  base::Duration budget{};   ///< its own timeout, or the time of the whole request
};

/// A request's failure as the caller sees it.
struct RankError {
  RankErrorCode code = RankErrorCode::kInternal;
  std::string message = {};
  std::string node = {};    ///< the node that failed; empty: none did
  std::string op = {};      ///< op of that node
  std::string source = {};  ///< `file:line:column` of the node, when known
  std::vector<PendingWork> pending =
      {};  ///< after a deadline or timeout: what was not over, longest first

  /// Appends the object that stands under `"error"`.
  void append_json(std::string& out) const;
};

/// Gives the outcome of a request that failed with this code.
[[nodiscard]] RankOutcome outcome_of(RankErrorCode code);

/// Gives the code for an error of a node or of the scheduler.
[[nodiscard]] RankErrorCode rank_code_of(base::ErrorCode code);

}  // namespace millrace::rank
