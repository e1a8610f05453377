#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "host/endpoint_clients.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"

namespace millrace::server {

/// How many requests warm a plan up.
inline constexpr std::size_t kWarmUpRuns = 16;
inline constexpr base::Duration kWarmUpDeadline = std::chrono::seconds(5);

/// The lines of a file of requests, at most `kWarmUpRuns`.
[[nodiscard]] std::vector<std::string> warm_up_lines(std::string_view file_text);

/// The requests that warm a plan up (S27): those of `<plan>.warmup.jsonl` in the folder of plans,
/// else `recalled`, else one for user 1.
[[nodiscard]] std::vector<std::string> warm_up_requests(const std::string& plan_dir,
                                                        std::string_view plan,
                                                        std::vector<std::string> recalled);

/// What holds for a request that warms a plan up: it is of the class background, whatever it says.
[[nodiscard]] rank::CallTerms warm_up_terms(std::string_view plan);

/// Runs a plan of the set `kWarmUpRuns` times, in the class background, on all loops in turn.
/// Nothing refuses or counts these requests. Gives nothing, or, if all have failed, why the last
/// did. Stops early when `is_over` says so. Blocks the caller, which is no loop.
[[nodiscard]] std::optional<std::string> warm_up(host::EndpointClients& clients,
                                                 rank::PlanSet& plans,
                                                 std::string_view plan,
                                                 const std::vector<std::string>& requests,
                                                 const std::function<bool()>& is_over);

}  // namespace millrace::server
