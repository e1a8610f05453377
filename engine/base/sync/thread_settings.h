#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::base {

enum class ThreadPolicy : std::uint8_t { kNormal, kFifo, kRoundRobin };

/// What the system is asked to do for one thread. Defaults ask for nothing.
struct ThreadSettings {
  std::string name = {};       ///< at most 15 bytes are shown by the system
  std::vector<int> cpus = {};  ///< processors it may run on
  int nice = 0;                ///< -20 to 19
  ThreadPolicy policy = ThreadPolicy::kNormal;
  int policy_priority = 0;  ///< of fifo and round robin, 1 to 99
};

/// What became of one setting.
struct ThreadSettingOutcome {
  std::string_view field = {};  ///< thread_name, cpu_affinity, nice_priority or rt_policy
  std::string requested = {};
  std::string effective = {};  ///< as read back from the system
  int error = 0;               ///< errno of the system's refusal; 0: none

  [[nodiscard]] bool is_met() const { return error == 0 && requested == effective; }
};

/// Applies the settings that are not at their default to the calling thread and reads them back.
/// Threading: the thread that is meant.
[[nodiscard]] std::vector<ThreadSettingOutcome> apply_thread_settings(
    const ThreadSettings& settings);

}  // namespace millrace::base
