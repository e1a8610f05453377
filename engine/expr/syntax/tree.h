#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/syntax/diagnostic.h"
#include "expr/syntax/function_table.h"
#include "rows/column.h"

namespace millrace::expr {

/// Type of a node. kNull is the literal `null` before its context gives it a type; it is allowed
/// everywhere. kInvalid is a node with an error that has been reported.
enum class Type : std::uint8_t { kNull, kInt, kFloat, kBool, kString, kInvalid };

[[nodiscard]] Type to_type(rows::ColumnType type);
/// Gives the column type of a node that is neither kNull nor kInvalid.
[[nodiscard]] rows::ColumnType to_column_type(Type type);
[[nodiscard]] std::string_view to_string(Type type);

enum class Op : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kFloat,
  kString,
  kKey,
  kParam,
  kRequest,
  kViewer,
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kIn,      ///< first child in the others; `not in` is kNot of it
  kMatch,   ///< `~`: text is the pattern, flags beside it
  kIsNull,  ///< `is not null` is kNot of it
  kCall,
};

/// Gives the operator as it is written; for a call, literal or name an empty text.
[[nodiscard]] std::string_view symbol(Op op);

using NodeIndex = std::uint32_t;

struct Node {
  Op op = Op::kNull;
  Function function = Function::kUnknown;  ///< of a kCall
  bool boolean = false;                    ///< of a kBool
  std::int64_t integer = 0;                ///< of a kInt
  double number = 0;                       ///< of a kFloat
  std::uint32_t text_index = 0;            ///< of a string, name, call or regex
  std::uint32_t flags_index = 0;           ///< of a regex
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  SourceSpan span;  ///< the operator, name or literal itself

  // Set by the type checker.
  Type type = Type::kInvalid;
  bool nullable = false;
  std::uint32_t name_index =
      0;  ///< place of a key, param, request or viewer field among the names used
};

/// An expression as a tree in one array: children stand before their parents, the root is last. So
/// every pass is a loop and no depth can overflow the stack.
/// Threading: any thread once built.
class Tree {
 public:
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<Node> nodes() { return nodes_; }
  [[nodiscard]] const Node& node(NodeIndex index) const { return nodes_[index]; }
  [[nodiscard]] const Node& root() const { return nodes_.back(); }
  [[nodiscard]] NodeIndex root_index() const { return static_cast<NodeIndex>(nodes_.size() - 1); }
  [[nodiscard]] std::span<const NodeIndex> children(const Node& node) const {
    return std::span(children_).subspan(node.first_child, node.child_count);
  }
  [[nodiscard]] const std::string& text(std::uint32_t index) const { return texts_[index]; }

  /// Adds a node over children that are already there.
  NodeIndex add(Node node, std::span<const NodeIndex> children);
  [[nodiscard]] std::uint32_t add_text(std::string_view text);

 private:
  std::vector<Node> nodes_;
  std::vector<NodeIndex> children_;
  std::vector<std::string> texts_;
};

/// Gives a copy of one node and everything below it, as a tree of its own. Names keep their index.
[[nodiscard]] Tree subtree(const Tree& tree, NodeIndex root);

/// Says whether two trees mean the same: equal operators, literals, names and types; positions do
/// not count.
[[nodiscard]] bool same_tree(const Tree& left, const Tree& right);

}  // namespace millrace::expr
