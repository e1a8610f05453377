#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/engine.h"
#include "host/project.h"
#include "tests/redis/redis_server.h"

namespace millrace::bench {

/// The amount of data.
struct DataSize {
  int users = 2000;
  int items = 50'000;  ///< items that have media
  int fanout = 10;     ///< length of each user's follow and recommendation lists
  int media = 10;      ///< media of each item
};

/// A server with data, an engine on it, and an engine on the same data embedded.
/// Threading: not shared.
class World {
 public:
  explicit World(const DataSize& size);

  [[nodiscard]] const DataSize& size() const { return size_; }
  [[nodiscard]] live::RedisServer& server() { return server_; }
  [[nodiscard]] host::Engine& redis() { return *redis_.engine; }
  [[nodiscard]] host::Engine& embedded() { return *embedded_.engine; }

 private:
  struct Side {
    host::Settings settings;
    std::unique_ptr<host::Project> project;
    std::unique_ptr<host::Engine> engine;
  };
  void write_data(const std::string& file) const;
  void write_registry(const std::string& folder, const std::string& data_file) const;
  void start(Side& side, const std::string& env, const std::string& registry) const;

  const DataSize size_;
  live::TempFolder folder_;
  live::RedisServer server_;
  Side redis_;
  Side embedded_;
};

}  // namespace millrace::bench
