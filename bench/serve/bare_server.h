#pragma once

#include <memory>

#include "bench/serve/served.h"

namespace millrace::bench {

/// The server that `rankd serve` is built on, with a handler that receives the body and answers.
[[nodiscard]] std::unique_ptr<Served> start_bare_server();

}  // namespace millrace::bench
