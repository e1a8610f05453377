#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace millrace::base {

/// Says what kind of failure an `Error` is. The list is closed; `to_string` gives the documented
/// name.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,    ///< a setting or argument that can never work
  kInvalidPlan,        ///< a DAG, plan or file that breaks its own rules
  kInvalidExpression,  ///< expression text that does not parse or type-check
  kNotFound,           ///< a name that nobody registered
  kBusy,               ///< refused by admission; trying later may work
  kCancelled,          ///< the caller asked to stop
  kDeadlineExceeded,   ///< the run's deadline passed
  kTimeout,            ///< one node took longer than its own limit
  kNodeFailed,         ///< a body returned an error of its own or threw
  kResourceExhausted,  ///< a stated limit was reached
  kUnavailable,        ///< a peer is down
  kInternal,           ///< a defect of ours, reported instead of hidden
};

[[nodiscard]] std::string_view to_string(ErrorCode code);

/// A failure as a value: what kind, what happened, and where.
///
/// `message` has fixed text first and values last; `where` is a JSON path, a `file:line:column` or
/// a node id, whatever lets the reader find the place. Holds its text on the heap so that a
/// `Result` that succeeded stays two words. Threading: not shared.
class [[nodiscard]] Error {
 public:
  [[gnu::cold]] Error(ErrorCode code, std::string message, std::string where = {});
  [[gnu::cold]] Error(const Error& other);
  [[gnu::cold]] Error& operator=(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  [[nodiscard]] ErrorCode code() const { return detail_->code; }
  [[nodiscard]] const std::string& message() const { return detail_->message; }
  [[nodiscard]] const std::string& where() const { return detail_->where; }
  /// Gives `code: message (at where)`, the form that people read.
  [[nodiscard]] std::string to_string() const;

 private:
  struct Detail {
    ErrorCode code;
    std::string message;
    std::string where;
  };
  // Not inlined: only failures call it, and otherwise its code would be repeated wherever a
  // `Result` is destroyed.
  struct Destroy {
    [[gnu::cold]] void operator()(Detail* detail) const noexcept;
  };
  std::unique_ptr<Detail, Destroy> detail_;
};

}  // namespace millrace::base
