#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "nats/message.h"
#include "nats/request_box.h"

// JetStream, as far as jobs need it: questions in JSON over requests. libnats has functions for it,
// too; they cannot say all that jobs need (an expected sequence of 0), and each waits.

namespace millrace::nats {

/// What a stream has.
struct StreamState {
  std::uint64_t message_count = 0;
  std::uint64_t byte_count = 0;
  std::uint64_t last_sequence = 0;
};

/// How far a consumer is.
struct ConsumerState {
  std::uint64_t waiting_count = 0;   ///< messages that nobody has
  std::uint64_t open_count = 0;      ///< delivered, and not acknowledged
  std::uint64_t delivery_count = 0;  ///< every delivery counts
  std::uint64_t delivered_sequence = 0;
};

/// What became of a message for a stream.
enum class StoreOutcome : std::uint8_t {
  kStored,
  kTaken,          ///< the subject has its one message already
  kWrongSequence,  ///< the stream has another last sequence than was expected
  kFull,           ///< the stream has reached its size
};

/// Reads the answer to a message that was published to a stream.
[[nodiscard]] base::Result<StoreOutcome> read_store_answer(const base::Result<Message>& answer);

/// Asks the JetStream of a server.
/// Threading: any thread, but none of the library: every call waits. Lifetime: borrows the box.
class JetStream {
 public:
  explicit JetStream(RequestBox& box) : box_(box) {}

  /// Makes a stream, or does nothing if it is there with these settings. `kInvalidArgument`: it is
  /// there with others.
  [[nodiscard]] base::Status make_stream(const std::string& name, const std::string& config);
  [[nodiscard]] base::Result<std::optional<StreamState>> find_stream(const std::string& name);
  /// The subjects of a stream that have messages and match a filter.
  [[nodiscard]] base::Result<std::vector<std::string>> subjects(const std::string& name,
                                                                const std::string& filter);
  /// Names of the streams that have a subject.
  [[nodiscard]] base::Result<std::vector<std::string>> streams_of(const std::string& subject);
  [[nodiscard]] base::Status delete_stream(const std::string& name);
  /// Removes all messages.
  [[nodiscard]] base::Status purge_stream(const std::string& name);
  /// The same, and the next message gets this sequence, which must be above the last one.
  [[nodiscard]] base::Status purge_stream(const std::string& name, std::uint64_t next_sequence);
  /// Removes the messages whose subject matches.
  [[nodiscard]] base::Status purge_subjects(const std::string& name, const std::string& filter);
  [[nodiscard]] base::Status make_consumer(const std::string& stream,
                                           const std::string& name,
                                           const std::string& config);
  [[nodiscard]] base::Status delete_consumer(const std::string& stream, const std::string& name);
  [[nodiscard]] base::Result<std::optional<ConsumerState>> find_consumer(const std::string& stream,
                                                                         const std::string& name);
  /// The last message of a subject.
  [[nodiscard]] base::Result<std::optional<Message>> find_last(const std::string& stream,
                                                               const std::string& subject);
  /// Publishes and waits.
  [[nodiscard]] base::Result<StoreOutcome> store(Message message);

  /// How long an answer may take.
  static constexpr base::Duration kLimit = std::chrono::seconds(5);

 private:
  [[nodiscard]] base::Status purge(const std::string& name, std::string order);

  RequestBox& box_;
};

/// The answer of a direct look at a subject: a message, or that there is none.
[[nodiscard]] base::Result<std::optional<Message>> read_found(base::Result<Message> answer);

/// How often a message was delivered, with this time, by the subject of its acknowledgement;
/// nothing: it is no message of a consumer.
[[nodiscard]] std::optional<std::uint64_t> delivery_number(std::string_view reply);

}  // namespace millrace::nats
