#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/triggers.h"
#include "graph/run/channel.h"
#include "graph/watch/graph_cells.h"

namespace millrace::graph {

/// One input port of a trigger with the channels that lead to it.
struct TriggerInput {
  std::uint32_t input = 0;  ///< index among the component's inputs
  EventKind kind = EventKind::kMessage;
  std::vector<Channel*> channels = {};
  std::vector<std::uint32_t> edges = {};  ///< of each channel
};

/// When a trigger is looked at.
struct TriggerTime {
  Duration now{};
  Duration boundary{};  ///< at which the epoch began
};

/// What a look at a trigger found besides invocations.
struct TriggerNotes {
  std::vector<std::uint32_t> stale_edges = {};  ///< had messages beyond their lifespan
  std::vector<std::uint32_t> late_edges = {};   ///< delivered messages beyond their deadline
  bool is_silent = false;
};

/// Decides which invocations of a component are ready. Holds no messages: it takes them from the
/// channels.
/// Threading: not shared. Lifetime: borrows channels and cells.
class Trigger {
 public:
  /// `is_injected`: its input is what the host gives.
  Trigger(std::uint32_t component,
          const TriggerPlan& plan,
          std::vector<TriggerInput> inputs,
          TriggerCells& cells,
          bool is_injected);

  /// Adds the invocations that are ready now. `coalesce`: as if the modifier were set.
  void collect(TriggerTime time, InvocationList& list, TriggerNotes& notes, bool coalesce = false);

  /// Whether it has no rules: one invocation for each message, in order of arrival.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  /// Counts all messages of a plain trigger as taken at that time and gives how many they are.
  /// Whoever calls takes each of them with `take_next` before anything else happens here.
  [[nodiscard]] std::size_t begin_taking(Duration now) {
    if (only_ == nullptr) return begin_merging(now);
    const std::size_t count = only_->channel->plainly_available();
    run_front_ = only_;
    run_left_ = count;
    if (count == 0) return 0;
    only_->channel->note_taken(count, now);
    cells_.ready_count.add(count);
    return count;
  }
  /// Counts the invocation of a free-running component as ready; false if it is finished.
  [[nodiscard]] bool try_begin_manual() {
    if (is_finished_) return false;
    cells_.ready_count.add();
    return true;
  }
  /// Gives an invocation the next message in order of arrival.
  void take_next(InvocationRecord& record) {
    if (run_left_ == 0) find_run();
    --run_left_;
    take_plain(*run_front_, record);
  }
  /// Whether messages can stay in their channel while an invocation uses them: the host may give
  /// more at any time.
  [[nodiscard]] bool can_stay_in_place() const { return is_plain_ && !is_injected_; }
  /// The same as `take_next`, but the message stays where it is until `drop_in_place`.
  void take_in_place(InvocationRecord& record) {
    if (run_left_ == 0) [[unlikely]]
      find_run();
    --run_left_;
    InputMessage& input = run_front_->channel->next_in_place();
    record.in_place = &input;
    record.kind = run_front_->kind;
    record.correlation = input.message.correlation;
    record.cause = {.edge = input.edge, .number = input.message.number};
  }
  void drop_in_place() { run_front_->channel->drop_next(); }

  /// Whether it runs in every epoch, until it is finished.
  [[nodiscard]] bool is_manual() const { return is_manual_; }
  [[nodiscard]] bool has_timer() const { return has_timer_; }
  /// Whether time alone can make it ready.
  [[nodiscard]] bool has_time_rule() const { return has_time_rule_; }
  void finish() { is_finished_ = true; }
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  /// When time alone makes it ready next; nothing if only messages can.
  [[nodiscard]] std::optional<Duration> next_time() const;
  /// Removes all messages that could be taken; gives how many.
  std::size_t discard_all();
  [[nodiscard]] const std::vector<TriggerInput>& inputs() const { return inputs_; }
  /// Whether an input has something to take.
  [[nodiscard]] static bool has_message(const TriggerInput& input);
  /// The name of the rule that `next_time` waits for.
  [[nodiscard]] std::string_view waiting_rule() const;

 private:
  struct Front {
    Channel* channel = nullptr;
    std::uint32_t edge = 0;
    std::uint32_t input = 0;  // index into inputs_
    std::uint32_t port = 0;   // index among the component's inputs
    EventKind kind = EventKind::kMessage;
  };
  struct MergedFront {
    std::uint64_t arrival = 0;  // of the message in front
    std::uint32_t left = 0;     // messages to take
    std::uint32_t index = 0;    // into plain_
  };

  [[nodiscard]] std::size_t begin_merging(Duration now);
  /// Finds the messages of one channel that come before those of all others.
  void find_run();
  static void take_plain(const Front& front, InvocationRecord& record) {
    InputMessage& added = record.messages.begin_stale();
    front.channel->take_next(added.message);
    added.edge = front.edge;
    added.input = front.port;
    added.is_late = added.is_used_again = false;
    record.kind = front.kind;
    record.cause_arrival = added.message.arrival;
    record.correlation = added.message.correlation;
    record.cause = {.edge = front.edge, .number = added.message.number};
  }
  void collect_timer(TriggerTime time, InvocationList& list);
  void note_arrivals(Duration now);
  void drop_old(Duration now, TriggerNotes& notes);
  void collect_by_type(Duration now, InvocationList& list, TriggerNotes& notes);
  void collect_each(Duration now, InvocationList& list, TriggerNotes& notes);
  void collect_sets(Duration now, InvocationList& list, TriggerNotes& notes);
  void collect_batches(Duration now, InvocationList& list, TriggerNotes& notes);
  void collect_newest(Duration now, InvocationList& list, TriggerNotes& notes);
  void collect_debounced(Duration now, InvocationList& list, TriggerNotes& notes);
  /// Drops fronts until they are close in time; false if one input ran empty.
  bool align_fronts();
  /// Drops or lets pass a front by the rules about event times.
  bool passes(const Message& front);
  [[nodiscard]] Front front_of(std::uint32_t input) const;
  [[nodiscard]] Front earliest(bool only_new) const;
  [[nodiscard]] bool all_present() const;
  [[nodiscard]] bool any_new() const;
  [[nodiscard]] bool may_add(const InvocationList& list) const {
    return !takes_one_ || list.size() == list_begin_;
  }
  void take(const Front& front, InvocationRecord& record, Duration now, TriggerNotes& notes);
  /// Says of the last message of an invocation where it is from; it may be the earliest used up.
  void use_message(const Front& front, InvocationRecord& record, TriggerNotes& notes);
  [[nodiscard]] std::size_t batch_size() const;
  /// Messages that no invocation has had.
  [[nodiscard]] std::size_t count_new() const;
  [[nodiscard]] InvocationRecord& start(InvocationList& list, EventKind kind);
  [[nodiscard]] bool needs_all() const;
  [[nodiscard]] std::optional<Duration> newest_time() const;
  [[nodiscard]] std::optional<Duration> oldest_time() const;

  const std::uint32_t component_;
  const TriggerPlan plan_;
  std::vector<TriggerInput> inputs_;
  TriggerCells& cells_;
  const bool is_injected_;
  const bool is_manual_;
  const bool has_timer_;
  bool has_time_rule_;
  bool is_plain_ = false;        // one invocation per message, channels without rules
  std::vector<Front> plain_;     // the channels then
  const Front* only_ = nullptr;  // of them, if there is one
  std::vector<MergedFront>
      merged_;  // those that have messages beyond the run, while they are taken
  const Front* run_front_ = nullptr;  // whose messages are next
  std::size_t run_left_ = 0;          // how many of them before those of others
  bool has_age_rule_ = false;
  bool is_finished_ = false;
  bool coalesces_ = false;
  bool takes_one_ = false;
  bool is_silenced_ = false;
  std::size_t list_begin_ = 0;
  std::uint64_t timer_count_ = 0;  // how many periods are over
  std::uint64_t arrival_seen_ = 0;
  Duration last_message_{};
  std::optional<Duration> last_invocation_;
  std::optional<Duration> highest_event_time_;
};

}  // namespace millrace::graph
