#pragma once

#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"

// For tests only.

namespace millrace::rankd::testing {

/// A descriptor of a file, closed at its end.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    MR_CHECK(descriptor_ >= 0, path);
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace millrace::rankd::testing
