#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/fake_loop.h"
#include "net/fake_connector.h"
#include "stores/redis/connection_cells.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_settings.h"

// A server in virtual time for tests: it reads commands and answers as told.

namespace millrace::stores::testing {

using Words = std::vector<std::string>;

/// Reads all replies that bytes hold.
inline std::vector<RespValue> read_all(std::string_view bytes) {
  RespReader reader;
  RespTreeSink replies;
  for (;;) {
    const RespReader::Step step = reader.read(bytes, replies, replies);
    bytes.remove_prefix(step.consumed);
    if (step.status == ReadStatus::kWanting || step.status == ReadStatus::kBroken) break;
  }
  return std::move(replies.values);
}

inline std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
inline std::string list(const Words& texts) {
  std::string out = "*" + std::to_string(texts.size()) + "\r\n";
  for (const std::string& text : texts) out += bulk(text);
  return out;
}

/// A call made of words, which keeps its replies.
class TestCall final : public RedisCall {
 public:
  explicit TestCall(std::vector<Words> with_commands)
      : RedisCall(static_cast<std::uint32_t>(with_commands.size())),
        commands(std::move(with_commands)) {}

  void encode(CommandWriter& out) override {
    for (const Words& words : commands) {
      out.begin(words.size());
      for (const std::string& word : words) out.word(word);
    }
  }
  void keep(const std::shared_ptr<char[]>&) override {}
  void on_done(base::Status with_status) override {
    status = std::move(with_status);
    if (when_done) when_done();
  }
  void on_text(std::string_view text) override { tree.on_text(text); }
  void on_token(const RespToken& token) override { tree.on_token(token); }
  void on_reply_end() override { tree.on_reply_end(); }

  [[nodiscard]] bool is_ok() const { return status.has_value() && status->has_value(); }
  /// The replies as people read them, or the code of the error.
  [[nodiscard]] std::string outcome() const {
    if (!status) return "waits";
    if (!*status) return std::string(base::to_string(status->error().code()));
    std::string out;
    for (const RespValue& value : tree.values) out += value.to_string() + " ";
    return out;
  }

  std::vector<Words> commands;
  RespTreeSink tree;
  std::optional<base::Status> status;
  std::function<void()> when_done;
};

/// Loop, connections and a scripted server.
class RedisRig {
 public:
  RedisRig() {
    connector.on_connect = [this](net::FakePeer& peer) {
      if (is_down) return peer.refuse();
      peer.accept();
    };
    connector.on_receive = [this](net::FakePeer& peer) { receive(peer); };
  }

  /// What the server says to each `NAME KEY`; anything else is answered by `other`.
  std::map<std::string, std::string> replies;
  std::string other = "*0\r\n";
  std::string hello = "%1\r\n$5\r\nproto\r\n:3\r\n";
  bool is_down = false;
  bool is_mute = false;         ///< reads and says nothing
  std::size_t split = 0;        ///< bytes per piece; 0: all at once
  base::Duration delay{};       ///< of every answer
  std::vector<Words> commands;  ///< all but greetings
  std::size_t write_count = 0;  ///< writes that held such commands

  base::ManualClock clock;
  loop::FakeLoop loop{clock};
  net::FakeConnector connector{loop};
  base::SplitMix64 random{1};
  ConnectionCells cells;

  [[nodiscard]] static PoolSettings pool_settings() {
    PoolSettings settings;
    settings.address = {.host = "h", .port = 1};
    settings.request_timeout = std::chrono::milliseconds(100);
    settings.connect.connect_timeout = std::chrono::milliseconds(50);
    return settings;
  }

 private:
  void receive(net::FakePeer& peer) {
    std::string out;
    bool has_commands = false;
    for (const RespValue& command : read_all(peer.take_received())) {
      Words words;
      for (const RespValue& word : command.elements) words.push_back(word.text);
      if (words[0] == "HELLO") {
        out += hello;
      } else if (words[0] == "AUTH" || words[0] == "SELECT" || words[0] == "CLIENT") {
        out += "+OK\r\n";
      } else {
        has_commands = true;
        const auto found = replies.find(words[0] + (words.size() > 1 ? " " + words[1] : ""));
        out += found != replies.end() ? found->second : other;
        commands.push_back(std::move(words));
      }
    }
    if (has_commands) ++write_count;
    if (is_mute || out.empty()) return;
    if (split == 0) {
      peer.deliver(out, delay);
    } else {
      peer.deliver_split(out, split, delay);
    }
  }
};

}  // namespace millrace::stores::testing
