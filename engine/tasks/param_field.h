#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "plan/task_catalog.h"
#include "tasks/param_types.h"
#include "tasks/prepared_node.h"

// How each type of field in a params struct is declared to the compiler, and how it is filled at
// load.

namespace millrace::tasks {

/// Which param of which node a value belongs to, for fields that need more than the value.
struct FieldSource {
  const plan::CompiledNode* node;
  std::uint32_t param_index;
  const LoadContext* load;
};

/// Makes an internal error: the compiler gave a value of another type than the spec asked for.
[[nodiscard]] std::unexpected<base::Error> wrong_value(const FieldSource& source);

/// For a type of field: the type of the param, its default as a value, and the conversion from a
/// value. Left undefined for types that cannot be fields.
template <class T>
struct ParamField;

/// Fields whose type is one of the types that plan::ParamValue holds.
template <class T, plan::ParamType kParamType>
struct PlainField {
  static constexpr plan::ParamType kType = kParamType;
  static plan::ParamValue to_value(const T& value) { return value; }
  static base::Result<T> from_value(const plan::ParamValue& value, const FieldSource& source) {
    if (const T* found = std::get_if<T>(&value)) return *found;
    return wrong_value(source);
  }
};

template <>
struct ParamField<bool> : PlainField<bool, plan::ParamType::kBool> {};
template <>
struct ParamField<std::int64_t> : PlainField<std::int64_t, plan::ParamType::kInt> {};
template <>
struct ParamField<double> : PlainField<double, plan::ParamType::kFloat> {};
template <>
struct ParamField<std::string> : PlainField<std::string, plan::ParamType::kString> {};
template <>
struct ParamField<std::vector<std::int64_t>>
    : PlainField<std::vector<std::int64_t>, plan::ParamType::kIntList> {};
template <>
struct ParamField<std::vector<double>>
    : PlainField<std::vector<double>, plan::ParamType::kFloatList> {};
template <>
struct ParamField<std::vector<std::string>>
    : PlainField<std::vector<std::string>, plan::ParamType::kStringList> {};

/// A key and its registered type.
struct NamedKey {
  std::string name;
  rows::ColumnType type = rows::ColumnType::kFloat64;
};
/// Reads the name of a key and finds its type.
[[nodiscard]] base::Result<NamedKey> key_of(const plan::ParamValue& value,
                                            const FieldSource& source);

/// The types that the key of a field may have.
template <class Values>
struct KeyTypes {
  static std::vector<rows::ColumnType> key_types() {
    return {Values::kTypes.begin(), Values::kTypes.end()};
  }
};

/// Fields without a default: they refer to something of the plan.
template <class T, plan::ParamType kParamType>
struct ReferenceField {
  static constexpr plan::ParamType kType = kParamType;
  static plan::ParamValue to_value(const T&) { return {}; }
};

template <>
struct ParamField<ExprParam> : ReferenceField<ExprParam, plan::ParamType::kExpr> {
  static base::Result<ExprParam> from_value(const plan::ParamValue&, const FieldSource&);
};
template <>
struct ParamField<PredicateParam> : ReferenceField<PredicateParam, plan::ParamType::kPredicate> {
  static base::Result<PredicateParam> from_value(const plan::ParamValue&, const FieldSource&);
};
template <class Values>
struct ParamField<OutKeyParam<Values>>
    : ReferenceField<OutKeyParam<Values>, plan::ParamType::kOutKey>, KeyTypes<Values> {
  static base::Result<OutKeyParam<Values>> from_value(const plan::ParamValue& value,
                                                      const FieldSource& source) {
    MR_TRY(NamedKey key, key_of(value, source));
    return OutKeyParam<Values>{.name = std::move(key.name), .type = key.type};
  }
};
template <>
struct ParamField<NodeParam> : ReferenceField<NodeParam, plan::ParamType::kNode> {
  static base::Result<NodeParam> from_value(const plan::ParamValue&, const FieldSource&);
};
template <>
struct ParamField<StoreEndpoint> : ReferenceField<StoreEndpoint, plan::ParamType::kEndpoint> {
  static base::Result<StoreEndpoint> from_value(const plan::ParamValue&, const FieldSource&);
};
template <>
struct ParamField<HttpEndpoint> : ReferenceField<HttpEndpoint, plan::ParamType::kEndpoint> {
  static base::Result<HttpEndpoint> from_value(const plan::ParamValue&, const FieldSource&);
};

template <class Values>
struct ParamField<KeyParam<Values>> : KeyTypes<Values> {
  static constexpr plan::ParamType kType = plan::ParamType::kKey;
  static plan::ParamValue to_value(const KeyParam<Values>& key) { return key.name; }
  static base::Result<KeyParam<Values>> from_value(const plan::ParamValue& value,
                                                   const FieldSource& source) {
    MR_TRY(std::string name, ParamField<std::string>::from_value(value, source));
    return KeyParam<Values>{.name = std::move(name)};
  }
};
template <class Values>
struct ParamField<KeyListParam<Values>> : KeyTypes<Values> {
  static constexpr plan::ParamType kType = plan::ParamType::kKeyList;
  static plan::ParamValue to_value(const KeyListParam<Values>& keys) { return keys.names; }
  static base::Result<KeyListParam<Values>> from_value(const plan::ParamValue& value,
                                                       const FieldSource& source) {
    MR_TRY(std::vector<std::string> names,
           ParamField<std::vector<std::string>>::from_value(value, source));
    return KeyListParam<Values>{.names = std::move(names)};
  }
};
template <>
struct ParamField<KeyMapParam> {
  static constexpr plan::ParamType kType = plan::ParamType::kKeyMap;
  static plan::ParamValue to_value(const KeyMapParam& map) { return map.keys; }
  static base::Result<KeyMapParam> from_value(const plan::ParamValue& value,
                                              const FieldSource& source) {
    const auto* keys = std::get_if<std::vector<plan::KeyMove>>(&value);
    if (keys == nullptr) return wrong_value(source);
    return KeyMapParam{.keys = *keys};
  }
};
template <class Values, class Result>
struct ParamField<ComputedKeysParam<Values, Result>> : KeyTypes<Values> {
  static_assert(Result::kTypes.size() <= 1, "a result has one type");
  static constexpr plan::ParamType kType = plan::ParamType::kKeyMap;
  static std::optional<rows::ColumnType> computed_type() {
    if constexpr (Result::kTypes.size() == 1) return Result::kTypes[0];
    return std::nullopt;
  }
  static constexpr bool kIsNeverNull = std::is_same_v<Result, Count>;
  static plan::ParamValue to_value(const ComputedKeysParam<Values, Result>& map) {
    return map.keys;
  }
  static base::Result<ComputedKeysParam<Values, Result>> from_value(const plan::ParamValue& value,
                                                                    const FieldSource& source) {
    MR_TRY(KeyMapParam map, ParamField<KeyMapParam>::from_value(value, source));
    return ComputedKeysParam<Values, Result>{.keys = std::move(map.keys)};
  }
};
template <>
struct ParamField<OrderParam> {
  static constexpr plan::ParamType kType = plan::ParamType::kOrder;
  static plan::ParamValue to_value(const OrderParam& order);
  static base::Result<OrderParam> from_value(const plan::ParamValue&, const FieldSource&);
};
template <>
struct ParamField<KeyPatternParam> {
  static constexpr plan::ParamType kType = plan::ParamType::kKeyPattern;
  static plan::ParamValue to_value(const KeyPatternParam& pattern) {
    return plan::to_string(pattern);
  }
  static base::Result<KeyPatternParam> from_value(const plan::ParamValue&, const FieldSource&);
};

/// A field that is empty if the param was left out.
template <class T>
struct ParamField<std::optional<T>> {
  static constexpr plan::ParamType kType = ParamField<T>::kType;
  static std::vector<rows::ColumnType> key_types()
    requires requires { ParamField<T>::key_types(); }
  {
    return ParamField<T>::key_types();
  }
  static plan::ParamValue to_value(const std::optional<T>& value) {
    return value ? ParamField<T>::to_value(*value) : plan::ParamValue{};
  }
  static base::Result<std::optional<T>> from_value(const plan::ParamValue& value,
                                                   const FieldSource& source) {
    if (std::holds_alternative<std::monostate>(value)) return std::optional<T>{};
    MR_TRY(T given, ParamField<T>::from_value(value, source));
    return std::optional<T>(std::move(given));
  }
};

template <class T>
concept ParamFieldType = requires(const T& field) { ParamField<T>::to_value(field); };

}  // namespace millrace::tasks
