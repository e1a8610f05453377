#include "bench/serve/echo_server.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include <llhttp.h>
#include <netinet/in.h>
#include <unistd.h>
#include <uv.h>

#include "base/check.h"
#include "bench/serve/served.h"

namespace millrace::bench {
namespace {

class EchoServer;

struct EchoConnection {
  uv_tcp_t handle{};
  llhttp_t parser{};
  EchoServer* server = nullptr;
  std::size_t complete_count = 0;
  std::string text;
};

class EchoServer final : public Served {
 public:
  EchoServer() : worker_([this] { run(); }) { started_.acquire(); }
  ~EchoServer() override {
    uv_async_send(&stop_);
    worker_.join();
  }
  [[nodiscard]] std::uint16_t port() const override { return port_; }
  [[nodiscard]] pid_t thread() const override { return thread_; }

 private:
  static EchoConnection& of(uv_stream_t* stream) {
    return *static_cast<EchoConnection*>(stream->data);
  }
  static int message_complete(llhttp_t* parser) {
    ++static_cast<EchoConnection*>(parser->data)->complete_count;
    return 0;
  }
  static void close(EchoConnection& connection) {
    uv_close(reinterpret_cast<uv_handle_t*>(&connection.handle), [](uv_handle_t* handle) {
      const std::unique_ptr<EchoConnection> freed(static_cast<EchoConnection*>(handle->data));
    });
  }
  static void allocate(uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
    auto& space = static_cast<EchoConnection*>(handle->data)->server->buffer_;
    *buffer = uv_buf_init(space.data(), static_cast<unsigned>(space.size()));
  }
  static void read_done(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
    EchoConnection& connection = of(stream);
    if (size == 0) return;
    if (size < 0) return close(connection);
    connection.complete_count = 0;
    const auto result =
        llhttp_execute(&connection.parser, buffer->base, static_cast<std::size_t>(size));
    if (result != HPE_OK) return close(connection);
    if (connection.complete_count == 0) return;
    connection.text.clear();
    for (std::size_t i = 0; i < connection.complete_count; ++i) {
      connection.text += "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ";
      connection.text += std::to_string(reply_body().size());
      connection.text += "\r\n\r\n";
      connection.text += reply_body();
    }
    const uv_buf_t reply =
        uv_buf_init(connection.text.data(), static_cast<unsigned>(connection.text.size()));
    const int written = uv_try_write(stream, &reply, 1);
    MR_CHECK(written == static_cast<int>(connection.text.size()), written);
  }
  static void connected(uv_stream_t* listener, int status) {
    if (status != 0) return;
    auto& server = *static_cast<EchoServer*>(listener->data);
    auto connection = std::make_unique<EchoConnection>();
    connection->server = &server;
    connection->handle.data = connection.get();
    uv_tcp_init(&server.loop_, &connection->handle);
    llhttp_init(&connection->parser, HTTP_REQUEST, &server.settings_);
    connection->parser.data = connection.get();
    auto* const stream = reinterpret_cast<uv_stream_t*>(&connection->handle);
    MR_CHECK(uv_accept(listener, stream) == 0);
    uv_tcp_nodelay(&connection->handle, 1);
    uv_read_start(stream, &allocate, &read_done);
    (void)connection.release();  // `close` frees it
  }

  void run() {
    thread_ = ::gettid();
    llhttp_settings_init(&settings_);
    settings_.on_message_complete = &message_complete;
    uv_loop_init(&loop_);
    uv_async_init(&loop_, &stop_, [](uv_async_t* async) { uv_stop(async->loop); });
    uv_tcp_init(&loop_, &listener_);
    listener_.data = this;
    sockaddr_in local{};
    uv_ip4_addr("127.0.0.1", 0, &local);
    uv_tcp_bind(&listener_, reinterpret_cast<sockaddr*>(&local), 0);
    MR_CHECK(uv_listen(reinterpret_cast<uv_stream_t*>(&listener_), 128, &connected) == 0);
    int size = sizeof local;
    uv_tcp_getsockname(&listener_, reinterpret_cast<sockaddr*>(&local), &size);
    port_ = ntohs(local.sin_port);
    started_.release();
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void*) {
          if (uv_is_closing(handle) != 0) return;
          const bool is_connection = handle->type == UV_TCP && handle->data != nullptr &&
                                     uv_is_readable(reinterpret_cast<uv_stream_t*>(handle)) != 0;
          if (is_connection) return close(*static_cast<EchoConnection*>(handle->data));
          uv_close(handle, nullptr);
        },
        nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  uv_loop_t loop_{};
  uv_async_t stop_{};
  uv_tcp_t listener_{};
  llhttp_settings_t settings_{};
  std::array<char, 65536> buffer_{};
  std::uint16_t port_ = 0;
  pid_t thread_ = 0;
  std::binary_semaphore started_{0};
  std::thread worker_;
};

}  // namespace

std::unique_ptr<Served> start_echo_server() { return std::make_unique<EchoServer>(); }

}  // namespace millrace::bench
