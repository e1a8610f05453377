#pragma once

#include <utility>

#include <unistd.h>

namespace millrace::net {

/// Owns an open file descriptor and closes it, unless it is released.
/// Threading: not shared; may be moved to another thread.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = other.release();
    }
    return *this;
  }

  /// -1 if it owns none.
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  /// Gives the descriptor away.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void reset() {
    if (is_open()) ::close(release());
  }

 private:
  int number_ = -1;
};

}  // namespace millrace::net
