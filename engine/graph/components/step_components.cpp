#include "graph/components/step_components.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/message.h"
#include "graph/components/config_reading.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

PublishOptions same_time(const InputMessage& input) {
  PublishOptions options;
  if (input.message.has_event_time) options.event_time = input.message.event_time;
  return options;
}

/// A component with the output `out`.
class StepComponent : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    output_ = setup.find_output("out");
    return read(setup.config);
  }
  // Whether the fields are good, and which of them may change, says the descriptor.
  base::Status check_update(const Payload&) const override { return {}; }
  base::Status apply_update(const Payload& config) override { return read(config); }

 protected:
  [[nodiscard]] virtual base::Status read(const Payload&) { return {}; }
  void publish(GraphContext& context, Payload value, const PublishOptions& options = {}) const {
    if (output_) context.publish(*output_, std::move(value), options);
  }
  void pass_on(const Invocation& invocation, GraphContext& context) const {
    for (const InputMessage& input : invocation.messages()) {
      publish(context, input.message.value, same_time(input));
    }
  }

 private:
  std::optional<std::uint32_t> output_;
};

/// `core.linear`: value * factor + offset.
class LinearComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      const Payload& value = input.message.value;
      if (!value.is_number()) {
        return base::fail(base::ErrorCode::kInvalidArgument,
                          base::format("Not a number: {}", value.to_json()));
      }
      publish(context, compute(value), same_time(input));
    }
    return {};
  }

 private:
  base::Status read(const Payload& config) override {
    const Payload* factor = config.find_member("factor");
    const Payload* offset = config.find_member("offset");
    factor_ = factor == nullptr ? Payload(std::int64_t{1}) : *factor;
    offset_ = offset == nullptr ? Payload(std::int64_t{0}) : *offset;
    return {};
  }

  [[nodiscard]] Payload compute(const Payload& value) const {
    const auto integer = value.find_int();
    const auto factor = factor_.find_int();
    const auto offset = offset_.find_int();
    std::int64_t product = 0;
    std::int64_t sum = 0;
    // What 64 bits cannot hold becomes a float.
    if (integer && factor && offset && !__builtin_mul_overflow(*integer, *factor, &product) &&
        !__builtin_add_overflow(product, *offset, &sum)) {
      return Payload(sum);
    }
    return Payload(*value.find_number() * *factor_.find_number() + *offset_.find_number());
  }

  Payload factor_;
  Payload offset_;
};

/// `core.collect`: one array of the values of an invocation.
class CollectComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    std::vector<Payload> items;
    for (const InputMessage& input : invocation.messages()) items.push_back(input.message.value);
    Payload all = Payload::array(std::move(items));
    if (all.depth() > kPayloadDepthMax) {
      return base::fail(base::ErrorCode::kResourceExhausted,
                        base::format("Arrays are nested more than {} deep", kPayloadDepthMax));
    }
    publish(context, std::move(all));
    return {};
  }
};

/// `core.spend`: takes time, then passes on.
class SpendComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    context.spend(next_cost(), is_busy_);
    static_cast<void>(context.cancel_requested());
    pass_on(invocation, context);
    return {};
  }

 private:
  /// Counts calls only if that matters: workers of a pool would pass the counter to each other.
  Duration next_cost() {
    if (costs_.size() == 1) return costs_.front();
    const std::size_t call = calls_.fetch_add(1, std::memory_order_relaxed);
    return costs_[std::min(call, costs_.size() - 1)];
  }
  base::Status read(const Payload& config) override {
    costs_ = read_durations(config, "costs");
    if (costs_.empty()) costs_.push_back(read_duration(config, "cost"));
    const Payload* busy = config.find_member("busy");
    is_busy_ = busy != nullptr && busy->find_bool().value_or(false);
    return {};
  }

  std::vector<Duration> costs_;
  bool is_busy_ = false;
  // Gives each call its number; publishes nothing.
  std::atomic<std::size_t> calls_{0};
};

/// `core.fail`: fails at the given calls, else passes on.
class FailComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    const std::int64_t call = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (fail_at_.contains(call)) {
      return base::fail(base::ErrorCode::kNodeFailed, "failed as configured");
    }
    pass_on(invocation, context);
    return {};
  }

 private:
  base::Status read(const Payload& config) override {
    fail_at_.clear();
    if (const Payload* calls = config.find_member("fail_at")) {
      for (const Payload& call : calls->items()) fail_at_.insert(call.find_int().value_or(0));
    }
    return {};
  }

  std::set<std::int64_t> fail_at_;
  // Gives each call its number; publishes nothing.
  std::atomic<std::int64_t> calls_{0};
};

/// `core.relax`: x approaches the target.
class RelaxComponent final : public StepComponent {
 public:
  base::Status restore(const Payload& snapshot) override {
    if (!snapshot.is_number()) {
      return base::fail(base::ErrorCode::kInvalidArgument, "Not the state of a core.relax");
    }
    const base::MutexLock lock(mutex_);
    x_ = *snapshot.find_number();
    return {};
  }
  base::Status execute(const Invocation&, GraphContext& context) override {
    double x = 0;
    double residual = 0;
    {
      const base::MutexLock lock(mutex_);
      x_ += gain_ * (target_ - x_);
      x = x_;
      residual = std::abs(target_ - x);
    }
    context.report_loop_convergence(residual);
    publish(context, Payload(x));
    return {};
  }
  base::Result<std::optional<Payload>> snapshot() override {
    const base::MutexLock lock(mutex_);
    return Payload(x_);
  }
  base::Status apply_update(const Payload& config) override {
    const base::MutexLock lock(mutex_);
    read_way(config);
    return {};
  }

 private:
  base::Status read(const Payload& config) override {
    const base::MutexLock lock(mutex_);
    x_ = read_number(config, "start", 0);
    read_way(config);
    return {};
  }
  void read_way(const Payload& config) MR_REQUIRES(mutex_) {
    target_ = read_number(config, "target", 0);
    gain_ = read_number(config, "gain", .5);
  }

  base::Mutex mutex_;
  double target_ MR_GUARDED_BY(mutex_) = 0;
  double gain_ MR_GUARDED_BY(mutex_) = .5;
  double x_ MR_GUARDED_BY(mutex_) = 0;
};

/// `core.task`: a task per message gives the value back.
class TaskComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      // A refused task is counted by the executor, and the others go on.
      static_cast<void>(context.submit_task("out",
                                            [delay = delay_, value = input.message.value](
                                                TaskContext& task) -> base::Result<Payload> {
                                              task.spend(delay);
                                              return value;
                                            }));
    }
    return {};
  }

 private:
  base::Status read(const Payload& config) override {
    delay_ = read_duration(config, "delay");
    return {};
  }

  Duration delay_{};
};

/// `core.meter`: messages per second over a window that ends now.
class MeterComponent final : public StepComponent {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    double rate = 0;
    {
      const base::MutexLock lock(mutex_);
      const std::size_t count = invocation.messages().size();
      total_ += count;
      if (count > 0) seen_.push_back({context.now(), count});
      while (!seen_.empty() && seen_.front().at <= context.now() - window_) {
        total_ -= seen_.front().count;
        seen_.pop_front();
      }
      rate = static_cast<double>(total_) / std::chrono::duration<double>(window_).count();
    }
    publish(context, Payload(rate));
    return {};
  }

 private:
  struct Seen {
    Duration at;
    std::size_t count;
  };

  base::Status read(const Payload& config) override {
    const Duration window = read_duration(config, "window", std::chrono::seconds(1));
    if (window <= Duration::zero()) {
      return base::fail(base::ErrorCode::kInvalidArgument, "The window must be longer than 0");
    }
    window_ = window;
    return {};
  }

  Duration window_{};
  base::Mutex mutex_;
  std::deque<Seen> seen_ MR_GUARDED_BY(mutex_);
  std::size_t total_ MR_GUARDED_BY(mutex_) = 0;
};

}  // namespace

ComponentFactory step_factory(std::string_view type) {
  if (type == "core.linear") return [] { return std::make_unique<LinearComponent>(); };
  if (type == "core.collect") return [] { return std::make_unique<CollectComponent>(); };
  if (type == "core.spend") return [] { return std::make_unique<SpendComponent>(); };
  if (type == "core.fail") return [] { return std::make_unique<FailComponent>(); };
  if (type == "core.relax") return [] { return std::make_unique<RelaxComponent>(); };
  if (type == "core.task") return [] { return std::make_unique<TaskComponent>(); };
  if (type == "core.meter") return [] { return std::make_unique<MeterComponent>(); };
  return {};
}

}  // namespace millrace::graph
