#include "expr/syntax/tree.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "rows/column.h"

namespace millrace::expr {

namespace {

bool has_text(Op op) {
  switch (op) {
    case Op::kString:
    case Op::kKey:
    case Op::kParam:
    case Op::kRequest:
    case Op::kViewer:
    case Op::kMatch:
    case Op::kCall:
      return true;
    default:
      return false;
  }
}

bool same_node(const Tree& left_tree, const Node& left, const Tree& right_tree, const Node& right) {
  if (left.op != right.op || left.function != right.function || left.type != right.type)
    return false;
  if (left.boolean != right.boolean || left.integer != right.integer) return false;
  if (std::bit_cast<std::uint64_t>(left.number) != std::bit_cast<std::uint64_t>(right.number)) {
    return false;
  }
  if (!has_text(left.op)) return true;
  if (left_tree.text(left.text_index) != right_tree.text(right.text_index)) return false;
  return left.op != Op::kMatch ||
         left_tree.text(left.flags_index) == right_tree.text(right.flags_index);
}

}  // namespace

Type to_type(rows::ColumnType type) {
  switch (type) {
    case rows::ColumnType::kInt64:
      return Type::kInt;
    case rows::ColumnType::kFloat64:
      return Type::kFloat;
    case rows::ColumnType::kBool:
      return Type::kBool;
    case rows::ColumnType::kString:
      return Type::kString;
  }
  return Type::kInvalid;
}

rows::ColumnType to_column_type(Type type) {
  switch (type) {
    case Type::kInt:
      return rows::ColumnType::kInt64;
    case Type::kFloat:
      return rows::ColumnType::kFloat64;
    case Type::kBool:
      return rows::ColumnType::kBool;
    case Type::kString:
      return rows::ColumnType::kString;
    case Type::kNull:
    case Type::kInvalid:
      break;
  }
  MR_CHECK(false, static_cast<int>(type));
  return rows::ColumnType::kInt64;
}

std::string_view to_string(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kInt:
      return "int";
    case Type::kFloat:
      return "float";
    case Type::kBool:
      return "bool";
    case Type::kString:
      return "string";
    case Type::kInvalid:
      break;
  }
  return "?";
}

std::string_view symbol(Op op) {
  switch (op) {
    case Op::kNegate:
    case Op::kSubtract:
      return "-";
    case Op::kNot:
      return "not";
    case Op::kAdd:
      return "+";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kModulo:
      return "%";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kAnd:
      return "and";
    case Op::kOr:
      return "or";
    case Op::kIn:
      return "in";
    case Op::kMatch:
      return "~";
    case Op::kIsNull:
      return "is null";
    default:
      return {};
  }
}

NodeIndex Tree::add(Node node, std::span<const NodeIndex> children) {
  node.first_child = static_cast<std::uint32_t>(children_.size());
  node.child_count = static_cast<std::uint32_t>(children.size());
  children_.insert(children_.end(), children.begin(), children.end());
  nodes_.push_back(node);
  return root_index();
}

std::uint32_t Tree::add_text(std::string_view text) {
  texts_.emplace_back(text);
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

Tree subtree(const Tree& tree, NodeIndex root) {
  std::vector<bool> needed(root + 1, false);
  needed[root] = true;
  for (NodeIndex index = root + 1; index-- > 0;) {
    if (!needed[index]) continue;
    for (const NodeIndex child : tree.children(tree.node(index))) needed[child] = true;
  }
  Tree copy;
  std::vector<NodeIndex> places(root + 1, 0);
  std::vector<NodeIndex> children;
  for (NodeIndex index = 0; index <= root; ++index) {
    if (!needed[index]) continue;
    Node node = tree.node(index);
    children.clear();
    for (const NodeIndex child : tree.children(node)) children.push_back(places[child]);
    if (has_text(node.op)) node.text_index = copy.add_text(tree.text(node.text_index));
    if (node.op == Op::kMatch) node.flags_index = copy.add_text(tree.text(node.flags_index));
    places[index] = copy.add(node, children);
  }
  return copy;
}

bool same_tree(const Tree& left, const Tree& right) {
  if (left.nodes().size() != right.nodes().size()) return false;
  for (std::size_t i = 0; i < left.nodes().size(); ++i) {
    const Node& left_node = left.nodes()[i];
    const Node& right_node = right.nodes()[i];
    if (!same_node(left, left_node, right, right_node)) return false;
    if (!std::ranges::equal(left.children(left_node), right.children(right_node))) return false;
  }
  return true;
}

}  // namespace millrace::expr
