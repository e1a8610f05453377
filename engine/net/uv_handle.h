#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loop/uv_loop.h"

// Internal: what libuv needs to keep of a socket until it has called back for the last time.

namespace millrace::net {

class UvStream;

/// The socket of a stream, as libuv sees it. It lives until libuv has closed it, which may be later
/// than the stream, so callbacks always find it.
/// Threading: loop thread. Lifetime: made by `open`; only `close` ends it.
class UvHandle {
 public:
  /// Nullptr when libuv cannot make one, which it says in `error`.
  [[nodiscard]] static UvHandle* open(uv_loop_t& loop, bool is_pipe, UvStream* owner, int& error) {
    auto handle = std::make_unique<UvHandle>();
    error =
        is_pipe ? uv_pipe_init(&loop, &handle->socket.pipe, 0) : uv_tcp_init(&loop, handle->tcp());
    if (error != 0) return nullptr;
    handle->socket.any.data = handle.get();
    handle->owner = owner;
    return handle.release();
  }

  /// Ends the handle; its owner hears nothing more.
  void close() {
    owner = nullptr;
    uv_close(&socket.any,
             [](uv_handle_t* any) { delete static_cast<UvHandle*>(any->data); });  // NOLINT
  }

  [[nodiscard]] static UvHandle& of(const void* handle) {
    return *static_cast<UvHandle*>(static_cast<const uv_handle_t*>(handle)->data);
  }
  [[nodiscard]] uv_stream_t* stream() { return &socket.stream; }
  [[nodiscard]] uv_tcp_t* tcp() { return &socket.tcp; }
  [[nodiscard]] uv_pipe_t* pipe() { return &socket.pipe; }

  union Socket {
    uv_handle_t any;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  };
  Socket socket{};
  uv_connect_t connect_request{};
  uv_write_t write_request{};
  /// What `write_request` sends.
  std::vector<std::string> writing;
  /// Nullptr once closed.
  UvStream* owner = nullptr;
};

}  // namespace millrace::net
