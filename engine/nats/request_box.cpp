#include "nats/request_box.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <semaphore>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"

namespace millrace::nats {

base::Result<std::unique_ptr<RequestBox>> RequestBox::open(Link& link, Rest rest) {
  std::unique_ptr<RequestBox> box(new RequestBox(link, std::move(rest)));
  MR_TRY(box->subscription_, link.subscribe(box->prefix_ + "*", "", *box));
  box->thread_ = std::thread([&self = *box] { self.watch_time(); });
  return box;
}

RequestBox::RequestBox(Link& link, Rest rest)
    : link_(link), rest_(std::move(rest)), prefix_("_INBOX." + link.make_unique_name() + ".") {}

RequestBox::~RequestBox() {
  subscription_.reset();
  std::map<std::uint64_t, Open> left;
  {
    const base::MutexLock lock(mutex_);
    is_ending_ = true;
    left.swap(open_);
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (auto& [number, open] : left)
    open.done(base::fail(base::ErrorCode::kCancelled, "The program ends"));
}

void RequestBox::queue(Message message, base::Duration limit, Done done) {
  const base::TimePoint deadline = base::steady_clock().now() + limit;
  std::uint64_t number = 0;
  {
    const base::MutexLock lock(mutex_);
    number = next_number_++;
    open_.emplace(number, Open{.done = std::move(done), .deadline = deadline});
    if (std::exchange(is_asleep_, false)) changed_.notify_all();
  }
  message.reply = prefix_ + std::to_string(number);
  if (auto sent = link_.queue(message); !sent) {
    if (const Done failed = take(number)) {
      failed(std::unexpected(sent.error()));
      on_rest();
    }
  }
}

base::Result<Message> RequestBox::ask_and_wait(Message message, base::Duration limit) {
  struct Wait {
    std::binary_semaphore is_done{0};
    base::Result<Message> result;
  };
  // Owners: this call, and the callback, which still uses it after this call was woken.
  const auto wait = std::make_shared<Wait>();
  ask(std::move(message), limit, [wait](base::Result<Message> result) {
    wait->result = std::move(result);
    wait->is_done.release();
  });
  wait->is_done.acquire();
  return std::move(wait->result);
}

RequestBox::Done RequestBox::take(std::uint64_t number) {
  const base::MutexLock lock(mutex_);
  const auto found = open_.find(number);
  if (found == open_.end()) return {};
  Done done = std::move(found->second.done);
  open_.erase(found);
  return done;
}

void RequestBox::on_message(Message message) {
  if (!message.subject.starts_with(prefix_)) return;
  const std::string_view digits = std::string_view(message.subject).substr(prefix_.size());
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  if (const auto read = std::from_chars(digits.data(), end, number);
      read.ec != std::errc{} || read.ptr != end)
    return;
  // A second answer, or one that is late, finds nobody.
  const Done done = take(number);
  if (!done) return;
  if (message.says_no_responders)
    return done(base::fail(base::ErrorCode::kNotFound, "Nobody listens on the subject"));
  done(std::move(message));
}

void RequestBox::watch_time() {
  std::uint64_t seen_number = 0;
  while (true) {
    std::vector<Done> late;
    {
      const base::MutexLock lock(mutex_);
      if (is_ending_) return;
      const base::TimePoint now = base::steady_clock().now();
      base::TimePoint next = base::TimePoint::max();
      for (auto open = open_.begin(); open != open_.end();) {
        if (open->second.deadline <= now) {
          late.push_back(std::move(open->second.done));
          open = open_.erase(open);
        } else {
          next = std::min(next, open->second.deadline);
          ++open;
        }
      }
      if (late.empty()) {
        // Requests that come meanwhile are looked at after the first of these, at most a moment
        // late: a watch per request would cost more than it gains. Between requests that are
        // answered at once the thread need not sleep deeply either, so as not to be woken for each.
        is_asleep_ = open_.empty() && next_number_ == seen_number;
        seen_number = next_number_;
        if (is_asleep_) {
          changed_.wait(mutex_);
        } else {
          changed_.wait_for(mutex_, std::clamp<base::Duration>(next - now, {}, kLookPeriod));
        }
      }
    }
    for (const Done& done : late)
      done(base::fail(base::ErrorCode::kTimeout, "No answer came in time"));
    if (!late.empty()) on_rest();
  }
}

}  // namespace millrace::nats
