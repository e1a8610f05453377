#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/key_pattern.h"
#include "plan/param_value.h"
#include "rows/column.h"
#include "rows/sort_key.h"

// What the fields of a params struct may be, in addition to bool, int64, double, std::string,
// vectors of these and enums. The type of a field decides how the compiler checks the param;
// everything that can be looked up at load is in the field when the body runs.

namespace millrace::tasks {

/// An expression over the first input; `TaskContext::expr` gives it bound to the request.
struct ExprParam {
  std::uint32_t param_index = 0;
};

/// The same for an expression that is bool.
struct PredicateParam {
  std::uint32_t param_index = 0;
};

// Which types of values a param that names a key takes. A plan that names a key of another type is
// refused when it is compiled, so that the column a body finds is always of one of these types.

struct AnyValue {
  static constexpr std::array<rows::ColumnType, 0> kTypes{};
};
struct Number {
  static constexpr std::array kTypes{rows::ColumnType::kInt64, rows::ColumnType::kFloat64};
};
struct Int {
  static constexpr std::array kTypes{rows::ColumnType::kInt64};
};
struct Float {
  static constexpr std::array kTypes{rows::ColumnType::kFloat64};
};
struct Bool {
  static constexpr std::array kTypes{rows::ColumnType::kBool};
};
struct Text {
  static constexpr std::array kTypes{rows::ColumnType::kString};
};
/// What keys of a store are made of.
struct IntOrText {
  static constexpr std::array kTypes{rows::ColumnType::kInt64, rows::ColumnType::kString};
};

/// A key that the task reads from its first input: `KeyParam<Number>`.
template <class Values>
struct KeyParam {
  std::string name;
};

/// Several keys that the task reads from its first input, or from the input that
/// `ParamsDescription::read_from` names.
template <class Values>
struct KeyListParam {
  std::vector<std::string> names;
};

/// A key that the task writes, with its registered type: the column must be of this type.
template <class Values>
struct OutKeyParam {
  std::string name;
  rows::ColumnType type = rows::ColumnType::kFloat64;
};

/// Columns that the task takes from an input, under their own or other names. What is to be copied
/// is in `CompiledNode::taken_columns`, without those that nothing reads.
struct KeyMapParam {
  std::vector<plan::KeyMove> keys;
};

/// The type of the key that a value is computed from.
struct SameType {
  static constexpr std::array<rows::ColumnType, 0> kTypes{};
};

/// An int that is never null.
struct Count : Int {};

/// Columns that the task computes from those of its first input, each from one with a value of
/// `Values`: `{"total": "likes"}`. The type of the new ones is that of `Result`, which is one type
/// or `SameType`. Those that something reads are in `CompiledNode::taken_columns`.
template <class Values, class Result>
struct ComputedKeysParam {
  std::vector<plan::KeyMove> keys;
};

/// The keys of an order, in the form that the row operators take.
struct OrderParam {
  std::vector<rows::SortKey> keys;
};

/// Rows of another node; `TaskContext::input` gives them.
struct NodeParam {
  plan::InputIndex input;
};

/// An endpoint whose client is a store.
struct StoreEndpoint {
  plan::EndpointId id;
  std::string name = {};  ///< for messages; empty if there is no registry
};

/// An endpoint whose client speaks HTTP.
struct HttpEndpoint {
  plan::EndpointId id;
  std::string name = {};  ///< for messages; empty if there is no registry
};

/// Text of store keys with names in braces, any number of them. They are keys of the first input
/// or, in a node without inputs, fields of the request.
using KeyPatternParam = plan::KeyPattern;

}  // namespace millrace::tasks
