#include "jobs/job_fetcher.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/jetstream.h"

namespace millrace::jobs {
namespace {

constexpr std::size_t kFetchWindow = 256;
constexpr int kFetchAttempts = 10;

/// Results in order, some of them asked for in advance.
/// Threading: one thread; answers come on threads of the library.
class ResultReader {
 public:
  ResultReader(nats::RequestBox& box, const JobNames& names, std::vector<std::uint64_t> lines)
      : box_(box), names_(names), lines_(std::move(lines)) {}
  ~ResultReader() {
    const base::MutexLock lock(mutex_);
    while (open_count_ > 0) changed_.wait(mutex_);
  }

  /// The next result.
  [[nodiscard]] base::Result<std::string> next() MR_EXCLUDES(mutex_) {
    while (asked_.size() < kFetchWindow && next_ < lines_.size()) ask(lines_[next_++]);
    const std::shared_ptr<Place> place = asked_.front();
    asked_.pop_front();
    for (int attempt = 1;; ++attempt) {
      {
        const base::MutexLock lock(mutex_);
        while (!place->answer) changed_.wait(mutex_);
      }
      auto found = nats::read_found(*std::move(place->answer));
      if (found && *found) return std::move((*found)->data);
      const bool is_gone = found.has_value();
      if (is_gone || attempt == kFetchAttempts) {
        return base::fail(is_gone ? base::ErrorCode::kNotFound : found.error().code(),
                          base::format("The result of line {} cannot be read{}{}",
                                       place->line + 1,
                                       is_gone ? "" : ": ",
                                       is_gone ? "" : found.error().message()));
      }
      place->answer.reset();
      send(place);
    }
  }

 private:
  struct Place {
    std::uint64_t line = 0;
    std::optional<base::Result<nats::Message>> answer;
  };
  void ask(std::uint64_t line) MR_EXCLUDES(mutex_) {
    asked_.push_back(std::make_shared<Place>(Place{.line = line, .answer = {}}));
    send(asked_.back());
  }
  void send(const std::shared_ptr<Place>& place) MR_EXCLUDES(mutex_) {
    {
      const base::MutexLock lock(mutex_);
      ++open_count_;
    }
    box_.ask({.subject = base::format("$JS.API.DIRECT.GET.{}.{}",
                                      names_.result_stream(),
                                      names_.result_subject(place->line))},
             nats::JetStream::kLimit,
             [this, place](base::Result<nats::Message> answer) {
               const base::MutexLock lock(mutex_);
               place->answer = std::move(answer);
               --open_count_;
               changed_.notify_all();
             });
  }

  nats::RequestBox& box_;
  const JobNames& names_;
  const std::vector<std::uint64_t> lines_;
  std::size_t next_ = 0;
  std::deque<std::shared_ptr<Place>> asked_;
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t open_count_ MR_GUARDED_BY(mutex_) = 0;
};

std::unexpected<base::Error> fail_file(const std::string& path) {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    base::format("Cannot write '{}': {}", path, std::strerror(errno)));
}

/// Where results for this path go in the end: what a link leads to, not the link. The end replaces
/// what is there, so devices are refused.
base::Result<std::string> find_target(const std::string& path) {
  std::error_code problem;
  const auto kind = std::filesystem::status(path, problem).type();
  if (kind == std::filesystem::file_type::not_found) return path;
  if (kind != std::filesystem::file_type::regular) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("Cannot write '{}': it is no file", path));
  }
  const std::filesystem::path target = std::filesystem::canonical(path, problem);
  return problem ? path : target.string();
}

/// The whole lines of a file that was left behind.
struct LeftBehind {
  std::uint64_t line_count = 0;
  std::uint64_t byte_count = 0;
  std::string last;
};

LeftBehind look_at(const std::string& path) {
  LeftBehind left;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    if (file.eof()) break;  // its end is missing
    ++left.line_count;
    left.byte_count += line.size() + 1;
    left.last = std::move(line);
  }
  return left;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

base::Result<FetchOutcome> fetch_results(
    nats::RequestBox& box,
    JobStore& store,
    const FetchOrder& order,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  MR_TRY(const std::string target, find_target(order.path));
  MR_TRY(const JobManifest manifest, store.manifest());
  MR_TRY(const std::vector<bool> done, store.done_lines(manifest.line_count));
  FetchOutcome outcome{.missing = missing_text(done)};
  if (!outcome.missing.empty() && !order.is_partial) {
    return base::fail(base::ErrorCode::kNotFound,
                      base::format("The job is not complete: lines without a result: {}; work on "
                                   "it, `submit --repair` it, or take what is there with --partial",
                                   outcome.missing));
  }
  std::vector<std::uint64_t> lines;
  for (std::uint64_t line = 0; line < done.size(); ++line) {
    if (done[line]) lines.push_back(line);
  }
  const std::uint64_t total = lines.size();
  const std::string part = target + ".part";
  LeftBehind left = look_at(part);
  // Only if its last line is the result that stands there; else it is of another job.
  if (left.line_count > 0) {
    bool is_ours = left.line_count <= total;
    if (is_ours) {
      ResultReader check(box, store.names(), {lines[left.line_count - 1]});
      const auto last = check.next();
      is_ours = last && *last == left.last;
    }
    if (!is_ours) left = {};
  }
  const std::unique_ptr<std::FILE, CloseFile> file(
      std::fopen(part.c_str(), left.line_count > 0 ? "r+b" : "wb"));
  if (file == nullptr) return fail_file(part);
  if (::ftruncate(::fileno(file.get()), static_cast<off_t>(left.byte_count)) != 0 ||
      std::fseek(file.get(), 0, SEEK_END) != 0)
    return fail_file(part);
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(left.line_count));
  outcome.written = left.line_count;
  {
    ResultReader reader(box, store.names(), std::move(lines));
    while (outcome.written < total) {
      MR_TRY(std::string result, reader.next());
      result += '\n';
      if (std::fwrite(result.data(), 1, result.size(), file.get()) != result.size())
        return fail_file(part);
      ++outcome.written;
      if (progress) progress(outcome.written, total);
    }
  }
  if (std::fflush(file.get()) != 0 || ::fsync(::fileno(file.get())) != 0) return fail_file(part);
  if (std::rename(part.c_str(), target.c_str()) != 0) return fail_file(target);
  return outcome;
}

}  // namespace millrace::jobs
