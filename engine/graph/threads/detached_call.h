#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/body_services.h"
#include "graph/body/component.h"
#include "graph/body/invocation_record.h"

namespace millrace::graph {

/// A call of a body that can be given up. It owns all that the body can reach: the component, a
/// copy of the record, and a door to the run that is shut when nobody waits for the call any more.
/// So a body that hangs can outlive its run.
///
/// Threading: `execute` by the thread of the body; `abandon` and `close` by any thread.
/// Lifetime: shared by the thread of the body and the run. `services` must live until `close`.
class DetachedCall final : public BodyServices {
 public:
  DetachedCall(BodyServices& services,
               std::shared_ptr<Component> instance,
               const InvocationRecord& record);

  /// Calls the body. True: it ended in time, and `record` has what it did. False: it was given up,
  /// and the caller must touch nothing of the run.
  [[nodiscard]] bool execute();
  [[nodiscard]] InvocationRecord& record() { return record_; }
  [[nodiscard]] const std::shared_ptr<Component>& instance() const { return instance_; }

  /// Gives the call up, unless it has ended: then gives false.
  [[nodiscard]] bool abandon() MR_EXCLUDES(mutex_);
  /// What the run does once the call was given up; set before `execute`.
  std::function<void(const std::shared_ptr<DetachedCall>&)> on_abandoned;
  /// Nothing of the run is used after this.
  void close() MR_EXCLUDES(mutex_);

  // What the body asks for. Of a call that was given up only late publications reach the run.
  [[nodiscard]] std::uint32_t find_output(std::uint32_t component,
                                          std::string_view name) const override;
  [[nodiscard]] PublishReport publish_report(std::uint32_t component,
                                             std::string_view output) const override;
  [[nodiscard]] bool cancel_requested(const InvocationRecord& record) const override;
  void note_late_publish(const InvocationRecord& record) override;
  void note_return(const InvocationRecord& record, const Component* instance) override;
  void spend(InvocationRecord& record, Duration duration, bool is_busy) override;
  [[nodiscard]] base::Status submit_task(InvocationRecord& record,
                                         std::string_view output,
                                         TaskFunction function,
                                         Duration budget) override;
  [[nodiscard]] base::Result<Payload> ask(
      InvocationRecord& record, const std::function<base::Result<Payload>()>& question) override;
  [[nodiscard]] std::optional<std::string> read_line(InvocationRecord& record) override;
  [[nodiscard]] std::optional<Payload> read_state(const InvocationRecord& record,
                                                  std::string_view table,
                                                  std::string_view key) const override;
  [[nodiscard]] std::vector<Message> read_channel(const InvocationRecord& record,
                                                  std::string_view input,
                                                  std::string_view reader) override;

 private:
  enum class State : std::uint8_t { kRunning, kEnded, kAbandoned };

  [[nodiscard]] bool is_open() const MR_REQUIRES(mutex_) {
    return services_ != nullptr && state_ == State::kRunning;
  }

  const std::shared_ptr<Component> instance_;
  InvocationRecord record_;
  mutable base::Mutex mutex_;
  BodyServices* services_ MR_GUARDED_BY(mutex_);
  State state_ MR_GUARDED_BY(mutex_) = State::kRunning;
};

/// Waits, or keeps the processor busy, for that long on the machine's clock.
void take_time(Duration duration, bool is_busy);

}  // namespace millrace::graph
