#pragma once

#include <atomic>
#include <thread>

#include <nats/nats.h>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::nats {

/// The thread that reads and writes the socket of one connection of libnats, as an "external event
/// loop" of the library. With a thread of its own the library writes each message by itself; here
/// what was published meanwhile leaves in one write.
///
/// clang-format off
///   who                      does
///   ───────────────────────  ────────────────────────────────────────────────────────────────────
///   whoever publishes        the library puts the message into its buffer and calls `on_write`;
///                            then `send` writes as much of the buffer as the socket takes
///   this thread              reads; writes what the library says by itself, such as pings, and
///                            what the socket did not take
/// clang-format on
///
/// Only for connections without TLS: over TLS the library waits for the socket itself, and writes
/// each message by itself.
///
/// What the socket does not take stays in the library's buffer, which has no limit of its own: the
/// link bounds what it puts there, and a peer that does not read is given up after some pings
/// (library_link.cpp says how much and how many).
///
/// Locks are taken in the order `read_mutex_` or `write_mutex_`, the library's, `mutex_`: callbacks
/// of the library come under its own lock, and take `mutex_` only.
/// Threading: any thread. Lifetime: the connection must be alive until `stop` has returned, and may
/// call back until it is destroyed.
class SocketThread {
 public:
  /// While one of these lives, what the thread publishes is not sent, and wakes nobody: `send` must
  /// follow.
  class Batch {
   public:
    explicit Batch(const SocketThread& socket) : before_(sender_) { sender_ = &socket; }
    ~Batch() { sender_ = before_; }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    const SocketThread* const before_;
  };

  SocketThread();
  ~SocketThread();
  SocketThread(const SocketThread&) = delete;
  SocketThread& operator=(const SocketThread&) = delete;

  /// Makes connections with these options use this thread: one connection at a time.
  [[nodiscard]] natsStatus serve(natsOptions& options);
  /// Writes what was published, as far as the socket takes it; the thread sends the rest.
  void send() MR_EXCLUDES(write_mutex_, mutex_);
  /// Waits until what is being read now is read. Whoever delivers messages calls this before each:
  /// it is faster than who reads, and would be woken for every single message.
  void await_reading() MR_EXCLUDES(read_mutex_) { const base::MutexLock lock(read_mutex_); }
  /// Ends the thread. Nothing is read any more.
  void stop() MR_EXCLUDES(mutex_);

 private:
  /// What the thread waits for.
  struct Watched {
    natsConnection* connection = nullptr;
    natsSock socket = kNone;
    bool is_at_end = false;
  };
  static constexpr natsSock kNone = -1;

  // Called by the library, mostly with its lock held.
  static natsStatus on_attach(void** data, void* self, natsConnection* connection, natsSock socket);
  static natsStatus on_read(void* self, bool is_wanted);
  static natsStatus on_write(void* self, bool is_wanted);
  static natsStatus on_detach(void* self);

  void run() MR_EXCLUDES(read_mutex_, write_mutex_, mutex_);
  /// Writes what the socket takes. False: something is left.
  bool write() MR_EXCLUDES(write_mutex_, mutex_);
  void watch(natsSock socket) MR_EXCLUDES(mutex_);
  [[nodiscard]] Watched watched() MR_EXCLUDES(mutex_);
  void wake() const;

  static thread_local const SocketThread* sender_;

  int bell_ = -1;  // an eventfd that ends the thread's wait; constant
  // Whether the library's buffer has something; publishes nothing.
  std::atomic<bool> has_unsent_{false};
  // Of two writers the second would find an empty buffer, which the library takes for a peer that
  // has gone away.
  base::Mutex write_mutex_;
  base::Mutex read_mutex_;  // held while messages are read
  base::Mutex mutex_;
  Watched watched_ MR_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace millrace::nats
