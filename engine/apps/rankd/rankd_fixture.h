#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "apps/rankd/engine.h"
#include "apps/rankd/flags.h"
#include "apps/rankd/project.h"
#include "base/check.h"

// For tests only: the project of this repository, and command lines.

namespace millrace::rankd::testing {

/// Flags that point at the repository, with few threads.
inline Flags repository_flags() {
  Flags flags;
  flags.root = MILLRACE_SOURCE_DIR;
  flags.cpu_threads = 2;
  return flags;
}

inline std::unique_ptr<Project> open_project(const Flags& flags) {
  auto project = Project::open(flags);
  MR_CHECK(project.has_value(), project ? "" : project.error().text);
  return *std::move(project);
}

inline std::unique_ptr<Engine> start_engine(const Flags& flags, const Project& project) {
  auto engine = Engine::start(flags, project);
  MR_CHECK(engine.has_value(), engine ? "" : engine.error().text);
  return *std::move(engine);
}

inline std::expected<Flags, EarlyExit> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "rankd");
  return read_flags(static_cast<int>(words.size()), words.data());
}

/// A folder for files of one test; goes with it.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-rankd-XXXXXX").string();
    MR_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file and gives its path.
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

inline constexpr std::string_view kBrokenPlan =
    R"({"schema_version": 1, "name": "broken", "nodes": [
        {"id": "a", "op": "nonsense", "inputs": [], "params": {}}], "outputs": ["a"]})";

}  // namespace millrace::rankd::testing
