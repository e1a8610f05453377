#include "net/uv_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/error.h"
#include "loop/event_loop.h"
#include "loop/uv_loop.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/stream.h"
#include "net/uv_handle.h"

namespace millrace::net {

/// A name lookup, which runs on a thread of libuv and so may outlive whoever asked.
struct UvLookup {
  uv_getaddrinfo_t request{};
  UvStream* owner = nullptr;

  static void done(uv_getaddrinfo_t* request, int status, addrinfo* found) {
    auto* const lookup = static_cast<UvLookup*>(request->data);
    if (lookup->owner != nullptr) lookup->owner->on_resolved(status, found);
    uv_freeaddrinfo(found);
    delete lookup;  // NOLINT: libuv had it
  }
};

namespace {

using base::Error;
using base::ErrorCode;
using Handle = UvStream::Handle;

constexpr std::size_t kTargetsMax = 8;
constexpr unsigned kKeepAliveSeconds = 60;

/// Keeps a write to a peer that went away from ending the process: libuv writes without
/// MSG_NOSIGNAL.
void block_broken_pipe_signal() {
  static thread_local bool is_blocked = false;
  if (std::exchange(is_blocked, true)) return;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// An address that needs no lookup.
std::optional<sockaddr_storage> find_literal(const Address& address) {
  sockaddr_storage target{};
  const int port = address.port;
  if (uv_ip4_addr(address.host.c_str(), port, reinterpret_cast<sockaddr_in*>(&target)) == 0) {
    return target;
  }
  if (uv_ip6_addr(address.host.c_str(), port, reinterpret_cast<sockaddr_in6*>(&target)) == 0) {
    return target;
  }
  return std::nullopt;
}

void allocate(uv_handle_t* any, std::size_t /*suggested*/, uv_buf_t* buffer) {
  Handle& handle = Handle::of(any);
  const std::span<char> space =
      handle.owner == nullptr ? std::span<char>() : handle.owner->read_space();
  *buffer = uv_buf_init(space.data(), static_cast<unsigned>(space.size()));
}

void read_done(uv_stream_t* stream, ssize_t size, const uv_buf_t* /*buffer*/) {
  Handle& handle = Handle::of(stream);
  if (handle.owner != nullptr && size != 0) handle.owner->on_read(size);
}

void write_done(uv_write_t* request, int status) {
  Handle& handle = Handle::of(request->handle);
  if (handle.owner != nullptr) handle.owner->on_written(status);
}

void connect_done(uv_connect_t* request, int status) {
  Handle& handle = Handle::of(request->handle);
  if (handle.owner != nullptr) handle.owner->on_connect(status);
}

}  // namespace

UvStream::UvStream(loop::EventLoop& loop, StreamListener& listener)
    : loop_(loop), listener_(listener), timer_(loop, *this) {
  loop_.thread().assert_current();
  block_broken_pipe_signal();
}

UvStream::~UvStream() { close(); }

void UvStream::connect(const Address& address, const ConnectOptions& options) {
  address_ = address;
  peer_ = to_string(address);
  options_ = options;
  timer_.start(options.connect_timeout);
  if (address.is_unix()) return connect_unix();
  if (const auto literal = find_literal(address)) {
    targets_.push_back(*literal);
    return connect_next(UV_EADDRNOTAVAIL);
  }
  resolve();
}

void UvStream::adopt(Descriptor descriptor, bool is_unix, std::string peer) {
  loop_.thread().assert_current();
  peer_ = std::move(peer);
  phase_ = Phase::kAdopted;
  int result = 0;
  handle_ = Handle::open(loop_.uv().loop, is_unix, this, result);
  if (handle_ == nullptr) return fail_later(error("Cannot take a connection", result));
  result = is_unix ? uv_pipe_open(handle_->pipe(), descriptor.get())
                   : uv_tcp_open(handle_->tcp(), descriptor.get());
  if (result != 0) return fail_later(error("Cannot take a connection", result));
  (void)descriptor.release();  // the handle has it now
  if (!is_unix) uv_tcp_nodelay(handle_->tcp(), 1);
  timer_.start({});
}

void UvStream::resolve() {
  loop_.thread().assert_current();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  auto lookup = std::make_unique<UvLookup>();
  lookup->request.data = lookup.get();
  lookup->owner = this;
  const std::string port = std::to_string(address_.port);
  const int result = uv_getaddrinfo(&loop_.uv().loop,
                                    &lookup->request,
                                    &UvLookup::done,
                                    address_.host.c_str(),
                                    port.c_str(),
                                    &hints);
  if (result != 0) return fail_later(error("Cannot look up a host", result));
  lookup_ = lookup.release();
}

void UvStream::on_resolved(int status, const void* found) {
  lookup_ = nullptr;
  if (status != 0) return fail(error("Cannot look up a host", status));
  for (const auto* item = static_cast<const addrinfo*>(found); item != nullptr;
       item = item->ai_next) {
    if (targets_.size() == kTargetsMax) break;
    sockaddr_storage target{};
    std::memcpy(&target, item->ai_addr, std::min<std::size_t>(item->ai_addrlen, sizeof target));
    targets_.push_back(target);
  }
  connect_next(UV_EADDRNOTAVAIL);
}

void UvStream::connect_next(int last_error) {
  loop_.thread().assert_current();
  phase_ = Phase::kConnecting;
  drop_handle();
  while (next_target_ < targets_.size()) {
    const auto* target = reinterpret_cast<const sockaddr*>(&targets_[next_target_++]);
    handle_ = Handle::open(loop_.uv().loop, false, this, last_error);
    if (handle_ == nullptr) continue;
    last_error = uv_tcp_connect(&handle_->connect_request, handle_->tcp(), target, &connect_done);
    if (last_error == 0) return;
    drop_handle();
  }
  fail_later(error("Cannot connect", last_error));
}

void UvStream::connect_unix() {
  loop_.thread().assert_current();
  phase_ = Phase::kConnecting;
  int result = UV_ENAMETOOLONG;
  if (address_.unix_path.size() <= kUnixPathMax) {
    handle_ = Handle::open(loop_.uv().loop, true, this, result);
  }
  if (handle_ == nullptr) return fail_later(error("Cannot connect", result));
  uv_pipe_connect(
      &handle_->connect_request, handle_->pipe(), address_.unix_path.c_str(), &connect_done);
}

void UvStream::on_connect(int status) {
  if (status != 0) return connect_next(status);
  timer_.stop();
  if (!address_.is_unix()) {
    // A connection is usable without either, so errors do not matter.
    if (options_.no_delay) uv_tcp_nodelay(handle_->tcp(), 1);
    if (options_.keep_alive) uv_tcp_keepalive(handle_->tcp(), 1, kKeepAliveSeconds);
  }
  open();
}

void UvStream::open() {
  phase_ = Phase::kOpen;
  if (!queue_.empty()) {
    send_queue();
  } else if (finishing_) {
    end_output();
  }
  if (const int result = update_reading(); result != 0) return fail(error("Cannot read", result));
  listener_.on_connected();
}

int UvStream::update_reading() {
  const bool wanted = phase_ == Phase::kOpen && !paused_ && !input_ended_;
  if (wanted == reading_) return 0;
  reading_ = wanted;
  return wanted ? uv_read_start(handle_->stream(), &allocate, &read_done)
                : uv_read_stop(handle_->stream());
}

void UvStream::on_read(std::ptrdiff_t size) {
  if (size > 0) return listener_.on_read(static_cast<std::size_t>(size));
  if (size != UV_EOF) return fail(error("Connection lost", static_cast<int>(size)));
  input_ended_ = true;
  (void)update_reading();
  // Nothing is left to do: the timer says so, after the listener has heard of the end.
  if (output_ended_) timer_.start({});
  listener_.on_input_end();
}

void UvStream::pause_reading() {
  paused_ = true;
  (void)update_reading();
}

void UvStream::resume_reading() {
  paused_ = false;
  if (phase_ == Phase::kClosed || failure_) return;
  if (const int result = update_reading(); result != 0) fail_later(error("Cannot read", result));
}

void UvStream::finish() {
  if (phase_ == Phase::kClosed || failure_ || std::exchange(finishing_, true)) return;
  if (phase_ == Phase::kOpen && !writing_) end_output();
}

void UvStream::end_output() {
  output_ended_ = true;
  int descriptor = -1;
  uv_fileno(&handle_->socket.any, &descriptor);
  // It fails when the peer has broken the connection; reading reports that.
  ::shutdown(descriptor, SHUT_WR);
  if (input_ended_) timer_.start({});
}

void UvStream::write(std::string bytes) {
  if (phase_ == Phase::kClosed || failure_ || finishing_ || bytes.empty()) return;
  std::size_t sent = 0;
  if (phase_ == Phase::kOpen && !writing_) {
    const uv_buf_t buffer = uv_buf_init(bytes.data(), static_cast<unsigned>(bytes.size()));
    const int result = uv_try_write(handle_->stream(), &buffer, 1);
    if (result < 0 && result != UV_EAGAIN) return fail_later(error("Cannot write", result));
    sent = result < 0 ? 0 : static_cast<std::size_t>(result);
    if (sent == bytes.size()) return;
  }
  bytes.erase(0, sent);
  queue_bytes_ += bytes.size();
  queue_.push_back(std::move(bytes));
  if (phase_ == Phase::kOpen && !writing_) send_queue();
}

void UvStream::send_queue() {
  handle_->writing = std::exchange(queue_, {});
  queue_bytes_ = 0;
  std::vector<uv_buf_t> buffers;
  buffers.reserve(handle_->writing.size());
  for (std::string& part : handle_->writing) {
    buffers.push_back(uv_buf_init(part.data(), static_cast<unsigned>(part.size())));
  }
  const int result = uv_write(&handle_->write_request,
                              handle_->stream(),
                              buffers.data(),
                              static_cast<unsigned>(buffers.size()),
                              &write_done);
  if (result != 0) return fail_later(error("Cannot write", result));
  writing_ = true;
}

void UvStream::on_written(int status) {
  writing_ = false;
  handle_->writing.clear();
  if (status != 0) return fail(error("Cannot write", status));
  if (failure_) return;
  if (!queue_.empty()) return send_queue();
  if (finishing_) end_output();
  listener_.on_drained();
}

std::size_t UvStream::unsent_bytes() const {
  if (handle_ == nullptr) return queue_bytes_;
  return queue_bytes_ + uv_stream_get_write_queue_size(handle_->stream());
}

void UvStream::on_timer() {
  if (failure_) return fail(*std::exchange(failure_, std::nullopt));
  if (phase_ == Phase::kAdopted) return open();
  if (phase_ == Phase::kOpen) {
    // Both sides have ended.
    close();
    return listener_.on_closed({});
  }
  fail(Error(ErrorCode::kTimeout, "Cannot connect in time", peer_));
}

void UvStream::fail(Error reason) {
  close();
  listener_.on_closed(std::unexpected(std::move(reason)));
}

void UvStream::fail_later(Error reason) {
  failure_ = std::move(reason);
  timer_.start({});
}

void UvStream::close() {
  if (std::exchange(phase_, Phase::kClosed) == Phase::kClosed) return;
  timer_.stop();
  if (lookup_ != nullptr) {
    lookup_->owner = nullptr;
    // Fails when the lookup runs already; then its result is dropped.
    uv_cancel(reinterpret_cast<uv_req_t*>(&lookup_->request));
    lookup_ = nullptr;
  }
  drop_handle();
  queue_.clear();
  queue_bytes_ = 0;
}

void UvStream::drop_handle() {
  reading_ = false;
  if (handle_ != nullptr) std::exchange(handle_, nullptr)->close();
}

Error UvStream::error(const char* what, int uv_error) const {
  return {ErrorCode::kUnavailable, std::string(what) + ": " + uv_strerror(uv_error), peer_};
}

}  // namespace millrace::net
