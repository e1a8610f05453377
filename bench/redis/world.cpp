#include "bench/redis/world.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "apps/rankd/extensions.h"
#include "base/format.h"
#include "base/random.h"

namespace millrace::bench {

World::World(const DataSize& size) : size_(size) {
  const std::string data_file = folder_.path() + "/data.redis";
  write_data(data_file);
  server_.load(data_file);
  write_registry(folder_.path(), data_file);
  start(redis_, "test", folder_.path());
  start(embedded_, "dev", folder_.path());
}

void World::write_data(const std::string& file) const {
  std::ofstream out(file, std::ios::binary);
  base::SplitMix64 random(1);
  const auto list = [&](const std::string& key, int count, int first, int range) {
    out << "RPUSH " << key;
    for (int i = 0; i < count; ++i) {
      out << ' ' << first + static_cast<int>(random.below(static_cast<std::uint64_t>(range)));
    }
    out << '\n';
  };
  for (int user = 0; user < size_.users; ++user) {
    out << base::format("HSET user:{} name User{} country JP age {}\n", user, user, 20 + user % 50);
    list(base::format("follow:{}", user), size_.fanout, 0, size_.items);
    list(base::format("recommendation:{}", user), size_.fanout, 0, size_.items);
  }
  for (int item = 0; item < size_.items; ++item) {
    list(base::format("media:{}", item), size_.media, 1'000'000, 1'000'000);
  }
  // redis-benchmark makes random keys of twelve digits, so write the same values under such names
  // too.
  for (int user = 0; user < size_.users; ++user) {
    out << base::format(
        "HSET user:{:012} name User{} country JP age {}\n", user, user, 20 + user % 50);
    list(base::format("follow:{:012}", user), size_.fanout, 0, size_.items);
  }
  for (int item = 0; item < size_.items; ++item) {
    list(base::format("media:{:012}", item), size_.media, 1'000'000, 1'000'000);
  }
}

void World::write_registry(const std::string& folder, const std::string& data_file) const {
  namespace fs = std::filesystem;
  for (const char* const name : {"keys.toml", "params.toml"}) {
    fs::copy_file(fs::path(MILLRACE_SOURCE_DIR) / "registry" / name, fs::path(folder) / name);
  }
  std::string text;
  for (const std::string env : {"dev", "test", "prod"}) {
    text += base::format("[{}.redis_default]\n", env);
    text += env == "test"
                ? base::format(
                      "kind = 'redis'\nhost = '127.0.0.1'\nport = {}\npolicy = {{ "
                      "max_inflight = 16384, connections = 2, request_timeout = '20s' }}\n",
                      server_.port())
                : base::format("kind = 'embedded'\ndata_file = '{}'\n", data_file);
    text += base::format("[{}.web_default]\nkind = 'http'\nhost = '127.0.0.1'\nport = 9\n", env);
  }
  std::ofstream(folder + "/endpoints.toml") << text;
}

void World::start(Side& side, const std::string& env, const std::string& registry) const {
  side.settings.root = MILLRACE_SOURCE_DIR;
  side.settings.registry_dir = registry;
  side.settings.env = env;
  side.settings.cpu_threads = 1;
  auto project = host::Project::open(side.settings, rankd::rankd_extensions());
  if (!project) throw std::runtime_error(project.error().text);
  side.project = *std::move(project);
  auto engine = host::Engine::start(side.settings, *side.project);
  if (!engine) throw std::runtime_error(engine.error().text);
  side.engine = *std::move(engine);
}

}  // namespace millrace::bench
