#include "bridge/expression_components.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "bridge/payload_expression.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/payload.h"
#include "rows/column.h"

namespace millrace::bridge {
namespace {

using graph::ComponentSetup;
using graph::GraphContext;
using graph::InputMessage;
using graph::Invocation;
using graph::Payload;
using graph::PayloadKind;
using graph::PayloadMember;

std::string read_text(const Payload& config, std::string_view name) {
  const Payload* value = config.find_member(name);
  return value == nullptr ? std::string() : std::string(value->find_text().value_or(""));
}

/// Says for which message the expression has no value.
base::Status name_message(const base::Error& error, const Payload& message) {
  std::string shown = message.to_json();
  constexpr std::size_t kShownMax = 200;
  if (shown.size() > kShownMax) shown.replace(kShownMax, std::string::npos, "...");
  return base::fail(error.code(), base::format("{} (message {})", error.message(), shown));
}

graph::PublishOptions same_time(const InputMessage& input) {
  graph::PublishOptions options;
  if (input.message.has_event_time) options.event_time = input.message.event_time;
  return options;
}

/// `core.map`: what an expression gives for each message.
class MapComponent final : public graph::Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    MR_TRY(expression_, PayloadExpression::make(read_text(setup.config, "expr")));
    into_ = read_text(setup.config, "into");
    output_ = setup.find_output("out");
    return {};
  }

  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      const Payload& message = input.message.value;
      auto value = expression_->evaluate(message, context.now());
      if (!value) return name_message(value.error(), message);
      if (!into_.empty()) {
        if (message.kind() != PayloadKind::kObject) {
          return base::fail(
              base::ErrorCode::kInvalidArgument,
              base::format("'into' needs messages that are objects: {}", message.to_json()));
        }
        *value = with_member(message, *std::move(value));
      }
      if (output_) context.publish(*output_, *std::move(value), same_time(input));
    }
    return {};
  }

 private:
  [[nodiscard]] Payload with_member(const Payload& message, Payload value) const {
    std::vector<PayloadMember> members(message.members().begin(), message.members().end());
    for (PayloadMember& member : members) {
      if (member.name != into_) continue;
      member.value = std::move(value);
      return Payload::object(std::move(members));
    }
    members.push_back({.name = into_, .value = std::move(value)});
    return Payload::object(std::move(members));
  }

  std::optional<PayloadExpression> expression_;
  std::string into_;
  std::optional<std::uint32_t> output_;
};

/// `core.filter`: passes on the messages for which a predicate is true.
class FilterComponent final : public graph::Component {
 public:
  base::Status configure(const ComponentSetup& setup) override {
    MR_TRY(predicate_,
           PayloadExpression::make(read_text(setup.config, "pred"), rows::ColumnType::kBool));
    output_ = setup.find_output("out");
    return {};
  }

  base::Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      const auto verdict = predicate_->evaluate(input.message.value, context.now());
      if (!verdict) return name_message(verdict.error(), input.message.value);
      const bool is_kept = verdict->find_bool() == true;
      if (is_kept && output_) context.publish(*output_, input.message.value, same_time(input));
    }
    return {};
  }

 private:
  std::optional<PayloadExpression> predicate_;
  std::optional<std::uint32_t> output_;
};

graph::ComponentDescriptor step(std::string type, std::string about) {
  return {.type = std::move(type),
          .about = std::move(about),
          .outputs = {{.name = "out"}},
          .takes_any_input = true,
          .needs_an_input = true};
}

}  // namespace

base::Status register_expression_components(graph::ComponentRegistry& registry) {
  graph::ComponentDescriptor map =
      step("core.map", "publishes what an expression gives for each message");
  map.config = {{.name = "expr",
                 .kind = graph::ConfigKind::kText,
                 .about = "expression over the members of a message, or over value",
                 .is_required = true,
                 .find_fault = &find_expression_fault},
                {.name = "into",
                 .kind = graph::ConfigKind::kText,
                 .about = "member of the message that gets the value; without it the value alone "
                          "is published"}};
  MR_TRY_STATUS(registry.add(std::move(map), [] { return std::make_unique<MapComponent>(); }));
  graph::ComponentDescriptor filter =
      step("core.filter", "passes on the messages for which a predicate is true");
  filter.config = {{.name = "pred",
                    .kind = graph::ConfigKind::kText,
                    .about = "predicate over the members of a message, or over value",
                    .is_required = true,
                    .find_fault = &find_expression_fault}};
  return registry.add(std::move(filter), [] { return std::make_unique<FilterComponent>(); });
}

}  // namespace millrace::bridge
