#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/rankd/line_reader.h"
#include "apps/rankd/output.h"
#include "apps/rankd/stop_signals.h"
#include "base/clock.h"
#include "base/log/log.h"
#include "base/result.h"
#include "host/engine.h"

namespace millrace::rankd {

struct LineServerOptions {
  std::int64_t concurrency = 64;            ///< requests under way at a time
  std::optional<base::Duration> slow = {};  ///< requests that take longer are logged
  base::Logger* log = nullptr;              ///< null: nothing is logged
  /// Makes of an answer what is written instead of it, its last line end included; nullptr: the
  /// answer is a line by itself.
  std::string (*rewrite)(std::string_view answer) = nullptr;
};

/// Answers one request per line until the input ends or `stop` is raised, and writes the answers in
/// the order of the lines. Every answer that was begun is written before this returns. A bad line
/// gets an error line, and the next one is served; a request that is refused as `busy` is tried
/// again, which is logged. True: every answer has candidates. Fails if the input cannot be read or
/// the output cannot be written; then it raises `stop` itself.
[[nodiscard]] base::Result<bool> serve_lines(host::Engine& engine,
                                             LineReader& in,
                                             Output& out,
                                             StopFlag& stop,
                                             const LineServerOptions& options);

}  // namespace millrace::rankd
