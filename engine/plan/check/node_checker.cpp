#include "plan/check/node_checker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/format.h"
#include "base/problems/message_text.h"
#include "base/result.h"
#include "base/text_place.h"
#include "expr/compiled_expr.h"
#include "plan/check/param_reader.h"
#include "plan/problem.h"
#include "rows/column.h"

namespace millrace::plan {

namespace {

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_';
}

/// Says whether an expression reads this name as a key or as a field of the viewer. Needed because
/// the type checker also looks up names that the expression does not have, to find suggestions.
bool reads_key(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const std::string_view after = text.substr(at + name.size());
    const bool is_whole = (before.empty() || !is_name_letter(before.back())) &&
                          (after.empty() || !is_name_letter(after.front()));
    const bool is_other = before.ends_with('$') || before.ends_with("$req.");
    if (is_whole && !is_other) return true;
  }
  return false;
}

}  // namespace

NodeChecker::NodeChecker(Draft& draft,
                         std::uint32_t index,
                         const NodeColumns* input,
                         const ColumnAnalysis& analysis,
                         const CheckContext& context)
    : draft_(draft),
      node_(draft.plan.nodes[index]),
      places_(draft.places[index]),
      where_(draft.where[index]),
      analysis_(analysis),
      context_(context) {
  if (node_.inputs.empty()) {
    available_ = analysis.none();
  } else if (input != nullptr) {
    available_ = input->present | input->offered;
  }
}

void NodeChecker::check(ExternalNames& externals) {
  check_task_keys();
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    const ParamType type = node_.task->params[i].type;
    if (type == ParamType::kExpr || type == ParamType::kPredicate) {
      compile_expr(i, externals);
    } else {
      check_param(i);
    }
  }
  check_endpoints();
}

void NodeChecker::check_task_keys() {
  for (const std::string& key : node_.task->reads) check_available(key, where_);
  for (const std::string& key : node_.task->writes) (void)check_key(key, where_, context_);
}

void NodeChecker::check_param(std::size_t param) {
  const ParamSpec& spec = node_.task->params[param];
  const ParamValue& value = node_.params[param];
  const base::ValuePlace& where = places_[param];
  if (const auto* order = std::get_if<std::vector<OrderKey>>(&value)) {
    for (const OrderKey& key : *order) check_available(key.key, where);
  } else if (spec.type == ParamType::kKey && std::holds_alternative<std::string>(value)) {
    check_available(std::get<std::string>(value), where);
  } else if (spec.type == ParamType::kKeyList && spec.name != node_.task->keys_param) {
    if (const auto* names = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& name : *names) check_available(name, where);
    }
  } else if (spec.type == ParamType::kKeyPattern && std::holds_alternative<std::string>(value)) {
    check_pattern(std::get<std::string>(value), where);
  }
}

void NodeChecker::check_pattern(const std::string& pattern, const base::ValuePlace& where) {
  const std::optional<std::string_view> name = pattern_name(pattern);
  if (!name) return;
  if (!node_.inputs.empty()) {
    if (check_key(*name, where, context_) != nullptr) check_available(*name, where);
    return;
  }
  if (find_request_field(context_.registry, *name)) return;
  context_.reporter.add(
      ProblemCode::kUnknownRequestField,
      where,
      "Unknown field of the request: " + base::shortened(*name),
      [&] { return base::suggestion(*name, request_field_names(context_.registry)); });
}

void NodeChecker::check_available(std::string_view key, const base::ValuePlace& where) {
  const FieldInfo* info = context_.registry.find_key(key);
  if (info == nullptr || !available_) return;
  warn_of_deprecated("key", *info);
  if (available_->contains(analysis_.index_of(key))) return;
  context_.reporter.add(ProblemCode::kKeyNotAvailable,
                        where,
                        base::format("Nothing before this node writes the key: {}", key));
}

template <class Info>
void NodeChecker::warn_of_deprecated(std::string_view kind, const Info& info) {
  if (info.lifecycle != Lifecycle::kDeprecated) return;
  std::string text =
      base::format("node '{}' reads the deprecated {} '{}'", node_.id, kind, info.name);
  if (!info.replaced_by.empty()) text += base::format("; use '{}' instead", info.replaced_by);
  draft_.plan.warnings.push_back(std::move(text));
}

void NodeChecker::check_endpoints() {
  for (const ParamValue& value : node_.params) {
    if (const auto* id = std::get_if<EndpointId>(&value))
      warn_of_deprecated("endpoint", context_.registry.endpoint(*id));
  }
}

/// Gives the key that the node's expression is written to, if the node has exactly one param of
/// type kOutKey.
const FieldInfo* NodeChecker::out_key() const {
  const FieldInfo* found = nullptr;
  for (std::size_t i = 0; i < node_.params.size(); ++i) {
    if (node_.task->params[i].type != ParamType::kOutKey) continue;
    const auto* name = std::get_if<std::string>(&node_.params[i]);
    if (name == nullptr || found != nullptr) return nullptr;
    found = context_.registry.find_key(*name);
  }
  return found;
}

void NodeChecker::compile_expr(std::size_t param, ExternalNames& externals) {
  const auto* given = std::get_if<std::string>(&node_.params[param]);
  if (given == nullptr) return;
  const std::string text = *given;
  const bool is_predicate = node_.task->params[param].type == ParamType::kPredicate;
  const FieldInfo* target = is_predicate ? nullptr : out_key();
  PlanScope scope(context_.registry, available_ ? &*available_ : nullptr, externals);
  if (context_.reporter.full()) scope.suggest_no_names();
  std::vector<expr::Diagnostic> diagnostics;
  expr::CompileOptions options{.diagnostics = &diagnostics};
  if (target != nullptr) options.result = target->type;
  base::Result<expr::CompiledExprRef> compiled = is_predicate
                                                     ? expr::compile_predicate(text, scope, options)
                                                     : expr::compile(text, scope, options);
  for (const expr::Diagnostic& diagnostic : diagnostics) {
    report_diagnostic(diagnostic, text, places_[param], scope.problems());
  }
  report_names(scope.problems(), text, places_[param]);
  if (!compiled) {
    node_.params[param] = std::monostate();
    return;
  }
  for (const expr::NameUse& use : (*compiled)->names()) {
    reads_viewer_ = reads_viewer_ || use.source == expr::NameSource::kViewer;
    const bool is_param = use.source == expr::NameSource::kParam;
    const FieldInfo* info = is_param ? context_.registry.find_param(use.name)
                            : use.source == expr::NameSource::kRequest
                                ? nullptr
                                : context_.registry.find_key(use.name);
    if (info != nullptr) warn_of_deprecated(is_param ? "param" : "key", *info);
  }
  if (target != nullptr && !target->nullable && (*compiled)->nullable()) {
    context_.reporter.add(ProblemCode::kNullIntoKey,
                          places_[param],
                          "The expression may be null, the key may not: " + target->name,
                          "wrap it in coalesce(…, value)");
  }
  node_.params[param] = *std::move(compiled);
}

void NodeChecker::report_diagnostic(const expr::Diagnostic& diagnostic,
                                    const std::string& text,
                                    const base::ValuePlace& where,
                                    const std::vector<NameProblem>& names) {
  const base::TextPlace place = base::locate(text, diagnostic.span.offset);
  const std::string message =
      base::format("{} (at {} of the expression)", diagnostic.message, base::to_string(place));
  if (diagnostic.severity == expr::Severity::kWarning) {
    draft_.plan.warnings.push_back(base::format("node '{}': {}", node_.id, message));
    return;
  }
  // If the diagnostic points at a name that was not found, report that instead.
  const std::string_view token = std::string_view(text).substr(
      std::min<std::size_t>(diagnostic.span.offset, text.size()), diagnostic.span.length);
  const ProblemCode unknown = token.starts_with("$req.") ? ProblemCode::kUnknownRequestField
                              : token.starts_with("$")   ? ProblemCode::kUnknownName
                                                         : ProblemCode::kUnknownKey;
  const bool is_unknown = std::ranges::any_of(names, [&](const NameProblem& name) {
    return name.code == unknown && token.ends_with(name.name);
  });
  const ProblemCode code = is_unknown ? unknown : ProblemCode::kBadExpression;
  base::ValuePlace exact = where;
  // If the JSON string has no escapes, the place in the expression is also one in the artifact.
  if (text.find_first_of("\"\\\n\t") == std::string::npos && where.offset != where_.offset) {
    exact.offset += 1 + diagnostic.span.offset;
  }
  context_.reporter.add(code, exact, message, diagnostic.hint);
}

void NodeChecker::report_names(const std::vector<NameProblem>& names,
                               const std::string& text,
                               const base::ValuePlace& where) {
  for (const NameProblem& name : names) {
    if (!reads_key(text, name.name)) continue;
    if (name.code == ProblemCode::kKeyNotAvailable) {
      context_.reporter.add(
          name.code, where, base::format("Nothing before this node writes the key: {}", name.name));
    } else if (name.code == ProblemCode::kBlockedKey) {
      context_.reporter.add(name.code, where, "The name is blocked: " + name.name);
    }
  }
}

}  // namespace millrace::plan
