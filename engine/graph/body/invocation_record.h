#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/body/body_types.h"
#include "graph/body/message.h"
#include "graph/payload.h"

namespace millrace::graph {

struct StagedPublication {
  Payload value;
  Duration event_time{};
  std::uint32_t output = 0;
  bool has_event_time = false;
};

struct StagedWrite {
  std::string table;
  std::string key;
  Payload value;
};

/// One invocation: what it was given, and what it wants to do once it is committed. Records are
/// used again, so that invocations do not allocate.
struct InvocationRecord {
  std::uint32_t component = 0;
  std::uint32_t worker = kNoIndex;
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
  std::uint64_t epoch = 0;
  Duration begin{};
  Duration spent{};
  Correlation correlation = {};
  MessageId cause = {};
  std::uint64_t cause_arrival = UINT64_MAX;
  std::optional<double> residual = {};
  std::vector<InputMessage> messages = {};
  std::vector<StagedPublication> published = {};
  std::vector<InputMessage> for_host = {};
  std::vector<StagedWrite> writes = {};
  std::optional<base::Error> error = {};

  [[nodiscard]] Duration end() const { return begin + spent; }

  void reset(std::uint32_t new_component, EventKind new_kind) {
    component = new_component;
    kind = new_kind;
    worker = kNoIndex;
    has_run = is_rejected = wants_finish = is_root = is_abandoned = is_converged = was_reported =
        was_cancelled = observed_cancel = false;
    begin = spent = Duration::zero();
    correlation = {};
    cause = {};
    cause_arrival = UINT64_MAX;
    residual.reset();
    messages.clear();
    published.clear();
    if (!for_host.empty()) for_host.clear();
    if (!writes.empty()) writes.clear();
    if (error) error.reset();
  }
};

/// Records of one stage, in order of collection. Keeps them for the next one.
/// Threading: not shared.
class InvocationList {
 public:
  InvocationRecord& add(std::uint32_t component, EventKind kind) {
    if (used_ == records_.size()) records_.push_back(std::make_unique<InvocationRecord>());
    InvocationRecord& record = *records_[used_++];
    record.reset(component, kind);
    return record;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] InvocationRecord& operator[](std::size_t index) { return *records_[index]; }
  void clear() { used_ = 0; }

 private:
  std::vector<std::unique_ptr<InvocationRecord>> records_;
  std::size_t used_ = 0;
};

}  // namespace millrace::graph
