#include "bridge/plan_component.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/body/body_types.h"
#include "graph/body/component.h"
#include "graph/body/graph_context.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/descriptor.h"
#include "graph/components/config_reading.h"
#include "graph/payload.h"

namespace millrace::bridge {
namespace {

using graph::Payload;
using graph::PayloadKind;
using graph::PayloadMember;

/// The request that a message is: an object as it stands, a number as the id of a user.
base::Result<std::string> request_of(const Payload& message) {
  if (message.kind() == PayloadKind::kObject) return message.to_json();
  if (const auto user = message.find_int()) return base::format(R"({{"user_id":{}}})", *user);
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "A request is an object, or the id of a user: " + message.to_json());
}

/// The response without what differs from run to run, so that a graph gives the same twice.
base::Result<Payload> answer_of(const std::string& response) {
  MR_TRY(const Payload all, Payload::parse(response));
  std::vector<PayloadMember> members;
  for (const PayloadMember& member : all.members()) {
    if (member.name == "took_ms" || member.name == "engine_request_id") continue;
    members.push_back(member);
  }
  return Payload::object(std::move(members));
}

/// `plan`: a ranking plan for each message. A task waits for the answer, so that the graph does
/// not.
class PlanComponent final : public graph::Component {
 public:
  explicit PlanComponent(std::shared_ptr<PlanRunner> plans) : plans_(std::move(plans)) {}

  base::Status configure(const graph::ComponentSetup& setup) override {
    const Payload* const name = setup.config.find_member("name");
    name_ = std::string(name == nullptr ? "" : name->find_text().value_or(""));
    deadline_ = graph::read_duration(setup.config, "deadline", std::chrono::seconds(1));
    return {};
  }
  base::Status activate() override { return plans_->find(name_); }
  base::Status execute(const graph::Invocation& invocation, graph::GraphContext& context) override {
    for (const graph::InputMessage& input : invocation.messages()) {
      MR_TRY(std::string request, request_of(input.message.value));
      const auto rank = [plans = plans_, name = name_, limit = deadline_, request](
                            graph::TaskContext&) -> base::Result<Payload> {
        MR_TRY(const std::string response, plans->rank(name, request, limit));
        return answer_of(response);
      };
      // A refused task is counted by the executor, and the others go on.
      static_cast<void>(context.submit_task("out", rank));
    }
    return {};
  }

 private:
  const std::shared_ptr<PlanRunner> plans_;
  std::string name_;
  base::Duration deadline_{};
};

}  // namespace

base::Status register_plan_component(graph::ComponentRegistry& registry,
                                     std::shared_ptr<PlanRunner> plans) {
  graph::ComponentDescriptor type{
      .type = "plan",
      .about = "runs a ranking plan for each message and publishes the response on an async edge",
      .outputs = {{.name = "out", .payload = "object"}},
      .takes_any_input = true,
      .needs_an_input = true,
      .config = {{.name = "name",
                  .kind = graph::ConfigKind::kText,
                  .about = "name of the plan",
                  .is_required = true},
                 {.name = "deadline",
                  .kind = graph::ConfigKind::kDuration,
                  .about = "for each request",
                  .default_text = "\"1s\""}}};
  if (plans == nullptr) return registry.add(std::move(type));
  return registry.add(std::move(type), [plans] { return std::make_unique<PlanComponent>(plans); });
}

}  // namespace millrace::bridge
