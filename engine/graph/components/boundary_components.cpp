#include "graph/components/boundary_components.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/body/message.h"
#include "graph/components/config_reading.h"
#include "graph/format/duration_text.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

/// `core.counter`: the next integers.
class CounterComponent final : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    next_ = static_cast<std::uint64_t>(read_int(setup.config, "start", 1));
    output_ = setup.find_output("out");
    return apply_update(setup.config);
  }
  base::Status check_update(const Payload&) const override { return {}; }
  base::Status apply_update(const Payload& config) override {
    count_ = static_cast<std::uint64_t>(read_int(config, "count", 0));
    per_invocation_ = read_int(config, "per_invocation", 1);
    step_ = static_cast<std::uint64_t>(read_int(config, "step", 1));
    return {};
  }
  base::Status restore(const Payload& snapshot) override {
    const Payload* next = snapshot.find_member("next");
    const Payload* given = snapshot.find_member("given");
    if (next == nullptr || given == nullptr || !next->find_int() || !given->find_int()) {
      return base::fail(base::ErrorCode::kInvalidArgument, "Not the state of a core.counter");
    }
    next_ = static_cast<std::uint64_t>(*next->find_int());
    given_ = static_cast<std::uint64_t>(*given->find_int());
    return {};
  }
  base::Status execute(const Invocation&, GraphContext& context) override {
    for (std::int64_t i = 0; i < per_invocation_ && !is_finished(); ++i) {
      if (output_) context.publish(*output_, Payload(static_cast<std::int64_t>(next_)));
      next_ += step_;
      ++given_;
    }
    if (is_finished()) context.finish();
    return {};
  }
  base::Result<std::optional<Payload>> snapshot() override {
    return Payload::object(
        {{.name = "next", .value = Payload(static_cast<std::int64_t>(next_))},
         {.name = "given", .value = Payload(static_cast<std::int64_t>(given_))}});
  }

 private:
  [[nodiscard]] bool is_finished() const { return count_ > 0 && given_ >= count_; }

  std::uint64_t count_ = 0;
  std::int64_t per_invocation_ = 1;
  // Unsigned, so that counting past the largest integer goes on at the smallest.
  std::uint64_t next_ = 1;
  std::uint64_t step_ = 1;
  std::uint64_t given_ = 0;
  std::optional<std::uint32_t> output_;
};

/// `core.values`: given values, with event timestamps if there are any.
class ValuesComponent final : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    if (const Payload* values = setup.config.find_member("values")) {
      values_.assign(values->items().begin(), values->items().end());
    }
    if (const Payload* times = setup.config.find_member("timestamps_ms")) {
      for (const Payload& time : times->items()) {
        times_.push_back(from_milliseconds(time.find_int().value_or(0)));
      }
    }
    output_ = setup.find_output("out");
    return apply_update(setup.config);
  }
  base::Status check_update(const Payload&) const override { return {}; }
  base::Status apply_update(const Payload& config) override {
    per_invocation_ = read_int(config, "per_invocation", 1);
    return {};
  }
  base::Status execute(const Invocation&, GraphContext& context) override {
    for (std::int64_t i = 0; i < per_invocation_ && next_ < values_.size(); ++i, ++next_) {
      PublishOptions options;
      if (next_ < times_.size()) options.event_time = times_[next_];
      if (output_) context.publish(*output_, values_[next_], options);
    }
    if (next_ == values_.size()) context.finish();
    return {};
  }

 private:
  std::vector<Payload> values_;
  std::vector<Duration> times_;
  std::int64_t per_invocation_ = 1;
  std::size_t next_ = 0;
  std::optional<std::uint32_t> output_;
};

/// `core.input`: what the host gives.
class InputComponent final : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    output_ = setup.find_output("out");
    return {};
  }
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      PublishOptions options;
      if (input.message.has_event_time) options.event_time = input.message.event_time;
      if (output_) context.publish(*output_, input.message.value, options);
    }
    return {};
  }

 private:
  std::optional<std::uint32_t> output_;
};

/// `core.stdin`: one JSON value per line.
class StdinComponent final : public Component {
 public:
  base::Status execute(const Invocation&, GraphContext& context) override {
    while (auto line = context.read_line()) {
      ++line_;
      if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
      auto value = Payload::parse(*line);
      if (!value) {
        return base::fail(base::ErrorCode::kInvalidArgument,
                          base::format("Line {}: {}", line_, value.error().message()));
      }
      context.publish("out", *std::move(value));
      return {};
    }
    context.finish();
    return {};
  }

 private:
  std::uint64_t line_ = 0;
};

/// `core.output` and `core.stdout`: every message goes to the host.
class OutputComponent final : public Component {
 public:
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) context.give_to_host(input);
    return {};
  }
};

/// `core.table`: messages become entries of a state table.
class TableComponent final : public Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    const Payload* table = setup.config.find_member("table");
    if (table != nullptr) table_ = std::string(table->find_text().value_or(""));
    if (const Payload* name = setup.config.find_member("key"); name != nullptr) {
      key_ = std::string(name->find_text().value_or(""));
    }
    return {};
  }
  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    StateAccess state = context.state();
    for (const InputMessage& input : invocation.messages()) {
      const Payload& value = input.message.value;
      if (key_) {
        state.write(table_, *key_, value);
        continue;
      }
      if (value.kind() != PayloadKind::kObject) {
        return base::fail(base::ErrorCode::kInvalidArgument,
                          base::format("Not an object: {}", value.to_json()));
      }
      const Payload* key = value.find_member("key");
      const Payload* entry = value.find_member("value");
      if (key != nullptr && entry != nullptr && key->find_text() && value.members().size() == 2) {
        state.write(table_, std::string(*key->find_text()), *entry);
        continue;
      }
      for (const PayloadMember& member : value.members()) {
        state.write(table_, member.name, member.value);
      }
    }
    return {};
  }

 private:
  std::string table_;
  std::optional<std::string> key_;
};

}  // namespace

ComponentFactory boundary_factory(std::string_view type) {
  if (type == "core.counter") return [] { return std::make_unique<CounterComponent>(); };
  if (type == "core.values") return [] { return std::make_unique<ValuesComponent>(); };
  if (type == "core.input") return [] { return std::make_unique<InputComponent>(); };
  if (type == "core.stdin") return [] { return std::make_unique<StdinComponent>(); };
  if (type == "core.output") return [] { return std::make_unique<OutputComponent>(); };
  if (type == "core.stdout") return [] { return std::make_unique<OutputComponent>(); };
  if (type == "core.table") return [] { return std::make_unique<TableComponent>(); };
  return {};
}

}  // namespace millrace::graph
