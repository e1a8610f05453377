#include "jobs/job_submitter.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/message.h"

namespace millrace::jobs {
namespace {

constexpr std::size_t kWindow = 256;
constexpr int kAttemptsMax = 20;  // without any progress
constexpr base::Duration kRetryPauseStep = std::chrono::milliseconds(250);

/// Messages under way to a stream, at most so many at a time; remembers the first failure.
/// Threading: one thread sends and waits; answers come on threads of the library.
class SendWindow {
 public:
  explicit SendWindow(nats::RequestBox& box) : box_(box) {}
  ~SendWindow() { (void)finish(); }

  /// Waits for room and sends. False: something went wrong; nothing was sent.
  [[nodiscard]] bool send(nats::Message message) MR_EXCLUDES(mutex_) {
    {
      const base::MutexLock lock(mutex_);
      while (open_count_ >= kWindow) changed_.wait(mutex_);
      if (failure_) return false;
      ++open_count_;
    }
    box_.ask(
        std::move(message), nats::JetStream::kLimit, [this](base::Result<nats::Message> answer) {
          auto outcome = nats::read_store_answer(answer);
          const base::MutexLock lock(mutex_);
          if (!failure_ && (!outcome || *outcome != nats::StoreOutcome::kStored))
            failure_ = std::move(outcome);
          --open_count_;
          changed_.notify_all();
        });
    return true;
  }
  /// Waits for all; gives the first failure.
  [[nodiscard]] std::optional<base::Result<nats::StoreOutcome>> finish() MR_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (open_count_ > 0) changed_.wait(mutex_);
    return failure_;
  }

 private:
  nats::RequestBox& box_;
  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t open_count_ MR_GUARDED_BY(mutex_) = 0;
  std::optional<base::Result<nats::StoreOutcome>> failure_ MR_GUARDED_BY(mutex_);
};

std::unexpected<base::Error> fail_full(const JobNames& names) {
  return base::fail(base::ErrorCode::kResourceExhausted,
                    base::format("no_space: the stream {} is full; `submit` goes on when workers "
                                 "have made room",
                                 names.queue_stream()));
}

/// Waits a little, longer each time. For a server that is being started again.
void pause_before_retry(int attempt) {
  std::condition_variable_any never;
  base::Mutex mutex;
  const base::MutexLock lock(mutex);
  never.wait_for(mutex, kRetryPauseStep * std::min(attempt, 8));
}

}  // namespace

base::Status submit_lines(nats::RequestBox& box,
                          nats::JetStream& jetstream,
                          const JobNames& names,
                          const JobInput& input,
                          const SubmitProgress& progress) {
  const std::uint64_t total = input.lines().size();
  std::uint64_t before = 0;
  for (int attempt = 0;; ++attempt) {
    const auto stream = jetstream.find_stream(names.queue_stream());
    std::uint64_t next = before;
    if (stream) {
      if (!*stream)
        return base::fail(base::ErrorCode::kUnavailable,
                          base::format("The stream {} was deleted", names.queue_stream()));
      next = (*stream)->last_sequence;
      if (next >= total) return {};
    }
    if (next > before) attempt = 0;
    before = next;
    if (attempt > 0) {
      if (attempt == kAttemptsMax)
        return base::fail(base::ErrorCode::kUnavailable,
                          "JetStream takes no more lines; `submit` again goes on where it stopped");
      pause_before_retry(attempt);
    }
    if (!stream) continue;
    SendWindow window(box);
    for (std::uint64_t line = next; line < total; ++line) {
      nats::Message message{.subject = names.queue_subject(line),
                            .data = with_request_id(input.lines()[line], names.job(), line)};
      message.headers.push_back({"Nats-Expected-Last-Sequence", std::to_string(line)});
      if (!window.send(std::move(message))) break;
      if (progress) progress(line + 1, total);
    }
    const auto failure = window.finish();
    if (failure && *failure && **failure == nats::StoreOutcome::kFull) return fail_full(names);
  }
}

base::Result<std::uint64_t> repair_lines(nats::RequestBox& box,
                                         nats::JetStream& jetstream,
                                         JobStore& store,
                                         const JobInput& input,
                                         const SubmitProgress& progress) {
  const JobNames& names = store.names();
  MR_TRY(const std::vector<bool> done, store.done_lines(input.lines().size()));
  // What waits in the queue is queued anew; what workers have is found done when they store it.
  // From here on `submit` has nothing to go on with, however few lines are queued now.
  MR_TRY(const auto queue, jetstream.find_stream(names.queue_stream()));
  if (queue && queue->last_sequence < done.size()) {
    MR_TRY_STATUS(jetstream.purge_stream(names.queue_stream(), done.size() + 1));
  } else {
    MR_TRY_STATUS(jetstream.purge_stream(names.queue_stream()));
  }
  std::uint64_t count = 0;
  SendWindow window(box);
  for (std::uint64_t line = 0; line < done.size(); ++line) {
    if (done[line]) continue;
    if (!window.send({.subject = names.queue_subject(line),
                      .data = with_request_id(input.lines()[line], names.job(), line)}))
      break;
    ++count;
    if (progress) progress(line + 1, done.size());
  }
  if (const auto failure = window.finish()) {
    if (!*failure) return std::unexpected(failure->error());
    return fail_full(names);
  }
  return count;
}

}  // namespace millrace::jobs
