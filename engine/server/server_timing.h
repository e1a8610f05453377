#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace millrace::server {

/// Where the time of a request went (S19).
struct RequestPhases {
  base::Duration read{};   ///< from the end of the head to the end of the body
  base::Duration wait{};   ///< from there until the engine took the request
  base::Duration run{};    ///< from there to the answer
  base::Duration total{};  ///< from the end of the head to the answer
};

/// Appends the value of `Server-Timing`: milliseconds with three digits.
void append_server_timing(const RequestPhases& phases, std::string& out);

/// Appends the 16 nodes of a traced request that took longest, as "n_" and their id, the longest
/// first. `response` is the engine's answer. Characters of a node that no token may have become
/// `_`.
void append_node_timing(std::string_view response, std::string& out);

}  // namespace millrace::server
