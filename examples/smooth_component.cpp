// snippet-begin: smooth_component
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <millrace/graph/compile/component_plugin.h>

namespace {

using millrace::base::ErrorCode;
using millrace::base::fail;
using millrace::base::Result;
using millrace::base::Status;
using namespace millrace::graph;  // NOLINT(google-build-using-namespace): an example

class Smooth final : public Component {
 public:
  Status configure(const ComponentSetup& setup) override {
    if (const Payload* weight = setup.config.find_member("weight")) {
      weight_ = weight->find_number().value_or(weight_);
    }
    // The descriptor has checked the type; the range is ours to check.
    if (weight_ > 0 && weight_ <= 1) return {};
    return fail(ErrorCode::kInvalidArgument, "weight must be above 0 and at most 1");
  }

  Status execute(const Invocation& invocation, GraphContext& context) override {
    for (const InputMessage& input : invocation.messages()) {
      const std::optional<double> number = input.message.value.find_number();
      if (!number) {
        return fail(ErrorCode::kInvalidArgument, "Not a number: " + input.message.value.to_json());
      }
      mean_ = mean_ ? *mean_ + weight_ * (*number - *mean_) : *number;
      context.publish("out", Payload(*mean_));
    }
    return {};
  }

  // What survives a restart: given back to `restore` of the next instance.
  Result<std::optional<Payload>> snapshot() override {
    if (!mean_) return std::nullopt;
    return Payload(*mean_);
  }
  Status restore(const Payload& snapshot) override {
    mean_ = snapshot.find_number();
    return {};
  }

 private:
  double weight_ = 0.2;
  std::optional<double> mean_;
};

Status register_smooth(ComponentRegistry& registry) {
  return registry.add({.type = "demo.smooth",
                       .about = "exponential moving average of numbers",
                       .outputs = {{.name = "out"}},
                       .takes_any_input = true,
                       .needs_an_input = true,
                       .config = {{.name = "weight",
                                   .kind = ConfigKind::kNumber,
                                   .about = "of the newest value, above 0 and at most 1",
                                   .default_text = "0.2"}}},
                      [] { return std::make_unique<Smooth>(); });
}

}  // namespace

MR_COMPONENT_PLUGIN("smooth", register_smooth)
// snippet-end: smooth_component
