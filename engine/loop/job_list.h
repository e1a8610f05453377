#pragma once

#include "loop/executor.h"

namespace millrace::loop {

/// A queue of jobs, first in, first out; the links are members of the jobs.
/// Threading: not shared.
/// Lifetime: borrows the jobs until they are popped.
class JobList {
 public:
  JobList() = default;
  JobList(const JobList&) = delete;
  JobList& operator=(const JobList&) = delete;

  [[nodiscard]] bool empty() const { return first_ == nullptr; }

  void push_back(Job& job) {
    job.next = nullptr;
    append(&job);
  }

  /// Adds what `Inbox::take_all` gave; every element must be a Job.
  void append(InboxLink* chain) {
    if (chain == nullptr) return;
    (last_ == nullptr ? first_ : last_->next) = chain;
    while (chain->next != nullptr) chain = chain->next;
    last_ = chain;
  }

  /// Gives the first job, or null.
  [[nodiscard]] Job* try_pop_front() {
    if (first_ == nullptr) return nullptr;
    InboxLink* const link = first_;
    first_ = link->next;
    if (first_ == nullptr) last_ = nullptr;
    return static_cast<Job*>(link);
  }

 private:
  InboxLink* first_ = nullptr;
  InboxLink* last_ = nullptr;
};

}  // namespace millrace::loop
