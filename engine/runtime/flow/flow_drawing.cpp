#include "runtime/flow/flow_drawing.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

/// Quotes a string of the dot language: quotes and backslashes are escaped, a line break becomes
/// the sequence that dot draws as one.
std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

/// Quotes a label of Mermaid, where quotes and whatever begins a tag or an entity are written as
/// entities.
std::string mermaid_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "#quot;";
        break;
      case '#':
        quoted += "#35;";
        break;
      case '&':
        quoted += "#amp;";
        break;
      case '<':
        quoted += "#lt;";
        break;
      case '>':
        quoted += "#gt;";
        break;
      case '\n':
        quoted += "<br/>";
        break;
      default:
        quoted += c;
    }
  }
  return quoted += '"';
}

/// What stands inside a node: its id, its op where that says more than its kind, its timeout.
std::string label_of(const NodeSpec& spec) {
  std::string label = spec.id;
  if (spec.op != "cpu" && spec.op != "cheap" && spec.op != "async") label += "\n" + spec.op;
  if (spec.timeout) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(*spec.timeout).count();
    label += us % 1000 == 0 ? "\ntimeout " + std::to_string(us / 1000) + " ms"
                            : "\ntimeout " + std::to_string(us) + " us";
  }
  return label;
}

std::string_view dot_shape(NodeKind kind) {
  switch (kind) {
    case NodeKind::kCpu:
      return "shape=box";
    case NodeKind::kCheap:
      return "shape=box, style=rounded";
    case NodeKind::kAsync:
      break;
  }
  return "shape=ellipse";
}

std::string mermaid_node(std::uint32_t node, const NodeSpec& spec) {
  const std::string label = mermaid_string(label_of(spec));
  const std::string name = "n" + std::to_string(node);
  switch (spec.kind) {
    case NodeKind::kCpu:
      return name + "[" + label + "]";
    case NodeKind::kCheap:
      return name + "(" + label + ")";
    case NodeKind::kAsync:
      break;
  }
  return name + "([" + label + "])";
}

}  // namespace

std::string to_dot(const Topology& topology) {
  std::string text = "digraph flow {\n  rankdir=LR;\n";
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const NodeSpec& spec = topology.spec(node);
    text += "  " + dot_string(spec.id) + " [label=" + dot_string(label_of(spec)) + ", ";
    text += dot_shape(spec.kind);
    text += "];\n";
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const std::string from = "  " + dot_string(topology.id(node)) + " -> ";
    for (const Edge& edge : topology.dependents(node))
      text += from + dot_string(topology.id(edge.target)) + ";\n";
    if (const std::uint32_t fallback = topology.fallback_of(node); fallback != kNoNode)
      text += from + dot_string(topology.id(fallback)) + " [style=dotted, label=\"or else\"];\n";
  }
  return text += "}\n";
}

std::string to_mermaid(const Topology& topology) {
  std::string text = "flowchart LR\n";
  for (std::uint32_t node = 0; node < topology.node_count(); ++node)
    text += "  " + mermaid_node(node, topology.spec(node)) + "\n";
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const std::string from = "  n" + std::to_string(node);
    for (const Edge& edge : topology.dependents(node))
      text += from + " --> n" + std::to_string(edge.target) + "\n";
    if (const std::uint32_t fallback = topology.fallback_of(node); fallback != kNoNode)
      text += from + " -. or else .-> n" + std::to_string(fallback) + "\n";
  }
  return text;
}

}  // namespace millrace::runtime
