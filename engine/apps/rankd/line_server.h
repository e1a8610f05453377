#pragma once

#include <cstdio>
#include <istream>
#include <ostream>

#include "host/engine.h"

namespace millrace::rankd {

/// Answers one request per line until the input ends. True: every answer has candidates.
/// A bad line gets an error line, and the next one is served.
[[nodiscard]] bool serve_lines(host::Engine& engine, std::istream& in, std::ostream& out);

}  // namespace millrace::rankd
