#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/format/spec.h"
#include "reference_body.h"
#include "reference_channel.h"
#include "reference_plan.h"
#include "reference_run.h"
#include "reference_trigger.h"

// The state of a run of the reference interpreter, and the steps that an epoch is made of.

namespace millrace::graph_reference {

struct ComponentState {
  Body body;
  TriggerState trigger = {};
  bool is_finished = false;
  bool is_isolated = false;
  std::optional<Duration> down_until = {};  ///< a new instance waits for its backoff
  std::vector<Duration> failures = {};
  std::int64_t root_count = 0;
  std::deque<std::string> injected = {};
};

struct DomainState {
  std::int64_t epoch = 0;
  bool is_busy = false;
  Duration begin{};
  Duration end{};
  Duration next{};  ///< of a grid: when the next tick begins, and the slot that it stands for
  Duration slot{};
  bool is_catching_up = false;  ///< that tick makes up for a slot; it is not made up for again
  std::vector<std::pair<std::size_t, Message>> outbox = {};  ///< edges and what leaves on them
};

/// One executed invocation.
struct Done {
  std::size_t component = 0;
  BodyResult result = {};
  Duration end{};
  std::string correlation = {};
  std::vector<OutputLine> lines = {};  ///< printed when the stage is committed
  bool is_discarded = false;           ///< it failed and the run goes on
};

struct Failure {
  std::string component;
  std::string code;
};

struct TaskResult {
  Duration at{};
  std::size_t component = 0;
  Message message = {};
};

/// Threading: not shared. Lifetime: borrows the file.
class World {
 public:
  explicit World(const graph::GraphSpec& spec);

  /// Runs one epoch of a domain from its boundary to its end; what leaves waits for `leave`.
  void run_epoch(std::size_t domain, Duration begin);
  /// Ends the epoch: its deferred publications leave, and the pace is told.
  void leave(std::size_t domain);
  /// Gives when something can next happen in a domain without input from outside, not before
  /// `now`.
  [[nodiscard]] std::optional<Duration> find_wake(std::size_t domain, Duration now);
  void deliver(const TaskResult& task);
  /// Writes down what was counted.
  void finish(Outcome& outcome) const;

  Plan plan;
  std::vector<ComponentState> components;
  std::vector<Channel> channels;
  std::vector<DomainState> domains;
  std::vector<TaskResult> tasks;  ///< not delivered yet
  std::optional<Failure> failure;
  Outcome outcome;

 private:
  friend class LoopRun;

  void show_arrived(std::size_t domain);
  void run_stage(std::size_t domain, const std::vector<std::size_t>& regions);
  std::vector<Done> run_pools(std::size_t domain,
                              const std::vector<std::size_t>& regions,
                              Duration& end);
  std::vector<Done> run_on_thread(std::size_t domain,
                                  const std::vector<std::size_t>& regions,
                                  Duration& time);
  std::vector<Done> run_loop(std::size_t region, Duration& time);
  [[nodiscard]] std::vector<Firing> collect(std::size_t component, Duration now);
  void discard_input(std::size_t component);
  Done execute(std::size_t component, const Firing& firing, Duration begin);
  void handle_failure(std::size_t component, Done& done);
  void submit_tasks(std::size_t component, const Done& done);
  enum class Part : std::uint8_t { kAll, kInsideLoop, kOutsideLoop };
  void commit(const Done& done, Part part);
  void commit_one(const Done& done, const Publication& publication, Part part);
  [[nodiscard]] bool is_on_pool(const PlannedRegion& region) const;
  [[nodiscard]] Ports ports_of(std::size_t component);
  void fail(std::size_t component, const std::string& code);
  void count(const std::string& name, const std::string& label, double value);
  void count_most(const std::string& name, const std::string& label, double value);
  void end_tick(std::size_t domain);

  std::uint64_t arrival_count_ = 0;
  std::map<std::size_t, std::uint64_t> dispatch_counts_;               // by lane
  std::vector<Duration> task_workers_;                                 // when each is free
  std::map<std::pair<std::string, std::string>, std::size_t> owners_;  // of keys of tables
};

}  // namespace millrace::graph_reference
