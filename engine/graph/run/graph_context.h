#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/payload.h"
#include "graph/run/message.h"

namespace millrace::graph {

class BodyServices;
struct InvocationRecord;

/// One message of an invocation.
struct InputMessage {
  Message message = {};
  std::uint32_t edge = kNoIndex;  ///< kNoIndex: injected by the host
  std::uint32_t input = 0;        ///< index among the component's inputs
  bool is_late = false;           ///< older than the edge's `deadline`
  bool is_used_again = false;     ///< a `latched` value that an earlier invocation has had
};

/// Why a body was called.
/// Lifetime: borrows; of use only during the call.
class Invocation {
 public:
  Invocation(const InvocationRecord& record, BodyServices& services)
      : record_(record), services_(services) {}

  [[nodiscard]] EventKind kind() const;
  [[nodiscard]] std::uint64_t epoch() const;
  [[nodiscard]] std::span<const InputMessage> messages() const;
  [[nodiscard]] const Correlation& correlation() const;
  /// Whether the run, or this invocation, should end soon. Asking counts as having observed it.
  [[nodiscard]] bool cancel_requested() const;
  [[nodiscard]] bool stop_requested() const { return cancel_requested(); }

 private:
  const InvocationRecord& record_;
  BodyServices& services_;
};

/// What became of the publications that a component made on a port in its last invocation.
struct PublishReport {
  std::uint32_t committed = 0;
  std::uint32_t refused = 0;
  std::uint32_t dropped = 0;
  std::string edge = {};  ///< the last that refused or dropped; empty if none did
};

struct PublishOptions {
  std::optional<Duration> event_time = {};
};

/// Reads and stages state. Reads see one snapshot during the whole epoch.
class StateAccess {
 public:
  explicit StateAccess(BodyServices& services, InvocationRecord& record)
      : services_(services), record_(record) {}
  /// Becomes visible at the next boundary. One component writes a key; what another one writes to
  /// it is rejected and counted.
  void write(std::string table, std::string key, Payload value);
  [[nodiscard]] std::optional<Payload> read(std::string_view table, std::string_view key) const;

 private:
  BodyServices& services_;
  InvocationRecord& record_;
};

/// What a task sees of the run.
class TaskContext {
 public:
  virtual ~TaskContext() = default;
  /// Takes that long: waits in wall time, moves the clock in virtual time.
  virtual void spend(Duration duration) = 0;
  [[nodiscard]] virtual bool cancel_requested() const = 0;
};

using TaskFunction = std::function<base::Result<Payload>(TaskContext& context)>;

/// What a body may do.
/// Lifetime: of use only during the call.
class GraphContext {
 public:
  GraphContext(BodyServices& services, InvocationRecord& record)
      : services_(services), record_(record) {}
  GraphContext(const GraphContext&) = delete;
  GraphContext& operator=(const GraphContext&) = delete;

  /// Stages a value for all edges of an output; nothing downstream runs now. False if the output
  /// has no edge, or the invocation was abandoned.
  bool publish(std::uint32_t output, Payload value, const PublishOptions& options = {});
  bool publish(std::string_view output, Payload value, const PublishOptions& options = {});
  /// About the invocation before this one.
  [[nodiscard]] PublishReport publish_report(std::string_view output) const;

  [[nodiscard]] std::span<const InputMessage> inputs() const;
  /// Messages of an edge with `readers: multi` that this reader has not read yet, oldest first.
  [[nodiscard]] std::vector<Message> read(std::string_view input, std::string_view reader);
  [[nodiscard]] StateAccess state() { return StateAccess(services_, record_); }
  /// Runs a function on the graph's task executor; its result arrives on the async edges of
  /// `output` in a later epoch. Fails if too many are in flight. A budget of 0 takes the graph's.
  [[nodiscard]] base::Status submit_task(std::string_view output,
                                         TaskFunction function,
                                         Duration budget = {});
  /// Takes that long: waits in wall time, moves the clock in virtual time.
  void spend(Duration duration);
  /// The time at which this invocation began.
  [[nodiscard]] Duration now() const;
  /// A manual or timer component is not invoked any more.
  void finish();
  /// Tells the composite loop how far it is from its solution, and whether this is near enough.
  void report_loop_convergence(std::optional<double> residual, bool is_converged = false);
  [[nodiscard]] bool cancel_requested() const;

  /// Gives a message to the host: a line of `core.stdout` or a value of `core.output`. It is handed
  /// over when the invocation is committed.
  void give_to_host(const InputMessage& input);
  /// Reads a line of standard input; nothing at its end.
  [[nodiscard]] std::optional<std::string> read_line();

 private:
  BodyServices& services_;
  InvocationRecord& record_;
};

}  // namespace millrace::graph
