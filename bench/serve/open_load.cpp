#include "bench/serve/open_load.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "bench/serve/client_socket.h"

namespace millrace::bench {
namespace {

constexpr int kGood = 200;
constexpr int kRefused = 503;
constexpr std::size_t kRequestsMax = 1'000'000;
/// How long replies may take after the last request.
constexpr double kLastReplySeconds = 20;

class OpenLoad {
 public:
  explicit OpenLoad(const OpenLoadOptions& options)
      : options_(options), poll_(::epoll_create1(EPOLL_CLOEXEC)), random_(options.seed) {}
  ~OpenLoad() { ::close(poll_); }
  OpenLoad(const OpenLoad&) = delete;
  OpenLoad& operator=(const OpenLoad&) = delete;

  base::Result<std::vector<Answered>> run() {
    draw_times();
    begin_ = base::steady_clock().now();
    while (done_count_ < answers_.size()) {
      const double now = seconds();
      if (now > options_.seconds + kLastReplySeconds)
        return base::fail(base::ErrorCode::kUnavailable, "Replies are missing");
      while (next_ < answers_.size() && answers_[next_].due_s <= now) waiting_.push_back(next_++);
      MR_TRY_STATUS(send_waiting());
      MR_TRY_STATUS(receive());
    }
    return std::move(answers_);
  }

 private:
  struct Client {
    ClientSocket socket;
    std::size_t request = 0;
  };

  void draw_times() {
    double due = 0;
    while (answers_.size() < kRequestsMax) {
      due -= std::log1p(-random_.unit()) / options_.rate;
      if (due >= options_.seconds) return;
      answers_.push_back({.due_s = due});
    }
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(base::steady_clock().now() - begin_).count();
  }
  base::Status add_client() {
    MR_TRY(ClientSocket socket, ClientSocket::connect(options_.port));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = clients_.size()}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, socket.descriptor(), &event);
    free_.push_back(clients_.size());
    clients_.push_back({.socket = std::move(socket)});
    return {};
  }
  base::Status send_waiting() {
    while (!waiting_.empty()) {
      if (free_.empty()) {
        if (clients_.size() - broken_count_ >= options_.connections_max) return {};
        MR_TRY_STATUS(add_client());
      }
      Client& client = clients_[free_.back()];
      client.request = waiting_.front();
      if (!client.socket.send(options_.request(answers_[client.request].due_s))) {
        end(free_.back(), 0);
        ++broken_count_;
        free_.pop_back();
        waiting_.pop_front();
        continue;
      }
      free_.pop_back();
      waiting_.pop_front();
    }
    return {};
  }
  base::Status receive() {
    std::array<epoll_event, 64> events;
    const double until_next = next_ < answers_.size() ? answers_[next_].due_s - seconds() : 1;
    // Sleeps whole milliseconds only, so that no request is late by it.
    const int wait = until_next > 0.002 ? 1 : 0;
    const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < count; ++i) {
      const std::size_t index = events[static_cast<std::size_t>(i)].data.u64;
      Client& client = clients_[index];
      const base::Result<bool> is_complete = client.socket.receive();
      if (!is_complete) {
        ::epoll_ctl(poll_, EPOLL_CTL_DEL, client.socket.descriptor(), nullptr);
        ++broken_count_;
        // Without a request it was an idle connection that the server closed.
        if (std::erase(free_, index) == 0) end(index, 0);
        continue;
      }
      if (!*is_complete) continue;
      end(index, client.socket.reply().status());
      free_.push_back(index);
    }
    return {};
  }
  void end(std::size_t index, int status) {
    Answered& answered = answers_[clients_[index].request];
    answered.took_ms = (seconds() - answered.due_s) * 1e3;
    answered.status = status;
    ++done_count_;
  }

  const OpenLoadOptions& options_;
  const int poll_;
  base::SplitMix64 random_;
  base::TimePoint begin_{};
  std::vector<Answered> answers_;
  std::vector<Client> clients_;
  std::vector<std::size_t> free_;    // clients
  std::deque<std::size_t> waiting_;  // requests
  std::size_t next_ = 0;
  std::size_t done_count_ = 0;
  std::size_t broken_count_ = 0;
};

}  // namespace

base::Result<std::vector<Answered>> make_open_load(const OpenLoadOptions& options) {
  return OpenLoad(options).run();
}

LoadSummary summarize(std::span<const Answered> answers, double from_s, double to_s) {
  LoadSummary summary;
  std::vector<double> times;
  for (const Answered& answered : answers) {
    if (answered.due_s < from_s || answered.due_s >= to_s) continue;
    if (answered.status == kGood) {
      times.push_back(answered.took_ms);
    } else if (answered.status == kRefused) {
      ++summary.refused_count;
    } else {
      ++summary.failed_count;
    }
  }
  summary.goodput = static_cast<double>(times.size()) / (to_s - from_s);
  summary.p50_ms = quantile(times, 0.5);
  summary.p99_ms = quantile(times, 0.99);
  return summary;
}

double quantile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(last * share)];
}

}  // namespace millrace::bench
