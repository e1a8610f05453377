#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "host/engine.h"
#include "host/extensions.h"
#include "host/project.h"
#include "host/settings.h"
#include "stores/embedded_driver.h"
#include "stores/http/http_driver.h"
#include "stores/redis/redis_driver.h"
#include "stores/store_tasks.h"

// For tests only: the project of this repository as a process loads it.

namespace millrace::host::testing {

/// Settings that point at the repository, with few threads. `Kind` is `Settings` or derives from
/// it.
template <class Kind = Settings>
Kind repository_settings() {
  Kind settings;
  settings.root = MILLRACE_SOURCE_DIR;
  settings.cpu_threads = 2;
  settings.loops = 1;
  return settings;
}

inline Extensions all_extensions() {
  Extensions extensions;
  extensions.tasks.push_back(&stores::register_store_tasks);
  extensions.drivers.push_back(std::make_unique<stores::EmbeddedDriver>());
  extensions.drivers.push_back(std::make_unique<stores::RedisDriver>());
  extensions.drivers.push_back(std::make_unique<stores::HttpDriver>());
  return extensions;
}

inline std::unique_ptr<Project> open_project(const Settings& settings) {
  auto project = Project::open(settings, all_extensions());
  MR_CHECK(project.has_value(), project ? "" : project.error().text);
  return *std::move(project);
}

inline std::unique_ptr<Engine> start_engine(const Settings& settings, const Project& project) {
  auto engine = Engine::start(settings, project);
  MR_CHECK(engine.has_value(), engine ? "" : engine.error().text);
  return *std::move(engine);
}

/// A folder for the files of one test; deleted at its end.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-host-XXXXXX").string();
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

}  // namespace millrace::host::testing
