#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sync/mutex.h"
#include "nats/link.h"

// For tests only: a link without a server. Messages that are published go to subscriptions of the
// same link with exactly that subject (a trailing `*` takes any end), as an echo of a server would.

namespace millrace::nats::testing {

class FakeLink final : public Link {
  struct Entry {
    std::string subject;
    std::string group;
    MessageSink* sink = nullptr;
    bool is_leaving = false;
    bool has_ended = false;
  };
  /// What outlives the link while subscriptions do.
  struct Table {
    base::Mutex mutex;
    std::vector<std::shared_ptr<Entry>> entries MR_GUARDED_BY(mutex);
  };

  class FakeSubscription final : public Subscription {
   public:
    FakeSubscription(std::shared_ptr<Table> table, std::shared_ptr<Entry> entry)
        : table_(std::move(table)), entry_(std::move(entry)) {}
    ~FakeSubscription() override {
      const base::MutexLock lock(table_->mutex);
      std::erase(table_->entries, entry_);
    }
    void leave() override {
      const base::MutexLock lock(table_->mutex);
      entry_->is_leaving = true;
    }
    bool has_ended() const override {
      const base::MutexLock lock(table_->mutex);
      return entry_->has_ended;
    }

   private:
    std::shared_ptr<Table> table_;
    std::shared_ptr<Entry> entry_;
  };

 public:
  base::Result<std::unique_ptr<Subscription>> subscribe(const std::string& subject,
                                                        const std::string& group,
                                                        MessageSink& sink) override {
    auto entry = std::make_shared<Entry>(Entry{.subject = subject, .group = group, .sink = &sink});
    const base::MutexLock lock(table_->mutex);
    table_->entries.push_back(entry);
    return std::make_unique<FakeSubscription>(table_, std::move(entry));
  }
  base::Status queue(const Message& message) override {
    if (state() != LinkState::kConnected)
      return base::fail(base::ErrorCode::kUnavailable, "There is no connection to NATS");
    {
      const base::MutexLock lock(mutex_);
      published_.push_back(message);
    }
    if (is_bus) (void)deliver(message);
    return {};
  }
  void send() override {}
  base::Status flush(base::Duration) override { return {}; }
  LinkState state() const override {
    if (on_state_asked) on_state_asked();
    return state_.load();
  }
  std::size_t payload_bytes_max() const override { return payload_bytes; }
  std::string make_unique_name() const override { return "UNIQUE"; }

  /// Brings a message to the subscriptions of its subject, those that are leaving included. Gives
  /// how many there were.
  std::size_t deliver(const Message& message) {
    std::vector<MessageSink*> sinks;
    {
      const base::MutexLock lock(table_->mutex);
      for (const auto& entry : table_->entries) {
        const std::string_view subject = entry->subject;
        const bool is_open_ended = subject.ends_with('*');
        if (entry->has_ended) continue;
        if (is_open_ended ? message.subject.starts_with(subject.substr(0, subject.size() - 1))
                          : message.subject == subject)
          sinks.push_back(entry->sink);
      }
    }
    for (MessageSink* const sink : sinks) {
      sink->on_message(message);
      sink->on_rest();
    }
    return sinks.size();
  }
  /// Brings a message to the subscriptions of another subject than its own, as JetStream does.
  void deliver_to(const std::string& subject, const Message& message) {
    std::vector<MessageSink*> sinks;
    {
      const base::MutexLock lock(table_->mutex);
      for (const auto& entry : table_->entries) {
        if (entry->subject == subject) sinks.push_back(entry->sink);
      }
    }
    for (MessageSink* const sink : sinks) {
      sink->on_message(message);
      sink->on_rest();
    }
  }
  /// Ends the subscriptions that are leaving, as a server does after a moment.
  void end_leaving() {
    const base::MutexLock lock(table_->mutex);
    for (const auto& entry : table_->entries) entry->has_ended |= entry->is_leaving;
  }
  /// Subjects with members that are not leaving, with their groups, in order.
  std::vector<std::string> joined() const {
    std::vector<std::string> subjects;
    const base::MutexLock lock(table_->mutex);
    for (const auto& entry : table_->entries) {
      if (!entry->is_leaving && !entry->group.empty())
        subjects.push_back(entry->subject + " " + entry->group);
    }
    std::ranges::sort(subjects);
    return subjects;
  }
  std::vector<Message> published() const {
    const base::MutexLock lock(mutex_);
    return published_;
  }
  std::size_t published_count() const {
    const base::MutexLock lock(mutex_);
    return published_.size();
  }
  void set_state(LinkState state) { state_.store(state); }

  bool is_bus = false;  ///< set before use
  std::size_t payload_bytes = 1 << 20;
  std::function<void()> on_state_asked;  ///< set before use

 private:
  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
  mutable base::Mutex mutex_;
  std::vector<Message> published_ MR_GUARDED_BY(mutex_);
  std::atomic<LinkState> state_{LinkState::kConnected};  // publishes nothing
};

}  // namespace millrace::nats::testing
