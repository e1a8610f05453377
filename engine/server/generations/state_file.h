#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

// What operators have decided about versions, kept over restarts (`plans.state_file`, S28). The
// file has the artifacts of the versions that are active against the plan's file: after a restart
// no other place has them.

namespace millrace::server {

struct SavedPlan {
  std::string artifact;  ///< of the active version
  bool is_pinned = false;
  std::vector<std::string> held = {};  ///< digests
  friend bool operator==(const SavedPlan&, const SavedPlan&) = default;
};

/// By name of the plan. Only plans that operators have decided about are in it.
using SavedPlans = std::map<std::string, SavedPlan, std::less<>>;

/// Reads the file. One that does not exist says nothing about any plan.
[[nodiscard]] base::Result<SavedPlans> read_state_file(const std::string& path);
/// Replaces the file, all or nothing.
[[nodiscard]] base::Status write_state_file(const std::string& path, const SavedPlans& plans);

/// Replaces a file, all or nothing: readers see the old text or the new one. The new text is on the
/// disk when this returns.
[[nodiscard]] base::Status replace_file(const std::string& path, const std::string& text);

}  // namespace millrace::server
