#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"
#include "tasks/param_field.h"
#include "tasks/prepared_node.h"

namespace millrace::tasks {

/// Limits of a number.
struct Range {
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
};

/// Collects the params of a task, which a params struct declares once, in a static function:
///
///   struct TakeParams {
///     std::int64_t count = 0;
///     static void describe(ParamsDescription<TakeParams>& params) {
///       params.required("count", &TakeParams::count, "How many rows to keep", {.minimum = 0});
///     }
///   };
///
/// It yields the schema in the spec and, at load, the filled struct. The type of a field decides
/// the type of the param (`tasks/param_types.h`); an optional param takes its default from the
/// field's initialiser. A struct may also have `base::Status on_load(const plan::CompiledNode&)`,
/// or the same with a `const LoadContext&` after it. It is called once, after the fields have been
/// filled: to compute values before the first request, and to refuse params that contradict each
/// other. Threading: not shared.
template <class Params>
class ParamsDescription {
 public:
  /// A param that every node must give.
  template <class T>
  void required(std::string name, T Params::* field, std::string doc, Range range = {}) {
    add<T>(field, make_spec<T>(std::move(name), std::move(doc), range, true));
  }

  /// A param that may be left out: then the field keeps its initialiser.
  template <class T>
  void optional(std::string name, T Params::* field, std::string doc, Range range = {}) {
    plan::ParamSpec spec = make_spec<T>(std::move(name), std::move(doc), range, false);
    spec.fallback = ParamField<T>::to_value(Params{}.*field);
    add<T>(field, std::move(spec));
  }

  /// A param that is one of a few words; its default is the word of the field's initialiser.
  template <class Enum>
    requires std::is_enum_v<Enum>
  void choice(std::string name,
              Enum Params::* field,
              std::initializer_list<std::pair<std::string_view, Enum>> words,
              std::string doc) {
    plan::ParamSpec spec{.name = std::move(name), .type = plan::ParamType::kChoice};
    spec.doc = std::move(doc);
    std::vector<std::pair<std::string, Enum>> known;
    for (const auto& [word, meaning] : words) {
      spec.choices.emplace_back(word);
      known.emplace_back(word, meaning);
      if (meaning == Params{}.*field) spec.fallback = std::string(word);
    }
    fields_.push_back([field, known = std::move(known)](Params& params,
                                                        const plan::ParamValue& value,
                                                        const FieldSource& source) -> base::Status {
      const auto* given = std::get_if<std::string>(&value);
      if (given == nullptr) return wrong_value(source);
      for (const auto& [word, meaning] : known) {
        if (word != *given) continue;
        params.*field = meaning;
        return {};
      }
      return wrong_value(source);
    });
    specs_.push_back(std::move(spec));
  }

  /// Says that the keys of the param `name` are read from the rows of the node param `input`, not
  /// from the first input.
  void read_from(std::string_view name, std::string input) {
    for (plan::ParamSpec& spec : specs_) {
      if (spec.name == name) spec.read_from = input;
    }
  }

  [[nodiscard]] const std::vector<plan::ParamSpec>& specs() const { return specs_; }

  /// Fills a struct from the params of a node, which are in the order of specs().
  [[nodiscard]] base::Result<Params> load(const plan::CompiledNode& node,
                                          const LoadContext& load) const {
    Params params{};
    for (std::uint32_t index = 0; index < fields_.size(); ++index) {
      const FieldSource source{.node = &node, .param_index = index, .load = &load};
      if (index >= node.params.size()) return wrong_value(source);
      MR_TRY_STATUS(fields_[index](params, node.params[index], source));
    }
    if constexpr (requires { params.on_load(node, load); }) {
      MR_TRY_STATUS(params.on_load(node, load));
    } else if constexpr (requires { params.on_load(node); }) {
      MR_TRY_STATUS(params.on_load(node));
    }
    return params;
  }

 private:
  using Fill = std::function<base::Status(Params&, const plan::ParamValue&, const FieldSource&)>;

  template <class T>
  static plan::ParamSpec make_spec(std::string name, std::string doc, Range range, bool required) {
    static_assert(ParamFieldType<T>,
                  "a field of a params struct must be bool, std::int64_t, double, std::string, a "
                  "vector of these, a type of tasks/param_types.h, or std::optional of one; for an "
                  "enum use choice()");
    plan::ParamSpec spec{.name = std::move(name), .type = ParamField<T>::kType};
    spec.required = required;
    spec.minimum = range.minimum;
    spec.maximum = range.maximum;
    if constexpr (requires { ParamField<T>::key_types(); }) {
      spec.key_types = ParamField<T>::key_types();
    }
    if constexpr (requires { ParamField<T>::computed_type(); }) {
      spec.is_computed = true;
      spec.is_never_null = ParamField<T>::kIsNeverNull;
      spec.computed_type = ParamField<T>::computed_type();
    }
    spec.doc = std::move(doc);
    return spec;
  }

  template <class T>
  void add(T Params::* field, plan::ParamSpec spec) {
    fields_.push_back([field](Params& params,
                              const plan::ParamValue& value,
                              const FieldSource& source) -> base::Status {
      MR_TRY(params.*field, ParamField<T>::from_value(value, source));
      return {};
    });
    specs_.push_back(std::move(spec));
  }

  std::vector<plan::ParamSpec> specs_;
  std::vector<Fill> fields_;
};

/// A struct that describes itself.
template <class Params>
concept DescribedParams = requires(ParamsDescription<Params>& description) {
  { Params::describe(description) };
  Params{};
};

/// A task without params.
struct NoParams {
  static void describe(ParamsDescription<NoParams>&) {}
};

}  // namespace millrace::tasks
