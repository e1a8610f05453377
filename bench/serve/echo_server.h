#pragma once

#include <memory>

#include "bench/serve/served.h"

namespace millrace::bench {

/// The least that HTTP costs on this machine: llhttp on bare libuv, without limits, timeouts or
/// fields. Its thread ends when it is destroyed.
[[nodiscard]] std::unique_ptr<Served> start_echo_server();

}  // namespace millrace::bench
