#include "bench/rankd/bench_project.h"

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "apps/rankd/extensions.h"
#include "host/settings.h"
#include "stores/seed_data.h"

namespace millrace::bench {
namespace {

namespace fs = std::filesystem;

base::Error from(const host::StartError& error) {
  return {base::ErrorCode::kUnavailable, error.text};
}

}  // namespace

base::Status write_project(const std::string& folder, const DataSize& size) {
  const fs::path root = folder;
  const fs::path source = MILLRACE_SOURCE_DIR;
  std::error_code ignored;
  fs::create_directory(root / "data", ignored);
  MR_TRY_STATUS(copy_folder((source / "registry").string(), (root / "registry").string()));
  MR_TRY_STATUS(copy_folder((source / "plans").string(), (root / "plans").string()));
  std::ofstream data(root / "data" / "demo.redis", std::ios::binary);
  // More users than a list is long, so that no user is drawn twice.
  MR_TRY_STATUS(stores::write_seed_data({.users = 10 * size.followees,
                                         .followees = size.followees,
                                         .recommendations = size.followees,
                                         .media = size.media},
                                        data));
  data.close();
  if (data) return {};
  return base::fail(base::ErrorCode::kUnavailable, "Cannot write the data", folder);
}

base::Result<BenchEngine> BenchEngine::start(const DataSize& size, const std::string& plan_name) {
  BenchEngine bench;
  MR_TRY(bench.folder, TempFolder::make());
  MR_TRY_STATUS(write_project(bench.folder->path(), size));
  host::Settings settings;
  settings.root = bench.folder->path();
  settings.plan_name = plan_name;
  auto project = host::Project::open(settings, rankd::rankd_extensions());
  if (!project) return std::unexpected(from(project.error()));
  bench.project = *std::move(project);
  auto engine = host::Engine::start(settings, *bench.project);
  if (!engine) return std::unexpected(from(engine.error()));
  bench.engine = *std::move(engine);
  MR_TRY(bench.store, stores::EmbeddedStore::load(settings.root + "/data/demo.redis"));
  return bench;
}

}  // namespace millrace::bench
