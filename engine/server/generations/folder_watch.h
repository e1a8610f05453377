#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace millrace::server {

/// Waits for changes of folders, and for whoever wakes it.
/// Threading: one thread waits; `wake` from any thread.
class FolderWatch {
 public:
  struct Event {
    bool is_changed = false;  ///< something in a folder may have changed
    bool is_woken = false;
  };

  virtual ~FolderWatch() = default;
  /// Watches these folders and no others. What cannot be watched is left out: it is looked at from
  /// time to time.
  virtual void set_folders(const std::vector<std::string>& folders) = 0;
  /// Waits until something happens, at most until `limit`.
  [[nodiscard]] virtual Event wait(base::TimePoint limit) = 0;
  virtual void wake() = 0;
};

/// A watch of the kernel (inotify). It reports names that come, go or are replaced, among them the
/// link `..data` that Kubernetes exchanges, and files that were written to.
[[nodiscard]] base::Result<std::unique_ptr<FolderWatch>> open_folder_watch();

}  // namespace millrace::server
