#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "stores/redis/cluster/cluster_router.h"
#include "stores/redis/cluster/slot_hash.h"
#include "stores/redis/redis_fixture.h"

// A cluster in virtual time for tests: three masters that know who has what.

namespace millrace::stores::testing {

/// A node that answers GET and MGET with `key@port`, as long as it has the slot.
struct FakeNode {
  std::map<std::string, std::string> replies;           ///< to `NAME KEY`, instead
  std::map<std::string, std::deque<std::string>> once;  ///< before those, one after another
  std::optional<std::string> slots;                     ///< to CLUSTER SLOTS, instead
  bool is_down = false;
  bool is_mute = false;
  std::vector<std::string> commands;  ///< `NAME KEY`; no greetings, no CLUSTER
  std::size_t write_count = 0;        ///< writes that held such commands
  std::size_t slots_count = 0;        ///< how often it was asked for the map
};

/// `a` is on node 3, `b` on node 1, `c` on node 2; node 1 is the one that the settings name.
class ClusterRig {
 public:
  struct Range {
    std::uint32_t last = 0;
    std::uint16_t port = 0;
  };

  explicit ClusterRig(PoolSettings settings = RedisRig::pool_settings(),
                      PoolListener* listener = nullptr) {
    connector.on_connect = [this](net::FakePeer& peer) {
      peers.push_back(&peer);
      if (node_of(peer).is_down) return peer.refuse();
      peer.accept();
    };
    connector.on_receive = [this](net::FakePeer& peer) { receive(peer); };
    router.emplace(
        RedisConnection::Services{
            .loop = loop, .connector = connector, .random = random, .cells = cells},
        settings,
        listener);
  }

  /// What is true, and what nodes say of it.
  std::vector<Range> ranges{{5460, 1}, {10922, 2}, {16383, 3}};
  std::map<std::uint16_t, FakeNode> nodes;
  base::Duration delay{};  ///< of every answer to commands

  base::ManualClock clock;
  loop::FakeLoop loop{clock};
  net::FakeConnector connector{loop};
  base::SplitMix64 random{1};
  ConnectionCells cells;
  std::vector<net::FakePeer*> peers;
  std::optional<ClusterRouter> router;

  void submit(TestCall& call) {
    const base::Status taken = router->submit(call);
    if (!taken) call.status = taken;
  }
  /// Reads the map and connects to all nodes.
  void warm() {
    TestCall call({{"GET", "a"}, {"GET", "b"}, {"GET", "c"}});
    submit(call);
    loop.run_ready();
    for (auto& [port, node] : nodes) {
      node.commands.clear();
      node.write_count = 0;
    }
  }
  void kill(std::uint16_t port) {
    nodes[port].is_down = true;
    for (net::FakePeer* const peer : peers) {
      if (peer->address().port == port && peer->is_open()) peer->reset();
    }
  }
  /// What becomes of a call by itself.
  std::string outcome_of(std::vector<Words> commands) {
    TestCall call(std::move(commands));
    submit(call);
    loop.run_ready();
    std::string outcome = call.outcome();
    router->withdraw(call);
    return outcome;
  }

 private:
  FakeNode& node_of(const net::FakePeer& peer) { return nodes[peer.address().port]; }
  [[nodiscard]] std::uint16_t owner_of(std::uint16_t slot) const {
    for (const Range& range : ranges) {
      if (slot <= range.last) return range.port;
    }
    return 0;
  }
  [[nodiscard]] std::string slots_reply() const {
    std::string out = "*" + std::to_string(ranges.size()) + "\r\n";
    std::uint32_t first = 0;
    for (const Range& range : ranges) {
      out += "*3\r\n:" + std::to_string(first) + "\r\n:" + std::to_string(range.last) +
             "\r\n*3\r\n$1\r\nh\r\n:" + std::to_string(range.port) + "\r\n$2\r\nid\r\n";
      first = range.last + 1;
    }
    return out;
  }
  std::string answer(std::uint16_t port, const Words& words, bool asking) {
    FakeNode& node = nodes[port];
    const std::string name = words[0] + " " + words[1];
    if (auto& list = node.once[name]; !list.empty()) {
      std::string first = list.front();
      list.pop_front();
      return first;
    }
    if (const auto found = node.replies.find(name); found != node.replies.end()) {
      return found->second;
    }
    const std::uint16_t slot = slot_of(words[1]);
    const std::uint16_t owner = owner_of(slot);
    if (owner != port && !asking) {
      return "-MOVED " + std::to_string(slot) + " h:" + std::to_string(owner) + "\r\n";
    }
    const std::string value = words[1] + "@" + std::to_string(port);
    return words[0] == "MGET" ? list({value}) : bulk(value);
  }
  void receive(net::FakePeer& peer) {
    FakeNode& node = node_of(peer);
    std::string out;
    bool has_commands = false;
    bool asking = false;
    for (const RespValue& command : read_all(peer.take_received())) {
      Words words;
      for (const RespValue& word : command.elements) words.push_back(word.text);
      if (words[0] == "HELLO") {
        out += "%1\r\n$5\r\nproto\r\n:3\r\n";
      } else if (words[0] == "CLUSTER") {
        ++node.slots_count;
        out += node.slots.value_or(slots_reply());
      } else if (words[0] == "ASKING") {
        node.commands.emplace_back("ASKING");
        out += "+OK\r\n";
      } else {
        has_commands = true;
        node.commands.push_back(words[0] + " " + words[1]);
        out += answer(peer.address().port, words, asking);
      }
      asking = words[0] == "ASKING";
    }
    if (has_commands) ++node.write_count;
    if (!node.is_mute && !out.empty()) peer.deliver(out, has_commands ? delay : base::Duration(0));
  }
  static std::string list(const Words& texts) { return testing::list(texts); }
};

}  // namespace millrace::stores::testing
