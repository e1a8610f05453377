#pragma once

namespace millrace::bench {

/// Measures how much of the machine other processes used since it was made, because that disturbs
/// measurements on a shared machine.
/// Threading: not shared.
class MachineLoad {
 public:
  MachineLoad();

  /// Gives the share of all processors' time that went to other processes or was stolen by the host
  /// since construction; 0 if the kernel does not report it.
  [[nodiscard]] double foreign_share() const;

 private:
  struct Times {
    double all = 0;   ///< seconds of all processors
    double idle = 0;  ///< the part that was idle
    double own = 0;   ///< the part that this process used
  };
  [[nodiscard]] static Times read();

  Times start_;
};

}  // namespace millrace::bench
