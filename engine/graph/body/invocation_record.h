#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/body/body_types.h"
#include "graph/body/inline_list.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

struct CallFacts;

struct StagedPublication {
  Payload value = {};
  Duration event_time{};
  std::uint32_t output = 0;
  bool has_event_time = false;

  void forget() { value.clear(); }
};

struct StagedWrite {
  std::string table;
  std::string key;
  Payload value;
};

/// The plain values of an invocation, which are set anew all at once.
struct InvocationHead {
  std::uint32_t component = 0;
  std::uint32_t worker = kNoIndex;
  std::uint32_t output_count = 0;  ///< outputs that have an edge
  EventKind kind = EventKind::kManual;
  bool has_run = false;
  bool is_rejected = false;  ///< by the admission of a pool
  bool wants_finish = false;
  bool is_root = false;  ///< it starts a correlation
  bool is_abandoned = false;
  bool is_converged = false;
  bool was_reported = false;             ///< its overrun was, while it ran
  mutable bool was_cancelled = false;    ///< cancellation was requested while it ran
  mutable bool observed_cancel = false;  ///< and the body asked
  /// It did more than publish one value into `slot`: took time, failed, was told to end, and so on.
  mutable bool has_more = false;
  std::uint64_t epoch = 0;
  std::uint64_t call = 0;          ///< of the component's invocations, from 1
  mutable std::uint64_t asks = 0;  ///< how often it asked whether it was cancelled
  /// Which of these was the first to be answered with yes, from 1; 0: none.
  mutable std::uint64_t told_at = 0;
  std::uint32_t task_count = 0;      ///< tasks that it wanted to submit
  const CallFacts* facts = nullptr;  ///< if this replays a run on threads
  Duration begin{};
  Duration spent{};
  Correlation correlation = {};
  MessageId cause = {};
  std::uint64_t cause_arrival = UINT64_MAX;
  std::optional<double> residual = {};
  Message* slot = nullptr;           ///< where the first publication may go at once, see `stage`
  Message* staged = nullptr;         ///< where it went
  InputMessage* in_place = nullptr;  ///< its one message, if that is still in the channel
};

/// One invocation: what it was given, and what it wants to do once it is committed. Records are
/// used again, so that invocations do not allocate.
struct InvocationRecord : InvocationHead {
  InlineList<InputMessage> messages = {};
  InlineList<StagedPublication> published = {};
  std::vector<InputMessage> for_host = {};
  std::vector<StagedWrite> writes = {};
  std::optional<base::Error> error = {};

  [[nodiscard]] Duration end() const { return begin + spent; }
  /// Whether it has succeeded and did nothing but publish, at most once.
  [[nodiscard]] bool is_plain() const {
    return has_run && !error && published.size() <= 1 && writes.empty() && for_host.empty();
  }

  /// Asks for its cache lines, to be written soon.
  void prefetch() const {
    const auto* const begin = reinterpret_cast<const std::byte*>(this);
    for (std::size_t at = 0; at < sizeof(*this); at += 64) __builtin_prefetch(begin + at, 1);
  }

  [[nodiscard]] std::span<const InputMessage> inputs() const {
    if (in_place != nullptr) return {in_place, 1};
    return messages;
  }
  /// Stages a publication.
  [[gnu::always_inline]] void stage(std::uint32_t output,
                                    Payload&& value,
                                    const PublishOptions& options) {
    if (slot != nullptr) [[likely]] {
      slot->value = std::move(value);
      slot->has_event_time = options.event_time.has_value();
      if (slot->has_event_time) slot->event_time = *options.event_time;
      staged = std::exchange(slot, nullptr);
      return;
    }
    stage_further(output, std::move(value), options);
  }
  /// Takes back what went into `slot`: the invocation waits for its commit as any other.
  void unstage() {
    slot = nullptr;
    if (staged == nullptr) return;
    published.push_back({.value = std::move(staged->value),
                         .event_time = staged->event_time,
                         .has_event_time = staged->has_event_time});
    staged = nullptr;
  }
  /// Takes its message out of the channel and what it published out of `slot`.
  void take_over() {
    messages.begin_stale() = std::move(*std::exchange(in_place, nullptr));
    unstage();
  }

  [[gnu::always_inline]] void reset(const InvocationHead& head) {
    static_cast<InvocationHead&>(*this) = head;
    messages.clear();
    published.clear();
    if (!for_host.empty()) [[unlikely]]
      for_host.clear();
    if (!writes.empty()) [[unlikely]]
      writes.clear();
    if (error) [[unlikely]]
      error.reset();
  }

 private:
  [[gnu::noinline]] void stage_further(std::uint32_t output,
                                       Payload&& value,
                                       const PublishOptions& options) {
    has_more = true;
    unstage();
    published.push_back({.value = std::move(value),
                         .event_time = options.event_time.value_or(Duration::zero()),
                         .output = output,
                         .has_event_time = options.event_time.has_value()});
  }
};

/// Records of one stage, in order of collection. Keeps them for the next one.
/// Threading: not shared.
class InvocationList {
 public:
  [[gnu::always_inline]] InvocationRecord& add(const InvocationHead& head) {
    if (used_ == records_.size()) [[unlikely]]
      grow();
    InvocationRecord& record = *records_[used_++];
    record.reset(head);
    return record;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] InvocationRecord& operator[](std::size_t index) { return *records_[index]; }
  [[nodiscard]] const InvocationRecord& operator[](std::size_t index) const {
    return *records_[index];
  }
  void clear() { used_ = 0; }
  /// Removes the last one.
  void pop_back() { --used_; }

 private:
  [[gnu::noinline]] void grow() { records_.push_back(std::make_unique<InvocationRecord>()); }

  std::vector<std::unique_ptr<InvocationRecord>> records_;
  std::size_t used_ = 0;
};

}  // namespace millrace::graph
