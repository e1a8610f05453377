#pragma once

#include <expected>
#include <string>
#include <vector>

#include "apps/rankd/flags.h"
#include "host/settings.h"

namespace millrace::rankd {

/// The requests that a bench sends in turn.
struct RequestMix {
  std::vector<std::string> requests;  ///< at least one
  std::string about;                  ///< what they are, for the figures
};

/// Makes the requests that the flags ask for: those of a file, or one for each of a number of users
/// in an order that is the same every time, or a single one.
[[nodiscard]] std::expected<RequestMix, host::StartError> make_request_mix(const Flags& flags);

}  // namespace millrace::rankd
