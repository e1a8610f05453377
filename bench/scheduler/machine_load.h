#pragma once

namespace millrace::bench {

/// Sees how much of the machine others used since it was made: what a measurement on a shared
/// machine needs to know about itself.
/// Threading: not shared.
class MachineLoad {
 public:
  MachineLoad();

  /// Gives the share of all processors' time that went to other processes or was stolen by the
  /// host since construction; 0 where the kernel does not tell.
  [[nodiscard]] double foreign_share() const;

 private:
  struct Times {
    double all = 0;   ///< seconds of all processors
    double idle = 0;  ///< of which nobody used
    double own = 0;   ///< of which this process used
  };
  [[nodiscard]] static Times read();

  Times start_;
};

}  // namespace millrace::bench
