#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "expr/compiled_expr.h"
#include "expr/machine/machine.h"
#include "expr/machine/string_pool.h"
#include "rows/value.h"

namespace millrace::expr {

/// Values of one request. Each list is indexed by NameInfo::index of its source.
struct Bindings {
  std::span<const rows::Value> params{};
  std::span<const rows::Value> request{};
  std::span<const rows::Value> viewer{};
  /// What `now()` gives, read once per request.
  std::chrono::sys_time<std::chrono::milliseconds> now{};
};

/// An expression with the values of one request: everything that depends on no key is computed.
/// Threading: any thread; immutable once bound.
class BoundExpr {
 public:
  /// Computes everything that the values of the request determine. Refuses a missing value, one of
  /// another type (an int is accepted as a float) and a null for a name that is not nullable.
  [[nodiscard]] static base::Result<BoundExpr> bind(CompiledExprRef compiled,
                                                    const Bindings& bindings);

  [[nodiscard]] const CompiledExpr& compiled() const { return *compiled_; }
  /// Values of the bind stage by ValueId. The validity pointer of a value is nullptr unless it is
  /// null, and the error pointer is nullptr unless it has an error.
  [[nodiscard]] std::span<const Vector> values() const { return values_; }

 private:
  explicit BoundExpr(CompiledExprRef compiled);
  void set_constants();
  [[nodiscard]] base::Status set_source(const Instruction& instruction, const Bindings& bindings);
  [[nodiscard]] base::Status set_value(const Instruction& instruction,
                                       const NameUse& use,
                                       const rows::Value& value);
  template <class T>
  void set(const Instruction& instruction, T value);
  void set_null(const Instruction& instruction);

  CompiledExprRef compiled_;
  std::unique_ptr<std::byte[]> cells_;
  Registers registers_;
  std::vector<Vector> values_;
  std::vector<std::string> texts_;    // of the bindings; never exceeds its reserved capacity
  std::unique_ptr<StringPool> pool_;  // set if the bind stage makes strings
};

}  // namespace millrace::expr
