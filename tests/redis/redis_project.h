#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "apps/rankd/extensions.h"
#include "base/check.h"
#include "base/format.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/settings.h"
#include "redis_server.h"

// The project of this repository, with its `test` environment on a server that the test starts.

namespace millrace::live {

/// A policy with long timeouts, for tests that are not about time on machines that may be slow;
/// `fields` adds to it.
inline std::string patient(const std::string& fields = "connections = 2") {
  return "{ connect_timeout = '60s', request_timeout = '60s', " + fields + " }";
}

/// Writes a registry folder whose `test` environment is the server; `policy` and `address` are
/// TOML. The other environments read a data file, whose path is relative to the repository's
/// folder.
inline std::string write_registry(const TempFolder& folder,
                                  const std::string& address,
                                  const std::string& policy = patient(),
                                  const std::string& data_file = "data/demo.redis") {
  namespace fs = std::filesystem;
  const fs::path target = fs::path(folder.path()) / "registry";
  fs::create_directories(target);
  const fs::path source = fs::path(MILLRACE_SOURCE_DIR) / "registry";
  for (const char* const name : {"keys.toml", "params.toml"}) {
    fs::copy_file(source / name, target / name, fs::copy_options::overwrite_existing);
  }
  std::string text;
  for (const char* const env : {"dev", "test", "prod"}) {
    text += base::format("[{0}.redis_default]\n", env);
    if (std::string(env) == "test") {
      text += base::format("kind = 'redis'\n{}\npolicy = {}\n", address, policy);
    } else {
      text += base::format("kind = 'embedded'\ndata_file = '{}'\n", data_file);
    }
    text += base::format("[{}.web_default]\nkind = 'http'\nhost = '127.0.0.1'\nport = 8081\n", env);
  }
  std::ofstream(target / "endpoints.toml") << text;
  return target.string();
}

inline std::string unix_address(const RedisServer& server) {
  return "unix_path = '" + server.socket_path() + "'";
}
inline std::string tcp_address(const RedisServer& server) {
  return "host = '127.0.0.1'\nport = " + std::to_string(server.port());
}

/// `complex_dag` with a fallback for each fetch.
inline constexpr const char* kGuardedPlan =
    MILLRACE_SOURCE_DIR "/tests/redis/plans/guarded_dag.plan.json";

/// An engine with the repository's plans and further plan files, in one environment.
struct RunningEngine {
  RunningEngine(const std::string& registry,
                const std::string& env,
                const std::vector<std::string>& plan_files = {}) {
    settings.plan_files = plan_files;
    settings.plan_dir = MILLRACE_SOURCE_DIR "/plans";
    settings.root = MILLRACE_SOURCE_DIR;
    settings.registry_dir = registry;
    settings.env = env;
    settings.cpu_threads = 2;
    auto opened = host::Project::open(settings, rankd::rankd_extensions());
    MR_CHECK(opened.has_value(), opened ? "" : opened.error().text);
    project = *std::move(opened);
    auto started = host::Engine::start(settings, *project);
    MR_CHECK(started.has_value(), started ? "" : started.error().text);
    engine = *std::move(started);
  }

  host::Settings settings;
  std::unique_ptr<host::Project> project;
  std::unique_ptr<host::Engine> engine;
};

}  // namespace millrace::live
