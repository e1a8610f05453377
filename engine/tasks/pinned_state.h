#pragma once

#include <memory>
#include <string>

namespace millrace::tasks {

/// State of the process that changes while requests run, as it was when a request began. Whatever
/// the request reads of it later, it reads from here.
/// Threading: any thread; immutable. Lifetime: its owners are the request and its store calls.
class PinnedState {
 public:
  PinnedState() = default;
  virtual ~PinnedState() = default;
  PinnedState(const PinnedState&) = delete;
  PinnedState& operator=(const PinnedState&) = delete;

  /// Appends a JSON object that says which state it is, for the response.
  virtual void append_json(std::string& out) const = 0;
};

/// Gives the state as it is now.
/// Threading: any thread; waits for nobody. Lifetime: outlives the requests.
class PinSource {
 public:
  virtual ~PinSource() = default;
  /// Null: there is no such state now.
  [[nodiscard]] virtual std::shared_ptr<const PinnedState> pin() const = 0;
};

}  // namespace millrace::tasks
