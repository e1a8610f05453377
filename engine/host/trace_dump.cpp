#include "host/trace_dump.h"

#include <cstdint>
#include <expected>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/log/log.h"
#include "base/result.h"

namespace millrace::host {
namespace {

StartError cannot_write(const std::string& path) {
  return {base::format("Cannot write '{}'", path)};
}

}  // namespace

TraceDump::TraceDump(const std::string& path, base::Logger* log)
    : path_(path), log_(log), file_(path, std::ios::binary), chrome_(file_) {}

std::expected<std::unique_ptr<TraceDump>, StartError> TraceDump::open(const std::string& path,
                                                                      base::Logger* log) {
  std::unique_ptr<TraceDump> dump(new TraceDump(path, log));
  if (!dump->file_.is_open()) return std::unexpected(cannot_write(path));
  return dump;
}

void TraceDump::consume(const trace::RunTrace& run) {
  chrome_.consume(run);
  if (file_ || log_ == nullptr || std::exchange(has_reported_failure_, true)) return;
  log_->error("trace_write_failed",
              "The trace file cannot be written any more: later runs are missing in it",
              {{"file", path_}});
}

void TraceDump::name_track(std::uint16_t track, std::string_view name) {
  chrome_.name_track(track, name);
}

void TraceDump::note_dropped(std::uint64_t total) {
  chrome_.note_dropped(total);
  if (log_ == nullptr) return;
  log_->warning("trace_dropped",
                "Trace records were dropped because they came faster than they were written",
                {{"file", path_}, {"dropped_total", total}});
}

std::expected<void, StartError> TraceDump::close() {
  const base::Status closed = chrome_.close();
  file_.close();
  if (closed && file_) return {};
  return std::unexpected(cannot_write(path_));
}

}  // namespace millrace::host
