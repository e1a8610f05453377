#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "redis_server.h"
#include "stores/redis/cluster/slot_hash.h"

namespace millrace::live {

/// A real cluster on this machine: three masters with a third of the slots each, in order, and a
/// replica of each. Throws if it does not start in time.
/// Threading: not shared. Lifetime: its destructor ends the servers.
class RedisCluster {
 public:
  static constexpr std::size_t kMasters = 3;

  RedisCluster() {
    std::string addresses;
    for (std::size_t i = 0; i < 2 * kMasters; ++i) {
      servers_.push_back(std::make_unique<RedisServer>(
          RedisServer::Options{.arguments = {"--cluster-enabled",
                                             "yes",
                                             "--cluster-port",
                                             std::to_string(free_port()),
                                             "--cluster-node-timeout",
                                             "2000",
                                             "--repl-diskless-sync-delay",
                                             "0"}}));
      addresses += " 127.0.0.1:" + std::to_string(servers_.back()->port());
    }
    run_line("redis-cli --cluster create" + addresses + " --cluster-replicas 1 --cluster-yes 2>&1");
    for (const auto& server : servers_) {
      wait_for(*server, "cluster info", "cluster_state:ok");
      wait_for(*server, "cluster info", "cluster_known_nodes:6");
    }
    for (std::size_t i = kMasters; i < servers_.size(); ++i) {
      wait_for(*servers_[i], "info replication", "master_link_status:up");
    }
  }

  [[nodiscard]] RedisServer& master(std::size_t index) { return *servers_[index]; }
  /// The master that had the slot of a key at the start.
  [[nodiscard]] RedisServer& owner(std::string_view key) {
    return master(stores::slot_of(key) * kMasters / stores::kSlotCount);
  }
  [[nodiscard]] static std::string id_of(const RedisServer& server) {
    std::string id = server.cli("cluster myid");
    id.pop_back();
    return id;
  }

  /// Sends each line, a command whose second word is its key, to the node that has the key.
  void load(std::string_view lines) {
    std::array<std::string, kMasters> texts;
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
      const std::size_t begin = line.find(' ') + 1;
      const std::string_view key = line.substr(begin, line.find(' ', begin) - begin);
      texts[stores::slot_of(key) * kMasters / stores::kSlotCount] += std::string(line) + "\n";
    }
    for (std::size_t i = 0; i < kMasters; ++i) {
      master(i).load(master(i).folder().write("lines", texts[i]));
    }
  }

  /// Waits until the replica of a master has everything that was written before: when a master
  /// fails, a cluster loses what has not been replicated. The master must still have its slots.
  void pass_on(std::size_t index) {
    std::string key = "passed:0";
    for (int i = 1; &owner(key) != &master(index); ++i) key = "passed:" + std::to_string(i);
    const std::string out = master(index).cli("<<'END'\nSET " + key + " 1\nWAIT 1 60000\nEND");
    if (out != "OK\n1\n") throw std::runtime_error("The replica does not follow: " + out);
  }

 private:
  /// Asks until the reply contains `text`.
  static void wait_for(const RedisServer& server, const std::string& words, std::string_view text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (server.cli(words).find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("The cluster does not come up: " + server.cli(words));
      }
    }
  }

  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace millrace::live
