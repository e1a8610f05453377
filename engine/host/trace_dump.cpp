#include "host/trace_dump.h"

#include <cerrno>
#include <cstdint>
#include <expected>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/log/log.h"
#include "base/result.h"

namespace millrace::host {
namespace {

StartError cannot_write(const std::string& path, int error) {
  return {base::format("Cannot write '{}': {}", path, std::generic_category().message(error))};
}

}  // namespace

TraceDump::TraceDump(const std::string& path, std::int64_t bytes_max, base::Logger* log)
    : path_(path),
      bytes_max_(bytes_max),
      log_(log),
      file_(path, std::ios::binary),
      chrome_(file_) {}

std::expected<std::unique_ptr<TraceDump>, StartError> TraceDump::open(const std::string& path,
                                                                      std::int64_t bytes_max,
                                                                      base::Logger* log) {
  std::unique_ptr<TraceDump> dump(new TraceDump(path, bytes_max, log));
  if (!dump->file_.is_open()) return std::unexpected(cannot_write(path, errno));
  return dump;
}

void TraceDump::consume(const trace::RunTrace& run) {
  if (is_full_ || failure_ != 0) return;
  errno = 0;
  chrome_.consume(run);
  if (!file_) return note_failure();
  if (file_.tellp() < bytes_max_) return;
  is_full_ = true;
  if (log_ == nullptr) return;
  log_->warning("trace_full",
                "The trace file has reached its size: later runs are missing in it",
                {{"file", path_}, {"bytes_max", bytes_max_}});
}

void TraceDump::note_failure() {
  if (failure_ != 0) return;
  failure_ = errno == 0 ? EIO : errno;
  if (log_ == nullptr) return;
  log_->error("trace_write_failed",
              "The trace file cannot be written any more: later runs are missing in it",
              {{"file", path_}, {"reason", std::generic_category().message(failure_)}});
}

void TraceDump::name_track(std::uint16_t track, std::string_view name) {
  errno = 0;
  chrome_.name_track(track, name);
  if (!file_) note_failure();
}

void TraceDump::note_dropped(std::uint64_t total) {
  chrome_.note_dropped(total);
  if (log_ == nullptr) return;
  log_->warning("trace_dropped",
                "Trace records were dropped because they came faster than they were written",
                {{"file", path_}, {"dropped_total", total}});
}

std::expected<void, StartError> TraceDump::close() {
  errno = 0;
  const base::Status closed = chrome_.close();
  file_.close();
  if (!closed || !file_) note_failure();
  if (failure_ == 0) return {};
  return std::unexpected(cannot_write(path_, failure_));
}

}  // namespace millrace::host
