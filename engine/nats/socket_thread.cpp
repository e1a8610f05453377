#include "nats/socket_thread.h"

#include <array>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"

namespace millrace::nats {

thread_local const SocketThread* SocketThread::sender_ = nullptr;

SocketThread::SocketThread() : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  MR_CHECK(bell_ >= 0, errno);
  thread_ = std::thread([this] { run(); });
}

SocketThread::~SocketThread() {
  stop();
  ::close(bell_);
}

natsStatus SocketThread::serve(natsOptions& options) {
  return natsOptions_SetEventLoop(&options, this, &on_attach, &on_read, &on_write, &on_detach);
}

void SocketThread::send() {
  if (!write()) wake();
}

bool SocketThread::write() {
  const base::MutexLock lock(write_mutex_);
  if (!has_unsent_.load(std::memory_order_relaxed)) return true;
  natsConnection* const connection = watched().connection;
  if (connection != nullptr) natsConnection_ProcessWriteEvent(connection);
  return !has_unsent_.load(std::memory_order_relaxed);
}

void SocketThread::stop() {
  if (!thread_.joinable()) return;
  {
    const base::MutexLock lock(mutex_);
    watched_.is_at_end = true;
  }
  wake();
  thread_.join();
}

natsStatus SocketThread::on_attach(void** data,
                                   void* self,
                                   natsConnection* connection,
                                   natsSock socket) {
  auto& thread = *static_cast<SocketThread*>(self);
  *data = self;
  {
    const base::MutexLock lock(thread.mutex_);
    thread.watched_.connection = connection;
  }
  thread.watch(socket);
  return NATS_OK;
}

natsStatus SocketThread::on_read(void* self, bool is_wanted) {
  // The library stops before it closes the socket, and attaches the next one.
  if (!is_wanted) static_cast<SocketThread*>(self)->watch(kNone);
  return NATS_OK;
}

natsStatus SocketThread::on_write(void* self, bool is_wanted) {
  const auto& thread = *static_cast<SocketThread*>(self);
  static_cast<SocketThread*>(self)->has_unsent_.store(is_wanted, std::memory_order_relaxed);
  if (is_wanted && sender_ != &thread) thread.wake();
  return NATS_OK;
}

natsStatus SocketThread::on_detach(void* self) {
  static_cast<SocketThread*>(self)->watch(kNone);
  return NATS_OK;
}

void SocketThread::watch(natsSock socket) {
  {
    const base::MutexLock lock(mutex_);
    watched_.socket = socket;
  }
  wake();
}

SocketThread::Watched SocketThread::watched() {
  const base::MutexLock lock(mutex_);
  return watched_;
}

void SocketThread::wake() const {
  const std::uint64_t one = 1;
  // A full counter rings, too.
  [[maybe_unused]] const ssize_t written = ::write(bell_, &one, sizeof(one));
}

void SocketThread::run() {
  const Batch batch(*this);  // it writes after each reading
  while (true) {
    const Watched now = watched();
    if (now.is_at_end) return;
    const bool is_full = has_unsent_.load(std::memory_order_relaxed);
    // A negative socket is passed over.
    std::array<pollfd, 2> polled{
        {{.fd = bell_, .events = POLLIN, .revents = 0},
         {.fd = now.socket,
          .events = static_cast<std::int16_t>(is_full ? POLLIN | POLLOUT : POLLIN),
          .revents = 0}}};
    if (::poll(polled.data(), polled.size(), -1) <= 0) continue;
    if (polled[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t size = ::read(bell_, &count, sizeof(count));
    }
    const auto happened = polled[1].revents;
    if ((happened & POLLNVAL) != 0) {
      // Closed without a word; the library will attach another one.
      const base::MutexLock lock(mutex_);
      if (watched_.socket == now.socket) watched_.socket = kNone;
      continue;
    }
    // An error is found by reading.
    if ((happened & ~POLLOUT) != 0) {
      const base::MutexLock lock(read_mutex_);
      natsConnection_ProcessReadEvent(now.connection);
    }
    (void)write();
  }
}

}  // namespace millrace::nats
