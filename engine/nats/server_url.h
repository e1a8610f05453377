#pragma once

#include <string>

#include "base/result.h"

namespace millrace::nats {

/// Checks one URL of a server: scheme, host, no password. Gives what is wrong with it.
[[nodiscard]] base::Status check_server_url(const std::string& url);

}  // namespace millrace::nats
