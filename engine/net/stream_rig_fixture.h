#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/fake_loop.h"
#include "loop/loop_fixture.h"
#include "net/fake_connector.h"
#include "net/fake_listener.h"
#include "net/stream.h"
#include "net/stream_fixture.h"
#include "net/tls_context.h"
#include "net/tls_fixture.h"
#include "net/tls_stream.h"
#include "net/uv_connector.h"
#include "net/uv_listener.h"

// One face for every kind of stream and its peer, so that the same tests run on all of them.

namespace millrace::net {

/// A stream under test, `end`, and its peer. All but `on_loop` and `turn` is for the loop thread.
class StreamRig {
 public:
  virtual ~StreamRig() = default;
  /// Runs `function` where streams may be used.
  virtual void on_loop(const std::function<void()>& function) { function(); }
  /// Lets the loop do what is ready.
  virtual void turn() = 0;

  /// Begins to connect.
  virtual void open() = 0;
  virtual void peer_write(std::string bytes) = 0;
  virtual void peer_finish() = 0;
  /// While stalled the peer takes no bytes: those beyond `stall_bytes` stay unsent.
  virtual void peer_stall(bool stalled) = 0;
  [[nodiscard]] virtual const std::string& peer_received() = 0;
  [[nodiscard]] virtual bool peer_saw_end() = 0;
  /// Whether the peer's functions may be called.
  [[nodiscard]] virtual bool peer_is_ready() { return true; }
  [[nodiscard]] virtual std::size_t stall_bytes() const { return 100'000; }

  Recorder end;
};

/// A fake stream that was opened from here.
class FakeClientRig : public StreamRig {
 public:
  ~FakeClientRig() override { end.stream.reset(); }
  void turn() override { loop_.run_ready(); }
  void open() override {
    end.stream = connector_.connect({.host = "h", .port = 1}, {}, end);
    peer_ = &connector_.peer(0);
  }
  void peer_write(std::string bytes) override { peer_->deliver(std::move(bytes)); }
  void peer_finish() override { peer_->half_close(); }
  void peer_stall(bool stalled) override { peer_->stall_writes(stalled); }
  [[nodiscard]] const std::string& peer_received() override { return peer_->received(); }
  [[nodiscard]] bool peer_saw_end() override { return peer_->saw_end(); }

 protected:
  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  FakePeer* peer_ = nullptr;
};

/// A fake stream that came in through a listener.
class FakeServerRig final : public FakeClientRig {
 public:
  ~FakeServerRig() override { end.stream.reset(); }
  void open() override { peer_ = &listener_.connect(); }

 private:
  struct Taker : Acceptor {
    explicit Taker(FakeServerRig& served) : rig(served) {}
    void on_incoming(std::unique_ptr<Incoming> incoming) override {
      rig.end.stream = incoming->adopt(rig.loop_, rig.end);
    }
    void on_accept_paused(const base::Error&) override {}
    void on_listener_closed() override {}
    FakeServerRig& rig;
  };
  Taker taker_{*this};
  FakeListener listener_{loop_, taker_};
};

/// TLS on fake streams, whose bytes and ends this rig carries between the two sides.
class TlsFakeRig final : public StreamRig {
 public:
  ~TlsFakeRig() override {
    end.stream.reset();
    remote_.stream.reset();
  }
  void turn() override {
    for (bool moved = true; moved;) {
      loop_.run_ready();
      moved = carry(0, 1);
      moved = carry(1, 0) || moved;
    }
  }
  void open() override {
    const TestCertificates& files = TestCertificates::get();
    open_end(end, TlsContext::make(files.client(), TlsRole::kClient), "localhost");
    open_end(remote_, TlsContext::make(files.server(), TlsRole::kServer), "");
  }
  void peer_write(std::string bytes) override { remote_.stream->write(std::move(bytes)); }
  void peer_finish() override { remote_.stream->finish(); }
  void peer_stall(bool stalled) override { connector_.peer(0).stall_writes(stalled); }
  [[nodiscard]] const std::string& peer_received() override { return remote_.text; }
  [[nodiscard]] bool peer_saw_end() override { return remote_.input_end_count > 0; }

 private:
  bool carry(std::size_t from, std::size_t to) {
    const std::string bytes = connector_.peer(from).take_received();
    if (!bytes.empty()) connector_.peer(to).deliver_split(bytes, 1000);
    const bool ends = connector_.peer(from).saw_end() && !std::exchange(ended_[from], true);
    if (ends) connector_.peer(to).half_close();
    return !bytes.empty() || ends;
  }
  void open_end(Recorder& side,
                base::Result<std::shared_ptr<const TlsContext>> context,
                const std::string& name) {
    auto stream = std::make_unique<TlsStream>(
        loop_,
        std::move(context),
        TlsStream::Settings{
            .handshake_timeout = std::chrono::minutes(1), .peer_name = name, .where = "there"},
        side);
    stream->start(connector_.connect({.host = "h", .port = 1}, {}, stream->inner_listener()));
    side.stream = std::move(stream);
  }

  base::ManualClock clock_;
  loop::FakeLoop loop_{clock_};
  FakeConnector connector_{loop_};
  Recorder remote_;
  std::array<bool, 2> ended_{};
};

/// Real sockets on a real loop: the stream under test connects or is accepted; its peer is the
/// other one.
class UvRig final : public StreamRig {
 public:
  struct Settings {
    bool is_unix = false;
    bool is_tls = false;
    bool is_server = false;  // the stream under test is the accepted one
  };
  explicit UvRig(Settings settings) : settings_(settings) {}
  ~UvRig() override {
    on_loop([&] {
      end.stream.reset();
      remote_.stream.reset();
      listener_.reset();
    });
  }
  void on_loop(const std::function<void()>& function) override {
    loop::run_and_wait(*loop_, function);
  }
  void turn() override {
    loop::run_and_wait(*loop_, [] {});
  }
  void open() override {
    Address address{.host = "127.0.0.1"};
    if (settings_.is_unix) {
      address = {.unix_path = testing::TempDir() + "mr_rig_" + std::to_string(getpid())};
    }
    UvListenerOptions options;
    ConnectOptions connect{.connect_timeout = std::chrono::minutes(1)};
    if (settings_.is_tls) {
      options.tls = TestCertificates::get().server();
      connect.tls = TestCertificates::get().client();
    }
    listener_ = UvListener::listen(*loop_, address, taker_, options).value();
    Recorder& side = settings_.is_server ? remote_ : end;
    side.stream = connector_.connect(listener_->address(), connect, side);
  }
  void peer_write(std::string bytes) override { remote_.stream->write(std::move(bytes)); }
  void peer_finish() override { remote_.stream->finish(); }
  void peer_stall(bool stalled) override {
    stalled ? remote_.stream->pause_reading() : remote_.stream->resume_reading();
  }
  [[nodiscard]] const std::string& peer_received() override { return remote_.text; }
  [[nodiscard]] bool peer_saw_end() override { return remote_.input_end_count > 0; }
  [[nodiscard]] bool peer_is_ready() override { return remote_.connected_count == 1; }
  // More than the kernel's buffers hold.
  [[nodiscard]] std::size_t stall_bytes() const override { return std::size_t{16} << 20; }

 private:
  struct Taker : Acceptor {
    explicit Taker(UvRig& served) : rig(served) {}
    void on_incoming(std::unique_ptr<Incoming> incoming) override {
      Recorder& side = rig.settings_.is_server ? rig.end : rig.remote_;
      side.stream = incoming->adopt(*rig.loop_, side);
    }
    void on_accept_paused(const base::Error&) override {}
    void on_listener_closed() override {}
    UvRig& rig;
  };

  const Settings settings_;
  std::unique_ptr<loop::EventLoop> loop_ = loop::EventLoop::create("test").value();
  UvConnector connector_{*loop_};
  Taker taker_{*this};
  std::unique_ptr<UvListener> listener_;
  Recorder remote_;
};

}  // namespace millrace::net
