#pragma once

#include <string_view>

#include "runtime/topology/node.h"

namespace millrace::rank {

/// What whoever sent a request may ask for.
/// Threading: any thread, if implementations do not change.
class CallRights {
 public:
  virtual ~CallRights() = default;
  /// Whether the sender may use the plan of this name, which need not exist.
  [[nodiscard]] virtual bool may_use(std::string_view plan) const = 0;
  /// The best class that requests of the sender get; those that ask for a better one get this.
  [[nodiscard]] virtual runtime::Priority priority_max() const = 0;
};

}  // namespace millrace::rank
