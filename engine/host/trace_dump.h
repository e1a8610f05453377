#pragma once

#include <cstdint>
#include <expected>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/log/log.h"
#include "host/settings.h"
#include "trace/chrome_trace.h"
#include "trace/trace_sink.h"

namespace millrace::host {

/// A file with the Chrome trace of all runs, up to a size. Says in the log, once, when the file is
/// full or can no longer be written and when records were dropped, because a process may run for
/// long before it closes the file. A full file is a complete one; it lacks later runs.
/// Threading: as `trace::TraceSink`; opened and closed by one thread while no run is under way.
/// Lifetime: borrows the logger.
class TraceDump final : public trace::TraceSink {
 public:
  /// No run is added once the file has `bytes_max`. `log` may be null.
  [[nodiscard]] static std::expected<std::unique_ptr<TraceDump>, StartError> open(
      const std::string& path, std::int64_t bytes_max, base::Logger* log);

  void consume(const trace::RunTrace& run) override;
  void name_track(std::uint16_t track, std::string_view name) override;
  void note_dropped(std::uint64_t total) override;

  /// Ends the file; an error if anything could not be written.
  [[nodiscard]] std::expected<void, StartError> close();

 private:
  TraceDump(const std::string& path, std::int64_t bytes_max, base::Logger* log);
  void note_failure();

  const std::string path_;
  const std::int64_t bytes_max_;
  base::Logger* const log_;
  std::ofstream file_;
  trace::ChromeTraceSink chrome_;
  bool is_full_ = false;
  int failure_ = 0;  // errno of the first write that failed
};

}  // namespace millrace::host
