#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace millrace::server_sim {

/// A statement of the server's contract that did not hold.
struct Violation {
  std::string statement;
  std::string message;
};

/// Keeps the first violation of a world.
/// Threading: not shared.
class Judge {
 public:
  void expect(bool holds, const char* statement, const std::string& message) {
    if (!holds && !violation_) violation_ = Violation{statement, message};
  }
  [[nodiscard]] bool is_content() const { return !violation_; }
  [[nodiscard]] const std::optional<Violation>& violation() const { return violation_; }

 private:
  std::optional<Violation> violation_;
};

}  // namespace millrace::server_sim
