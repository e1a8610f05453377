#include "graph/compile/component_checks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "graph/compile/config_check.h"
#include "graph/compile/descriptor.h"
#include "graph/compile/links.h"
#include "graph/format/diagnostic.h"
#include "graph/format/reporter.h"
#include "graph/format/spec.h"

namespace millrace::graph {
namespace {

const InputPort* find_input(const ComponentDescriptor& type, std::string_view name) {
  const auto found = std::ranges::find(type.inputs, name, &InputPort::name);
  return found == type.inputs.end() ? nullptr : &*found;
}

const OutputPort* find_output(const ComponentDescriptor& type, std::string_view name) {
  const auto found = std::ranges::find(type.outputs, name, &OutputPort::name);
  return found == type.outputs.end() ? nullptr : &*found;
}

/// Gives the payload type of an input, or nothing if the type has no such input.
std::optional<std::string_view> find_input_payload(const ComponentDescriptor& type,
                                                   std::string_view name) {
  if (const InputPort* port = find_input(type, name)) return port->payload;
  if (type.takes_any_input) return type.any_input_payload;
  return std::nullopt;
}

class ComponentChecker {
 public:
  ComponentChecker(const CheckContext& context, const Links& links)
      : spec_(context.spec), links_(links), reporter_(context.reporter) {}

  void run() {
    for (const LinkedEdge& edge : links_.edges) check_edge(edge);
    for (std::uint32_t i = 0; i < links_.components.size(); ++i) {
      const ComponentDescriptor* type = links_.components[i].type;
      if (type == nullptr) continue;
      check_inputs(i, *type);
      check_boundary(spec_.components[i], *type);
      check_config(spec_.components[i], *type, reporter_);
    }
    check_graph_boundaries();
  }

 private:
  void check_edge(const LinkedEdge& edge) {
    const EdgeSpec& spec = spec_.edges[edge.spec_index];
    const ComponentDescriptor* from = links_.components[edge.from].type;
    const ComponentDescriptor* to = links_.components[edge.to].type;
    const OutputPort* output = from == nullptr ? nullptr : find_output(*from, edge.from_port);
    if (from != nullptr && output == nullptr) {
      report_port(
          spec, "from", base::format("'{}' has no output '{}'", from->type, edge.from_port));
    }
    if (to == nullptr) return;
    const auto payload = find_input_payload(*to, edge.to_port);
    if (!payload) {
      return report_port(
          spec, "to", base::format("'{}' has no input '{}'", to->type, edge.to_port));
    }
    const std::optional<base::JsonValue>& config = spec_.components[edge.to].config;
    const bool takes_all = config && !to->any_payload_with.empty() &&
                           config->find_member(to->any_payload_with).has_value();
    if (output != nullptr && !takes_all && !payload_fits(output->payload, *payload)) {
      reporter_.at_member(
          DiagnosticCode::kPayloadTypeMismatch,
          spec.source,
          "to",
          base::format(
              "'{}' publishes {}, '{}' takes {}", spec.from, output->payload, spec.to, *payload));
    }
  }

  void report_port(const EdgeSpec& edge, std::string_view field, std::string message) {
    reporter_.at_member(DiagnosticCode::kUnknownPort, edge.source, field, std::move(message));
  }

  void check_inputs(std::uint32_t index, const ComponentDescriptor& type) {
    const ComponentSpec& spec = spec_.components[index];
    const LinkedComponent& component = links_.components[index];
    for (const InputPort& port : type.inputs) {
      std::size_t count = 0;
      for (const std::uint32_t edge : component.in) {
        if (links_.edges[edge].to_port != port.name) continue;
        if (++count == 2 && port.is_single) {
          reporter_.at_member(
              DiagnosticCode::kPortMultiplicity,
              spec_.edges[links_.edges[edge].spec_index].source,
              "to",
              base::format("Input '{}' of '{}' takes one edge", port.name, spec.id));
        }
      }
      if (count > 0 || !links_.has_all_edges) continue;
      if (port.is_required) {
        report_unconnected(DiagnosticCode::kMissingRequiredInput, spec, port.name);
      } else {
        report_unconnected(DiagnosticCode::kOptionalInputUnconnected, spec, port.name);
      }
    }
    if (type.needs_an_input && component.in.empty() && links_.has_all_edges) {
      reporter_.at_value(DiagnosticCode::kMissingRequiredInput,
                         *spec.source,
                         base::format("Component '{}' has no input", spec.id));
    }
  }

  void report_unconnected(DiagnosticCode code, const ComponentSpec& spec, std::string_view port) {
    reporter_.at_value(
        code, *spec.source, base::format("Input '{}' of '{}' has no edge", port, spec.id));
  }

  void check_boundary(const ComponentSpec& spec, const ComponentDescriptor& type) {
    const auto& source = spec.boundary.source;
    if (!source) return;
    if (source->find_member("role") && spec.boundary.role != type.role) {
      reporter_.at_member(DiagnosticCode::kBoundaryRoleMismatch,
                          source,
                          "role",
                          base::format("The role of '{}' is {}, not {}",
                                       type.type,
                                       to_string(type.role),
                                       to_string(spec.boundary.role)));
    }
    if (spec.boundary.max_age > Duration::zero() && type.role != BoundaryRole::kOutput) {
      const bool has_unit = source->find_member("max_age").has_value();
      reporter_.at_key(DiagnosticCode::kFieldNotApplicable,
                       *source->find_member(has_unit ? "max_age" : "max_age_ms"),
                       "max_age applies to outputs only");
    }
  }

  void check_graph_boundaries() {
    if (spec_.kind != GraphKind::kRunnable || spec_.name.empty()) return;
    bool has_input = false;
    bool has_output = false;
    for (const LinkedComponent& component : links_.components) {
      if (component.type == nullptr) return;
      has_input |= component.type->role == BoundaryRole::kInput;
      has_output |= component.type->role == BoundaryRole::kOutput;
    }
    if (!links_.has_all_components || (has_input && has_output)) return;
    reporter_.at_member(DiagnosticCode::kMissingBoundary,
                        spec_.source,
                        "graph",
                        base::format("A runnable graph needs an {} boundary",
                                     has_input    ? "output"
                                     : has_output ? "input"
                                                  : "input and an output"));
  }

  const GraphSpec& spec_;
  const Links& links_;
  Reporter& reporter_;
};

}  // namespace

void check_components(const CheckContext& context, const Links& links) {
  ComponentChecker(context, links).run();
}

}  // namespace millrace::graph
