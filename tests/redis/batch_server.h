#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/loop_fixture.h"
#include "net/listener.h"
#include "net/stream.h"
#include "net/uv_listener.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::live {

/// A server that answers all commands of one read in one write, from embedded data, and counts its
/// reads. So the number of writes of a client can be tested exactly. Threading: made and destroyed
/// by the test; runs on its own loop.
class BatchServer final : private net::Acceptor {
 public:
  /// If `refusal` is given, it is the reply to every command but greetings.
  BatchServer(const std::string& socket_path,
              stores::EmbeddedStoreRef store,
              std::string refusal = {})
      : store_(std::move(store)),
        refusal_(std::move(refusal)),
        loop_(loop::EventLoop::create("server").value()) {
    loop::run_and_wait(*loop_, [&] {
      listener_ = net::UvListener::listen(*loop_, {.unix_path = socket_path}, *this).value();
    });
  }
  ~BatchServer() override {
    loop::run_and_wait(*loop_, [&] {
      peers_.clear();
      listener_.reset();
    });
    loop_->stop();
  }
  BatchServer(const BatchServer&) = delete;
  BatchServer& operator=(const BatchServer&) = delete;

  /// Number of reads that held anything but greetings.
  [[nodiscard]] int batch_count() const { return batches_; }
  [[nodiscard]] int command_count() const { return commands_; }

 private:
  class Peer final : public net::StreamListener {
   public:
    explicit Peer(BatchServer& server) : server_(server) {}
    std::unique_ptr<net::Stream> stream;

   private:
    void on_connected() override {}
    std::span<char> read_space() override {
      block_.resize(std::size_t{1} << 20U);
      return block_;
    }
    void on_read(std::size_t size) override {
      unread_.append(block_.data(), size);
      stores::RespTreeSink commands;
      for (;;) {
        const auto step = reader_.read(unread_, commands, commands);
        unread_.erase(0, step.consumed);
        if (step.status != stores::ReadStatus::kReply) break;
      }
      std::string out;
      bool has_batch = false;
      for (const stores::RespValue& command : commands.values) {
        has_batch |= server_.answer(command, out);
      }
      if (has_batch) ++server_.batches_;
      if (!out.empty()) stream->write(std::move(out));
    }
    void on_input_end() override { stream->close(); }
    void on_closed(const base::Status&) override {}

    BatchServer& server_;
    std::string block_;
    std::string unread_;
    stores::RespReader reader_;
  };

  void on_incoming(std::unique_ptr<net::Incoming> incoming) override {
    Peer& peer = peers_.emplace_back(*this);
    peer.stream = incoming->adopt(*loop_, peer);
  }
  void on_accept_paused(const base::Error&) override {}
  void on_listener_closed() override {}

  /// Appends the answer to a command; true if it reads data.
  bool answer(const stores::RespValue& command, std::string& out) {
    const std::string& name = command.elements.at(0).text;
    if (name == "HELLO") {
      out += "%1\r\n$5\r\nproto\r\n:3\r\n";
      return false;
    }
    ++commands_;
    if (!refusal_.empty()) {
      out += "-" + refusal_ + "\r\n";
      return true;
    }
    stores::KeyListBuilder key(scratch_, "", "", 1);
    key.add(command.elements.at(1).text);
    stores::CommandBatch batch{.keys = key.finish()};
    std::vector<std::string> fields;
    if (name == "HGETALL") {
      batch.command = stores::StoreCommand::kHashGetAll;
    } else if (name == "LRANGE") {
      batch.command = stores::StoreCommand::kListRange;
      batch.count = std::stoll(command.elements.at(3).text) + 1;
    } else {
      MR_CHECK(name == "HMGET", name);
      batch.command = stores::StoreCommand::kHashGet;
      for (std::size_t i = 2; i < command.elements.size(); ++i) {
        fields.push_back(command.elements[i].text);
      }
      batch.fields = fields;
    }
    const auto reply = stores::EmbeddedClient(store_).answer(batch);
    MR_CHECK(reply.has_value());
    stores::CommandWriter writer(out);
    writer.begin(reply->texts.size());
    for (const std::string_view text : reply->texts.span()) {
      if (stores::is_null(text)) {
        writer.raw("_\r\n");
      } else {
        writer.word(text);
      }
    }
    return true;
  }

  const stores::EmbeddedStoreRef store_;
  const std::string refusal_;
  std::unique_ptr<loop::EventLoop> loop_;
  std::unique_ptr<net::UvListener> listener_;
  std::list<Peer> peers_;
  rows::RowScratch scratch_;
  // Counted on the server's loop, read by the test after its request has been answered.
  std::atomic<int> batches_{0};
  std::atomic<int> commands_{0};
};

}  // namespace millrace::live
