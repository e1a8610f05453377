#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"

namespace millrace::net {

/// What a connection waits for.
enum class HttpWait : std::uint8_t {
  kFresh,   ///< the first request; nobody takes its place meanwhile
  kIdle,    ///< the next request
  kHead,    ///< the rest of a head
  kBody,    ///< the rest of a body
  kLinger,  ///< the end of input that is dropped
  kWrite,   ///< that the client takes bytes
};
inline constexpr std::size_t kHttpWaitCount = 6;

class HttpWaiter;
class HttpWaitList;

/// The place of a waiter in a list. Unlinks itself when destroyed.
class HttpWaitLink {
 public:
  explicit HttpWaitLink(HttpWaiter& owner) : owner_(owner) {}
  ~HttpWaitLink();
  HttpWaitLink(const HttpWaitLink&) = delete;
  HttpWaitLink& operator=(const HttpWaitLink&) = delete;

  [[nodiscard]] HttpWaiter& owner() const { return owner_; }
  [[nodiscard]] base::TimePoint deadline() const { return deadline_; }
  /// Nullptr while it is in none.
  [[nodiscard]] HttpWaitList* list() const { return list_; }

 private:
  friend class HttpWaitList;
  HttpWaiter& owner_;
  HttpWaitList* list_ = nullptr;
  HttpWaitLink* before_ = nullptr;
  HttpWaitLink* after_ = nullptr;
  base::TimePoint deadline_{};
};

/// Who waits for the same thing, the longest waiting first. All wait for the same time, so the
/// first deadline is the earliest, and one timer serves thousands of connections. Threading: not
/// shared. Lifetime: borrows the links.
class HttpWaitList {
 public:
  HttpWaitList() = default;
  ~HttpWaitList() { MR_CHECK(size_ == 0, size_); }
  HttpWaitList(const HttpWaitList&) = delete;
  HttpWaitList& operator=(const HttpWaitList&) = delete;

  [[nodiscard]] HttpWaitLink* front() const { return front_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void push_back(HttpWaitLink& link, base::TimePoint deadline) {
    MR_CHECK(link.list_ == nullptr);
    link.list_ = this;
    link.deadline_ = deadline;
    link.before_ = back_;
    link.after_ = nullptr;
    (back_ == nullptr ? front_ : back_->after_) = &link;
    back_ = &link;
    ++size_;
  }
  void remove(HttpWaitLink& link) {
    MR_CHECK(link.list_ == this);
    (link.before_ == nullptr ? front_ : link.before_->after_) = link.after_;
    (link.after_ == nullptr ? back_ : link.after_->before_) = link.before_;
    link.list_ = nullptr;
    --size_;
  }

 private:
  HttpWaitLink* front_ = nullptr;
  HttpWaitLink* back_ = nullptr;
  std::size_t size_ = 0;
};

inline HttpWaitLink::~HttpWaitLink() {
  if (list_ != nullptr) list_->remove(*this);
}

/// Who waits. Each call may be the last one: see `HttpServerContext::retire`.
class HttpWaiter {
 public:
  virtual ~HttpWaiter() = default;
  /// The time for `wait` is over; it is in that list no longer.
  virtual void on_wait_over(HttpWait wait) = 0;
};

}  // namespace millrace::net
