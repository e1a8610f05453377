#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

namespace millrace::bench {

/// A folder that is removed when this object is destroyed.
class TempFolder {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<TempFolder>> make();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Copies a folder with all that is in it.
[[nodiscard]] base::Status copy_folder(const std::string& from, const std::string& to);

}  // namespace millrace::bench
