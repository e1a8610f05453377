#include "observe/slow_capture.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "trace/chrome_trace.h"
#include "trace/trace_sink.h"

namespace millrace::observe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileBegin = "slow-";
constexpr std::string_view kFileEnd = ".json";

/// The trace as a text that Perfetto opens.
std::string perfetto_text(const trace::RunCapture& capture) {
  std::ostringstream out;
  trace::ChromeTraceSink sink(out);
  std::set<std::uint16_t> tracks;
  for (const trace::TraceRecord& record : capture.records) tracks.insert(record.track);
  for (const std::uint16_t track : tracks) sink.name_track(track, base::format("thread {}", track));
  if (!capture.records.empty()) {
    sink.consume({.trace_id = capture.records.front().trace_id,
                  .records = capture.records,
                  .topology = capture.topology});
  }
  (void)sink.close();
  return std::move(out).str();
}

}  // namespace

base::Result<std::unique_ptr<SlowCapture>> SlowCapture::open(SlowCaptureOptions options,
                                                             base::Logger* log,
                                                             const base::Clock& clock) {
  std::error_code problem;
  fs::create_directories(options.folder, problem);
  std::unique_ptr<SlowCapture> capture(new SlowCapture(std::move(options), log, clock));
  MR_TRY_STATUS(capture->find_files());
  capture->thread_ = std::jthread([self = capture.get()] { self->run(); });
  return capture;
}

SlowCapture::SlowCapture(SlowCaptureOptions options, base::Logger* log, const base::Clock& clock)
    : options_(std::move(options)), log_(log), clock_(clock) {}

SlowCapture::~SlowCapture() {
  {
    const base::MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
}

base::Status SlowCapture::find_files() {
  std::error_code problem;
  std::vector<std::pair<fs::file_time_type, File>> found;
  for (fs::directory_iterator entry(options_.folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kFileBegin) || !name.ends_with(kFileEnd)) continue;
    std::error_code gone;
    const auto bytes = entry->file_size(gone);
    const auto written = entry->last_write_time(gone);
    if (!gone) found.push_back({written, {.path = entry->path().string(), .bytes = bytes}});
  }
  if (problem) {
    return base::fail(base::ErrorCode::kUnavailable,
                      base::format("The folder of slow requests '{}' cannot be used: {}",
                                   options_.folder,
                                   problem.message()));
  }
  std::ranges::sort(found, {}, &std::pair<fs::file_time_type, File>::first);
  for (auto& [written, file] : found) {
    bytes_ += file.bytes;
    files_.push_back(std::move(file));
  }
  return {};
}

void SlowCapture::offer(SlowRequest request) {
  const base::TimePoint now = clock_.now();
  {
    const base::MutexLock lock(mutex_);
    if (last_ && now - *last_ < options_.pause) return;
    // The disk is slower than that.
    if (next_ || is_writing_) return;
    last_ = now;
    next_ = std::move(request);
  }
  changed_.notify_all();
}

void SlowCapture::wait_until_written() {
  const base::MutexLock lock(mutex_);
  while (next_ || is_writing_) changed_.wait(mutex_);
}

std::uint64_t SlowCapture::written_count() const {
  const base::MutexLock lock(mutex_);
  return written_;
}

void SlowCapture::run() {
  mutex_.lock();
  while (true) {
    while (!next_ && !is_over_) changed_.wait(mutex_);
    if (!next_) break;
    const SlowRequest request = *std::exchange(next_, std::nullopt);
    is_writing_ = true;
    mutex_.unlock();
    const bool is_written = write(request);
    mutex_.lock();
    is_writing_ = false;
    if (is_written) ++written_;
    changed_.notify_all();
  }
  mutex_.unlock();
}

bool SlowCapture::write(const SlowRequest& request) {
  const std::string text = perfetto_text(*request.capture);
  if (text.size() > options_.bytes_max) return false;
  make_room(text.size());
  const std::string path =
      (fs::path(options_.folder) / base::format("{}{}{}", kFileBegin, request.name, kFileEnd))
          .string();
  const std::string unfinished = path + ".part";
  errno = 0;
  {
    std::ofstream file(unfinished, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      if (log_ != nullptr && !std::exchange(has_failed_, true)) {
        log_->warning("slow_capture_failed",
                      "The trace of a slow request cannot be written",
                      {{"file", path}, {"reason", std::generic_category().message(errno)}});
      }
      std::error_code ignored;
      fs::remove(unfinished, ignored);
      return false;
    }
  }
  std::error_code problem;
  fs::rename(unfinished, path, problem);
  if (problem) return false;
  has_failed_ = false;
  files_.push_back({.path = path, .bytes = text.size()});
  bytes_ += text.size();
  if (log_ != nullptr) {
    log_->info("slow_request",
               "The trace of a slow request was written",
               {{"engine_request_id", request.name}, {"file", path}});
  }
  return true;
}

void SlowCapture::make_room(std::size_t bytes) {
  while (!files_.empty() &&
         (files_.size() >= options_.files_max || bytes_ + bytes > options_.bytes_max)) {
    std::error_code ignored;
    fs::remove(files_.front().path, ignored);
    bytes_ -= files_.front().bytes;
    files_.pop_front();
  }
}

}  // namespace millrace::observe
