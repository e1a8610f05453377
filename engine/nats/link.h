#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "nats/message.h"

// One connection to NATS servers, as the rest of the program sees it.

namespace millrace::nats {

enum class LinkState : std::uint8_t {
  kDown,       ///< not connected; the link tries again by itself
  kConnected,  ///< messages come and go
  kClosed,     ///< given up, such as after two refused passwords; only another link helps
};

/// Gets the messages of a subscription.
/// Threading: called on threads of the library, one call at a time per subscription. Must not
/// block.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void on_message(Message message) = 0;
  /// Called when no other message waits for this sink, so that whoever works on messages is woken
  /// once for many of them.
  virtual void on_rest() {}
};

/// Hears what happens to a link.
/// Threading: called on threads of the library. Must not block.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  virtual void on_state(LinkState /*state*/) {}
  /// The library has dropped messages, because too many waited for a sink.
  virtual void on_overflow() {}
  /// The server refused something, such as a subject without permission, or us.
  virtual void on_problem(const std::string& /*problem*/) {}
};

/// The interest in one subject. Destroying it ends it; its sink is then called no more.
/// Threading: one thread at a time, and no thread of the library.
class Subscription {
 public:
  virtual ~Subscription() = default;
  /// Asks for no more messages. Those that are on their way still come, until `has_ended`.
  virtual void leave() = 0;
  [[nodiscard]] virtual bool has_ended() const = 0;
};

/// A connection. Connects and reconnects by itself.
/// Threading: any thread. All but `state` may wait while a connection is made; `flush` waits for
/// the server.
class Link {
 public:
  virtual ~Link() = default;

  /// Listens on a subject, which may have wildcards. Of the members of a queue group one gets each
  /// message; without a group all do. The sink must outlive the subscription.
  [[nodiscard]] virtual base::Result<std::unique_ptr<Subscription>> subscribe(
      const std::string& subject, const std::string& group, MessageSink& sink) = 0;
  /// Takes a message, which leaves with the next `send`, or before. `kUnavailable`: there is no
  /// connection, or too much waits for a server that does not read. `kResourceExhausted`: it is
  /// larger than the server allows.
  [[nodiscard]] virtual base::Status queue(const Message& message) = 0;
  /// Sends all that was queued, as few writes as possible.
  virtual void send() = 0;
  /// Sends a message.
  [[nodiscard]] base::Status publish(const Message& message) {
    base::Status queued = queue(message);
    send();
    return queued;
  }
  /// Waits until the server has everything that was sent.
  [[nodiscard]] virtual base::Status flush(base::Duration limit) = 0;

  [[nodiscard]] virtual LinkState state() const = 0;
  /// The most bytes that the server takes in one message, headers included.
  [[nodiscard]] virtual std::size_t payload_bytes_max() const = 0;
  /// A name that no other process makes, of letters and digits.
  [[nodiscard]] virtual std::string make_unique_name() const = 0;
};

}  // namespace millrace::nats
