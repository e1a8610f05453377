#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/body/body_types.h"
#include "graph/body/message.h"
#include "graph/format/spec.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {

/// What happened to a message that was put into a channel.
struct PushOutcome {
  bool is_accepted = true;  ///< false: `drop_newest` dropped it
  bool has_evicted = false;
  bool is_full_first_time = false;  ///< a queue is full for the first time in this run
};

/// The buffer of one edge: what is visible, then what is arriving, each oldest first.
///
/// - immediate: a message is visible when it is put in (`previous_tick`: after `show`).
/// - delay, state, async: a message is announced at the commit (`expect`), put in when the epoch of
///   its publisher ends, and visible when `show` is called at a boundary of its reader's domain.
///
/// Messages that are expected or arriving count against the capacity when the channel is asked
/// whether it refuses; eviction and `drop_newest` happen when a message is put in. So what a reader
/// can see never disappears because of what it cannot see yet.
///
/// Threading: not shared.
class Channel {
 public:
  Channel(const ChannelSpec& policy, bool is_deferred, ChannelCells& cells);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Says where its messages come from and go to, for those that stay in place.
  void set_place(std::uint32_t edge, std::uint32_t input) {
    edge_ = edge;
    input_ = input;
  }

  /// Whether a publication must not be committed now, because it would have to wait or be lost.
  [[nodiscard]] bool refuses() const {
    if (overflow_ < EdgeOverflow::kReject && max_inflight_ == 0) [[likely]]
      return false;
    return refuses_slowly();
  }
  /// How many more publications it takes before it refuses one.
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] EdgeOverflow overflow() const { return overflow_; }
  [[nodiscard]] bool is_deferred() const { return is_deferred_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] Duration lifespan() const { return lifespan_; }

  /// Counts a publication that was not committed because this channel refused it.
  void note_refusal() { cells_.reject_count.add(); }
  /// A committed publication will be put in when the epoch ends.
  void expect() { ++expected_; }

  /// Puts a message in. `arrival` is of use if it is visible at once.
  PushOutcome push(Message&& message, std::uint64_t arrival);
  /// Makes the messages up to that number visible and gives how many; `arrival` is counted up for
  /// each.
  std::size_t show(std::uint64_t number, std::uint64_t& arrival);

  /// Appends a message that is visible at once, for the caller to fill: value, times and
  /// correlation. Nullptr if it takes more than that: another mode, no room, or more messages than
  /// there ever were; then use `push`.
  [[nodiscard]] Message* try_extend(std::uint64_t arrival) {
    if (!extends_ || size_ >= max_depth_) [[unlikely]]
      return nullptr;
    Message& added = at(size_);
    ++size_;
    added.number = ++last_number_;
    added.arrival = last_arrival_ = arrival;
    cells_.publish_count.add();
    return &added;
  }

  /// Whether messages can be staged here, see `next_staged`.
  [[nodiscard]] bool can_stage() const { return extends_; }
  /// Where the next message goes that becomes visible when its stage ends, for the caller to fill:
  /// value, times and correlation. `stage` keeps it. Nullptr as with `try_extend`.
  [[nodiscard]] Message* next_staged() {
    if (size_ + staged_ >= max_depth_) [[unlikely]]
      return nullptr;
    return &at(size_ + staged_);
  }
  /// Keeps what `next_staged` gave.
  void stage(Message& staged, std::uint64_t arrival) {
    staged.number = last_number_ + ++staged_;
    staged.arrival = arrival;
  }
  /// Makes what was staged visible and gives how many that are.
  std::size_t show_staged() {
    const std::size_t count = std::exchange(staged_, 0);
    if (count == 0) [[unlikely]]
      return 0;
    size_ += count;
    last_number_ += count;
    last_arrival_ = at(size_ - 1).arrival;
    cells_.publish_count.add(count);
    return count;
  }
  /// Forgets what was staged.
  void drop_staged();

  /// Whether messages are taken in order and by one reader, without a deadline: `take_next` does.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  /// What `available` says, of such a channel.
  [[nodiscard]] std::size_t plainly_available() const { return size_ - arriving_; }
  /// Takes the oldest; `note_taken` counts.
  void take_next(Message& out) {
    out = std::move(ring_[head_].message);
    head_ = (head_ + 1) & mask_;
    --size_;
  }
  /// The oldest, which stays until `drop_next`; nothing must be put in meanwhile.
  [[nodiscard]] InputMessage& next_in_place() { return ring_[head_]; }
  void drop_next() {
    ring_[head_].forget();
    head_ = (head_ + 1) & mask_;
    --size_;
  }
  void note_taken(std::size_t count, Duration now) {
    last_take_ = now;
    cells_.delivery_count.add(count);
  }

  /// Messages that a trigger can take now; a `latched` value counts as long as it is there.
  [[nodiscard]] std::size_t available() const {
    if (mode_ == ChannelMode::kBarrier) return released_ - taken_;
    return size_ - arriving_ - taken_;
  }
  /// Whether there is one that no invocation has had.
  [[nodiscard]] bool has_new() const {
    return available() > 0 && (mode_ != ChannelMode::kLatched || is_new_);
  }
  [[nodiscard]] bool is_latched() const { return mode_ == ChannelMode::kLatched; }
  /// One that can be taken, 0 being the oldest.
  [[nodiscard]] const Message& peek(std::size_t index = 0) const { return at(taken_ + index); }
  /// Takes the oldest. A `latched` value stays. Gives whether it is one that was taken before.
  bool take(Message& out, Duration now, bool& is_late);
  /// Does what `take` does but does not count it as delivered; see `note_delivery`.
  bool pull(Message& out, Duration now);
  /// Counts a message that was pulled as delivered; gives whether it is past its deadline.
  bool note_delivery(const Message& message, bool was_taken, Duration now);
  /// Removes the oldest that can be taken.
  void drop_front();
  /// Removes what is older than the lifespan; gives how many.
  std::size_t drop_stale(Duration now);
  /// Arrival of the newest that became visible; 0: none ever did.
  [[nodiscard]] std::uint64_t last_arrival() const { return last_arrival_; }
  /// When a message was last taken or dropped by its reader.
  [[nodiscard]] Duration last_take() const { return last_take_; }

  /// Visible messages that a named reader has not read yet; `readers: multi` only.
  [[nodiscard]] std::vector<Message> read(std::string_view reader);

  /// Number that the next accepted message gets, minus 1.
  [[nodiscard]] std::uint64_t last_number() const { return last_number_; }
  /// Whether the value put in last differs from the one before; consumed by the call.
  [[nodiscard]] bool take_change();
  /// From now on, remembers the last value for `take_change`.
  void watch_changes() {
    watches_changes_ = true;
    extends_ = false;
  }
  [[nodiscard]] std::size_t depth() const { return size_; }
  [[nodiscard]] bool has_unseen() const { return arriving_ > 0 || pending_.has_value(); }
  /// Whether the message of that number still waits for `show`.
  [[nodiscard]] bool is_unseen(std::uint64_t number) const {
    if (mode_ == ChannelMode::kPreviousTick) return pending_ && pending_->number <= number;
    return arriving_ > 0 && at(size_ - arriving_).number <= number;
  }

 private:
  [[nodiscard]] bool refuses_slowly() const;
  [[nodiscard]] const Message& at(std::size_t index) const {
    return ring_[(head_ + index) & mask_].message;
  }
  [[nodiscard]] Message& at(std::size_t index) { return ring_[(head_ + index) & mask_].message; }
  void grow();
  void append(Message&& message);
  void remove_front();
  void evict_front(PushOutcome& outcome);
  PushOutcome push_pending(Message&& message);
  void note_change(const Payload& value);

  // Constant after construction.
  const ChannelMode mode_;
  const EdgeOverflow overflow_;
  const bool is_deferred_;
  const bool is_multi_;
  const std::size_t capacity_;
  const std::size_t max_inflight_;
  const Duration lifespan_;
  const Duration deadline_;
  const bool is_plain_;
  bool extends_;  // see `try_extend`; may become false before the run
  std::uint32_t edge_ = kNoIndex;
  std::uint32_t input_ = 0;
  ChannelCells& cells_;

  // The ring grows up to the capacity, so that a large capacity costs nothing until it is used.
  // Items are as a body is given them.
  std::vector<InputMessage> ring_;
  std::size_t mask_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t arriving_ = 0;  // at the end of the ring
  std::size_t taken_ = 0;     // at its beginning: taken by the trigger, kept for named readers
  std::size_t released_ = 0;  // of a barrier: may be taken, including `taken_`
  std::size_t expected_ = 0;
  std::size_t staged_ = 0;  // behind the others, not counted in `size_`
  std::size_t max_depth_ = 0;
  bool is_new_ = false;  // of a latched value
  std::uint64_t last_number_ = 0;
  std::uint64_t last_arrival_ = 0;
  Duration last_take_{};
  std::optional<Message> pending_;  // of previous_tick
  bool watches_changes_ = false;
  bool has_changed_ = false;
  std::optional<Payload> last_value_;
  std::map<std::string, std::uint64_t, std::less<>> readers_;  // number read last
};

}  // namespace millrace::graph
