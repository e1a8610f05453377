#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace millrace::rankd {

/// A descriptor that text is written to. Remembers the first failure, so that a program can write
/// on and ask once at its end. After a failure nothing is written any more.
/// Threading: not shared. Lifetime: borrows the descriptor.
class Output {
 public:
  /// `name` is what messages call the descriptor, such as "stdout".
  Output(int descriptor, std::string name);

  /// Writes all of the text, and waits where the reader of a pipe is slow. False: this or an
  /// earlier write failed.
  bool write(std::string_view text);
  /// The first failure, with its reason.
  [[nodiscard]] const base::Status& status() const { return status_; }

 private:
  const int descriptor_;
  const std::string name_;
  base::Status status_;
};

}  // namespace millrace::rankd
