#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/body/body_types.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

class BodyServices;
struct InvocationRecord;

/// Why a body was called.
/// Lifetime: borrows; of use only during the call.
class Invocation {
 public:
  Invocation(const InvocationRecord& record,
             std::span<const InputMessage> messages,
             BodyServices& services)
      : record_(record), messages_(messages), services_(services) {}

  [[nodiscard]] EventKind kind() const;
  [[nodiscard]] std::uint64_t epoch() const;
  [[nodiscard]] std::span<const InputMessage> messages() const { return messages_; }
  [[nodiscard]] const Correlation& correlation() const;
  /// Whether the run, or this invocation, should end soon. Asking counts as having observed it.
  [[nodiscard]] bool cancel_requested() const;
  [[nodiscard]] bool stop_requested() const { return cancel_requested(); }

 private:
  const InvocationRecord& record_;
  const std::span<const InputMessage> messages_;
  BodyServices& services_;
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
  /// Calls a function that asks something outside the graph (a file, a server, chance) and gives
  /// what it answers. Bodies that ask in this way can be recorded and replayed: a replay takes the
  /// answer from the record and does not call the function.
  [[nodiscard]] base::Result<Payload> ask(const std::function<base::Result<Payload>()>& question);
  /// Takes that long: waits in wall time, or keeps the processor busy; moves the clock in virtual
  /// time.
  void spend(Duration duration, bool is_busy = false);
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
