#include "expr/syntax/parser.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/syntax/function_table.h"
#include "expr/syntax/lexer.h"
#include "expr/syntax/tree.h"

namespace millrace::expr {

namespace {

using Parsed = std::expected<NodeIndex, Diagnostic>;
using Done = std::expected<void, Diagnostic>;

// Returns the problem of a step, or declares a variable with its result.
#define MR_PARSE(declaration, ...) \
  MR_PARSE_IMPL(MR_PARSE_NAME(__LINE__), declaration, (__VA_ARGS__))
#define MR_PARSE_NAME(line) MR_PARSE_JOIN(mr_parse_, line)
#define MR_PARSE_JOIN(a, b) a##b
#define MR_PARSE_IMPL(temporary, declaration, expression)                           \
  auto temporary = (expression);                                                    \
  if (!temporary) return std::unexpected<Diagnostic>(std::move(temporary).error()); \
  declaration = *std::move(temporary)
#define MR_PARSE_DONE(...) \
  if (Done done = (__VA_ARGS__); !done) return std::unexpected<Diagnostic>(std::move(done).error())

constexpr std::string_view kViewer = "viewer";
constexpr std::string_view kNow = "now";
constexpr std::uint64_t kIntMax = std::numeric_limits<std::int64_t>::max();

std::optional<Op> comparison_op(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return Op::kEqual;
    case TokenKind::kNotEqual:
      return Op::kNotEqual;
    case TokenKind::kLess:
      return Op::kLess;
    case TokenKind::kLessEqual:
      return Op::kLessEqual;
    case TokenKind::kGreater:
      return Op::kGreater;
    case TokenKind::kGreaterEqual:
      return Op::kGreaterEqual;
    case TokenKind::kIn:
      return Op::kIn;
    case TokenKind::kNot:
      return Op::kNot;  // `x not in [..]`
    case TokenKind::kTilde:
      return Op::kMatch;
    case TokenKind::kIs:
      return Op::kIsNull;
    default:
      return std::nullopt;
  }
}

std::optional<Op> sum_op(TokenKind kind) {
  if (kind == TokenKind::kPlus) return Op::kAdd;
  if (kind == TokenKind::kMinus) return Op::kSubtract;
  return std::nullopt;
}

std::optional<Op> product_op(TokenKind kind) {
  if (kind == TokenKind::kStar) return Op::kMultiply;
  if (kind == TokenKind::kSlash) return Op::kDivide;
  if (kind == TokenKind::kPercent) return Op::kModulo;
  return std::nullopt;
}

// Recursive descent with one token of lookahead. Depth counts every construct that makes a rule
// call itself.
class Parser {
 public:
  Parser(std::string_view text, const Limits& limits)
      : text_(text), lexer_(text), limits_(limits) {}

  std::expected<Tree, Diagnostic> run() {
    if (text_.size() > limits_.text_bytes_max) {
      return problem({},
                     "The expression is too long: at most " +
                         std::to_string(limits_.text_bytes_max) + " bytes");
    }
    MR_PARSE_DONE(advance());
    if (token_.kind == TokenKind::kEnd) return problem(token_.span, "The expression is empty");
    MR_PARSE(const NodeIndex root, disjunction());
    static_cast<void>(root);
    if (token_.kind != TokenKind::kEnd) return unexpected_token("the end");
    return std::move(tree_);
  }

 private:
  // Counts one level of nesting during its lifetime.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    std::size_t& depth_;
  };

  Done advance() {
    MR_PARSE(token_, lexer_.next());
    return {};
  }

  Done expect(TokenKind kind, std::string_view what) {
    if (token_.kind != kind) return unexpected_token(what);
    return advance();
  }

  std::unexpected<Diagnostic> unexpected_token(std::string_view wanted) const {
    std::string found = "the end";
    if (token_.kind != TokenKind::kEnd) {
      found = "`" + std::string(text_.substr(token_.span.offset, token_.span.length)) + "`";
    }
    return problem(token_.span, "Expected " + std::string(wanted) + ", found " + found);
  }

  Done check_depth() const {
    if (depth_ <= limits_.depth_max) return {};
    return problem(token_.span,
                   "The expression nests too deep: at most " + std::to_string(limits_.depth_max),
                   "split it over several keys");
  }

  Parsed add(Node node, std::initializer_list<NodeIndex> children) {
    return add(node, std::span<const NodeIndex>(children.begin(), children.size()));
  }

  Parsed add(Node node, std::span<const NodeIndex> children) {
    if (tree_.nodes().size() >= limits_.node_count_max) {
      return problem(node.span,
                     "The expression is too large: at most " +
                         std::to_string(limits_.node_count_max) + " operators, names and literals",
                     "split it over several keys");
    }
    return tree_.add(node, children);
  }

  Parsed disjunction() {
    MR_PARSE(NodeIndex left, conjunction());
    while (token_.kind == TokenKind::kOr) {
      const SourceSpan span = token_.span;
      MR_PARSE_DONE(advance());
      MR_PARSE(const NodeIndex right, conjunction());
      MR_PARSE(left, add({.op = Op::kOr, .span = span}, {left, right}));
    }
    return left;
  }

  Parsed conjunction() {
    MR_PARSE(NodeIndex left, negation());
    while (token_.kind == TokenKind::kAnd) {
      const SourceSpan span = token_.span;
      MR_PARSE_DONE(advance());
      MR_PARSE(const NodeIndex right, negation());
      MR_PARSE(left, add({.op = Op::kAnd, .span = span}, {left, right}));
    }
    return left;
  }

  Parsed negation() {
    if (token_.kind != TokenKind::kNot) return comparison();
    const Level level(depth_);
    MR_PARSE_DONE(check_depth());
    const SourceSpan span = token_.span;
    MR_PARSE_DONE(advance());
    MR_PARSE(const NodeIndex operand, negation());
    return add({.op = Op::kNot, .span = span}, {operand});
  }

  Parsed comparison() {
    MR_PARSE(const NodeIndex left, sum());
    const std::optional<Op> op = comparison_op(token_.kind);
    if (!op) return left;
    MR_PARSE(const NodeIndex result, comparison_after(left, *op));
    if (comparison_op(token_.kind)) {
      return problem(token_.span,
                     "Comparisons do not chain",
                     "write `a < b and b < c`, or put one in parentheses");
    }
    return result;
  }

  Parsed comparison_after(NodeIndex left, Op op) {
    const SourceSpan span = token_.span;
    // The lexer is right after `~`, where only a regex may follow.
    if (op == Op::kMatch) return match(left, span);
    MR_PARSE_DONE(advance());
    if (op == Op::kIsNull) return is_null(left, span);
    if (op == Op::kIn) return list(left, span);
    if (op == Op::kNot) {
      const SourceSpan in_span = token_.span;
      MR_PARSE_DONE(expect(TokenKind::kIn, "`in` after `not`"));
      MR_PARSE(const NodeIndex in, list(left, in_span));
      return add({.op = Op::kNot, .span = span}, {in});
    }
    MR_PARSE(const NodeIndex right, sum());
    return add({.op = op, .span = span}, {left, right});
  }

  Parsed match(NodeIndex left, SourceSpan span) {
    MR_PARSE(const RegexToken regex, lexer_.next_regex());
    if (regex.pattern.size() > limits_.regex_bytes_max) {
      return problem(
          regex.span,
          "A regex is too long: at most " + std::to_string(limits_.regex_bytes_max) + " bytes");
    }
    MR_PARSE_DONE(advance());
    // The span covers operator and regex, so that a bad pattern can be shown.
    const Node node{.op = Op::kMatch,
                    .text_index = tree_.add_text(regex.pattern),
                    .flags_index = tree_.add_text(regex.flags),
                    .span = {span.offset, regex.span.offset + regex.span.length - span.offset}};
    return add(node, {left});
  }

  Parsed is_null(NodeIndex left, SourceSpan span) {
    const SourceSpan not_span = token_.span;
    const bool negated = token_.kind == TokenKind::kNot;
    if (negated) MR_PARSE_DONE(advance());
    MR_PARSE_DONE(
        expect(TokenKind::kNull, negated ? "`null` after `is not`" : "`null` after `is`"));
    MR_PARSE(const NodeIndex test, add({.op = Op::kIsNull, .span = span}, {left}));
    if (!negated) return test;
    return add({.op = Op::kNot, .span = not_span}, {test});
  }

  Parsed list(NodeIndex left, SourceSpan span) {
    const Level level(depth_);
    MR_PARSE_DONE(check_depth());
    MR_PARSE_DONE(expect(TokenKind::kLeftBracket, "`[` after `in`"));
    std::vector<NodeIndex> children{left};
    MR_PARSE_DONE(elements(children, TokenKind::kRightBracket, "`,` or `]`"));
    if (children.size() - 1 > limits_.list_count_max) {
      return problem(
          span,
          "A list is too long: at most " + std::to_string(limits_.list_count_max) + " elements");
    }
    return add({.op = Op::kIn, .span = span}, children);
  }

  // Reads `a, b, c)`, including the closing token; the list may be empty.
  Done elements(std::vector<NodeIndex>& out, TokenKind close, std::string_view wanted) {
    if (token_.kind == close) return advance();
    for (;;) {
      MR_PARSE(const NodeIndex element, disjunction());
      out.push_back(element);
      if (token_.kind == close) return advance();
      MR_PARSE_DONE(expect(TokenKind::kComma, wanted));
    }
  }

  Parsed sum() {
    MR_PARSE(NodeIndex left, product());
    while (const std::optional<Op> op = sum_op(token_.kind)) {
      const SourceSpan span = token_.span;
      MR_PARSE_DONE(advance());
      MR_PARSE(const NodeIndex right, product());
      MR_PARSE(left, add({.op = *op, .span = span}, {left, right}));
    }
    return left;
  }

  Parsed product() {
    MR_PARSE(NodeIndex left, unary());
    while (const std::optional<Op> op = product_op(token_.kind)) {
      const SourceSpan span = token_.span;
      MR_PARSE_DONE(advance());
      MR_PARSE(const NodeIndex right, unary());
      MR_PARSE(left, add({.op = *op, .span = span}, {left, right}));
    }
    return left;
  }

  Parsed unary() {
    if (token_.kind != TokenKind::kMinus) return primary();
    const Level level(depth_);
    MR_PARSE_DONE(check_depth());
    const SourceSpan span = token_.span;
    MR_PARSE_DONE(advance());
    // A minus before a literal belongs to the literal: otherwise the smallest int64 could not be
    // written.
    if (token_.kind == TokenKind::kInt || token_.kind == TokenKind::kFloat) {
      return number(span, true);
    }
    MR_PARSE(const NodeIndex operand, unary());
    return add({.op = Op::kNegate, .span = span}, {operand});
  }

  Parsed number(SourceSpan start, bool negative) {
    const SourceSpan span{start.offset, token_.span.offset + token_.span.length - start.offset};
    Node node{.op = Op::kInt, .span = span};
    if (token_.kind == TokenKind::kFloat) {
      node.op = Op::kFloat;
      node.number = negative ? -token_.number : token_.number;
    } else if (token_.magnitude > kIntMax && !negative) {
      return problem(span,
                     "An integer literal is out of range",
                     "the largest is 9223372036854775807; write a float as `1e19`");
    } else {
      const std::uint64_t bits = negative ? 0 - token_.magnitude : token_.magnitude;
      node.integer = static_cast<std::int64_t>(bits);
    }
    MR_PARSE_DONE(advance());
    return add(node, {});
  }

  Parsed primary() {
    const Token token = token_;
    switch (token.kind) {
      case TokenKind::kInt:
      case TokenKind::kFloat:
        return number(token.span, false);
      case TokenKind::kString:
        return leaf(Op::kString, token);
      case TokenKind::kNull:
        return leaf(Op::kNull, token);
      case TokenKind::kTrue:
      case TokenKind::kFalse:
        return leaf(Op::kBool, token);
      case TokenKind::kParam:
        return leaf(Op::kParam, token);
      case TokenKind::kRequest:
        return leaf(Op::kRequest, token);
      case TokenKind::kQuotedName:
        return leaf(Op::kKey, token);
      case TokenKind::kName:
        return name(token);
      case TokenKind::kLeftParen:
        return parenthesised();
      default:
        return unexpected_token("a value");
    }
  }

  Parsed leaf(Op op, const Token& token) {
    MR_PARSE_DONE(advance());
    Node node{.op = op, .boolean = token.kind == TokenKind::kTrue, .span = token.span};
    if (op != Op::kNull && op != Op::kBool) node.text_index = tree_.add_text(token.text);
    return add(node, {});
  }

  Parsed parenthesised() {
    const Level level(depth_);
    MR_PARSE_DONE(check_depth());
    MR_PARSE_DONE(advance());
    MR_PARSE(const NodeIndex inner, disjunction());
    MR_PARSE_DONE(expect(TokenKind::kRightParen, "`)`"));
    return inner;
  }

  Parsed name(const Token& token) {
    MR_PARSE_DONE(advance());
    if (token_.kind == TokenKind::kLeftParen) return call(token);
    if (token_.kind == TokenKind::kDot) return viewer_field(token);
    if (token.text == kNow) return call_node(token, {});
    return add({.op = Op::kKey, .text_index = tree_.add_text(token.text), .span = token.span}, {});
  }

  Parsed call(const Token& name) {
    const Level level(depth_);
    MR_PARSE_DONE(check_depth());
    MR_PARSE_DONE(advance());
    std::vector<NodeIndex> arguments;
    MR_PARSE_DONE(elements(arguments, TokenKind::kRightParen, "`,` or `)`"));
    return call_node(name, arguments);
  }

  Parsed call_node(const Token& name, std::span<const NodeIndex> arguments) {
    const FunctionSpec* spec = find_function(name.text);
    const Node node{.op = Op::kCall,
                    .function = spec == nullptr ? Function::kUnknown : spec->function,
                    .text_index = tree_.add_text(name.text),
                    .span = name.span};
    return add(node, arguments);
  }

  Parsed viewer_field(const Token& owner) {
    if (owner.text != kViewer) {
      return problem(owner.span, "Only `viewer` and `$req` have fields", "keys have no parts");
    }
    MR_PARSE_DONE(advance());
    if (token_.kind != TokenKind::kName && token_.kind != TokenKind::kQuotedName) {
      return unexpected_token("a field after `viewer.`");
    }
    const Token field = token_;
    MR_PARSE_DONE(advance());
    const SourceSpan span{owner.span.offset,
                          field.span.offset + field.span.length - owner.span.offset};
    return add({.op = Op::kViewer, .text_index = tree_.add_text(field.text), .span = span}, {});
  }

  std::string_view text_;
  Lexer lexer_;
  const Limits& limits_;
  Tree tree_;
  Token token_;
  std::size_t depth_ = 0;
};

}  // namespace

std::expected<Tree, Diagnostic> parse(std::string_view text, const Limits& limits) {
  return Parser(text, limits).run();
}

}  // namespace millrace::expr
