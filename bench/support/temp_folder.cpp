#include "support/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <stdlib.h>

#include "base/error.h"

namespace millrace::bench {

namespace fs = std::filesystem;

base::Result<std::unique_ptr<TempFolder>> TempFolder::make() {
  std::string name = (fs::temp_directory_path() / "millrace-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return base::fail(base::ErrorCode::kUnavailable, "Cannot make a folder", name);
  return std::unique_ptr<TempFolder>(new TempFolder(std::move(name)));
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

base::Status copy_folder(const std::string& from, const std::string& to) {
  std::error_code problem;
  fs::copy(from, to, fs::copy_options::recursive, problem);
  if (!problem) return {};
  return base::fail(base::ErrorCode::kUnavailable, problem.message(), from);
}

}  // namespace millrace::bench
