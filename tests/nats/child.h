#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"

namespace millrace::live {

/// A program that the test runs beside itself. It is a child of the test, which therefore hears how
/// it ended. A program that a shell leaves behind is none: where nobody asks for the end of
/// orphans, as in many containers, they stay in the list of processes for ever.
/// Threading: not shared. Lifetime: its destructor kills the program.
class Child {
 public:
  /// Starts a program in a folder; what it prints goes to the file `log` there. Throws if it cannot
  /// be started.
  Child(const std::string& folder, std::vector<std::string> words, const std::string& log);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal(int number) const;
  /// Waits until it has ended, at most so long. Gives its exit code, or less than 0 if a signal
  /// ended it; nothing: it still runs.
  [[nodiscard]] std::optional<int> wait(base::Duration limit);
  /// SIGKILL, and waits.
  void kill();

 private:
  pid_t pid_ = -1;
  int handle_ = -1;  // of the process; readable when it has ended
  std::optional<int> code_;
};

}  // namespace millrace::live
