#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace millrace::runtime {

class Topology;

/// Where the value of a replaceable node waits until it is committed, and the door through which
/// its body reads the context: once, before it works.
///
///   open ──try_begin_reading()──► reading ──end_reading()──► read
///     └────────close_input()────► closed
///
/// Invariant: after `close_input` the body neither reads nor will read the context, so nodes that
/// run because of a fallback may change it.
///
/// Threading: the value belongs to the thread that runs the node's body, then to the one that
/// commits it; the door is for any thread. Lifetime: with its run object, used again by each run.
class StagedValue {
 public:
  StagedValue() = default;
  StagedValue(const StagedValue&) = delete;
  StagedValue& operator=(const StagedValue&) = delete;
  virtual ~StagedValue() = default;

  /// False: the node was given up before its body began, and the context belongs to others.
  [[nodiscard]] bool try_begin_reading() {
    Door expected = Door::kOpen;
    return door_.compare_exchange_strong(expected, Door::kReading, std::memory_order_acquire);
  }
  void end_reading() { door_.store(Door::kRead, std::memory_order_release); }
  /// Keeps the body from reading. Waits if it is reading just now: a body copies its input there
  /// and does nothing else.
  void close_input();

  /// Destroys the value and opens the door again. Only between two runs.
  void reset() {
    drop_value();
    door_.store(Door::kOpen, std::memory_order_relaxed);
  }

 protected:
  virtual void drop_value() = 0;

 private:
  enum class Door : std::uint8_t { kOpen, kReading, kRead, kClosed };

  // `end_reading` publishes that the body's reads are over to whoever closes the door.
  std::atomic<Door> door_{Door::kOpen};
};

/// A staged value of type `Value`.
template <class Value>
class TypedStagedValue final : public StagedValue {
 public:
  [[nodiscard]] static std::unique_ptr<StagedValue> make() {
    return std::make_unique<TypedStagedValue>();
  }
  void put(Value value) { value_ = std::move(value); }
  /// Gives the value away. There must be one.
  [[nodiscard]] Value take() {
    Value taken = *std::move(value_);
    value_.reset();
    return taken;
  }

 private:
  void drop_value() override { value_.reset(); }

  std::optional<Value> value_;
};

/// The staged values of one run object, by node.
class StagedValues {
 public:
  explicit StagedValues(const Topology& topology);

  /// Only for nodes that stage a value.
  [[nodiscard]] StagedValue& at(std::uint32_t node) const;
  /// Makes all as new. Only when no body of the run is under way.
  void reset() {
    for (StagedValue* const value : in_use_) value->reset();
  }

 private:
  std::vector<std::unique_ptr<StagedValue>> by_node_;  // empty if no node stages a value
  std::vector<StagedValue*> in_use_;
};

}  // namespace millrace::runtime
