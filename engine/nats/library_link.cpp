#include "nats/library_link.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nats/nats.h>
#include <unistd.h>

#include "base/format.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "nats/server_url.h"
#include "nats/socket_thread.h"

// How libnats is used:
// - Reconnecting never ends; pauses double from 50 ms to 2 s and are drawn at random below that, so
//   that processes do not come back all at once.
// - A peer that says nothing for two pings of 2 s is dead.
// - Without TLS a thread of ours reads and writes the socket, so that messages which are published
//   together leave together. Over TLS the library does, and gives a write up after 2 s. Nothing
//   waits in the library for others to come, as it does by default.
// - Messages of all subscriptions come on one thread of the library. Sinks only hand them over.
// - `publish` looks at the state first, and the library may keep one message at most without a
//   connection: a reply is never sent after its asker has gone away, but for one that leaves in the
//   very moment in which the connection breaks.

namespace millrace::nats {
namespace {

constexpr std::int64_t kPingMs = 2000;
constexpr int kPingsMax = 2;
constexpr std::int64_t kPauseLeastMs = 50;
constexpr std::int64_t kPauseMostMs = 2000;
constexpr std::int64_t kConnectMs = 2000;
constexpr std::int64_t kWriteMs = 2000;
constexpr int kPendingMessagesMax = 65'536;
constexpr int kPendingBytesMax = 64 << 20;
constexpr std::int64_t kLeaveMs = 10'000;
// What may wait for a peer that does not read. The library's own buffer grows without a limit.
constexpr std::size_t kUnsentBytesMax = std::size_t{64} << 20;

base::ErrorCode code_of(natsStatus status) {
  switch (status) {
    case NATS_MAX_PAYLOAD:
      return base::ErrorCode::kResourceExhausted;
    case NATS_TIMEOUT:
      return base::ErrorCode::kTimeout;
    case NATS_INVALID_SUBJECT:
    case NATS_INVALID_ARG:
    case NATS_NO_SERVER_SUPPORT:
    case NATS_ADDRESS_MISSING:
    case NATS_SSL_ERROR:
      return base::ErrorCode::kInvalidArgument;
    default:
      return base::ErrorCode::kUnavailable;
  }
}

base::Status to_status(natsStatus status, std::string_view doing) {
  if (status == NATS_OK) return {};
  // The library's own sentence is more exact, where it has one for this thread.
  const char* const detail = nats_GetLastError(nullptr);
  std::string_view reason =
      detail != nullptr && *detail != '\0' ? detail : natsStatus_GetText(status);
  // It begins with the place in the library's source, `(conn.c:12): `, which helps nobody here.
  const std::size_t place_end = reason.find("): ");
  if (reason.starts_with('(') && place_end != std::string_view::npos)
    reason.remove_prefix(place_end + 3);
  return base::fail(code_of(status), base::format("{}: {}", doing, reason));
}

struct DestroyOptions {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using Options = std::unique_ptr<natsOptions, DestroyOptions>;

struct DestroyMessage {
  void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
};
using LibraryMessage = std::unique_ptr<natsMsg, DestroyMessage>;

Message copy_of(natsMsg* from) {
  Message message;
  if (const char* const text = natsMsg_GetSubject(from)) message.subject = text;
  if (const char* const text = natsMsg_GetReply(from)) message.reply = text;
  if (const int size = natsMsg_GetDataLength(from); size > 0)
    message.data.assign(natsMsg_GetData(from), static_cast<std::size_t>(size));
  const char** names = nullptr;
  int count = 0;
  if (natsMsgHeader_Keys(from, &names, &count) != NATS_OK) return message;
  for (int i = 0; i < count; ++i) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(from, names[i], &value) == NATS_OK && value != nullptr)
      message.headers.push_back({.name = names[i], .value = value});
  }
  std::free(static_cast<void*>(names));
  message.says_no_responders = natsMsg_IsNoResponders(from);
  return message;
}

/// Messages that are no longer needed. The library frees each on a thread of its own, which it
/// wakes if it sleeps; so they are given back many at a time. The destructor gives back the rest.
/// Threading: not shared.
class UsedMessages {
 public:
  void add(LibraryMessage message) {
    const int size = natsMsg_GetDataLength(message.get());
    bytes_ += static_cast<std::size_t>(std::max(0, size));
    messages_.push_back(std::move(message));
    if (messages_.size() >= kTogether || bytes_ >= kBytesMax) give_back();
  }
  void give_back() {
    messages_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kTogether = 256;
  static constexpr std::size_t kBytesMax = std::size_t{256} << 10;
  std::vector<LibraryMessage> messages_;
  std::size_t bytes_ = 0;
};

class LibrarySubscription final : public Subscription {
 public:
  LibrarySubscription(SocketThread& socket, MessageSink& sink) : socket_(socket), sink_(sink) {}
  ~LibrarySubscription() override {
    if (subscription_ == nullptr) return;
    (void)natsSubscription_Unsubscribe(subscription_);
    // A call of the sink may be under way.
    over_->done.acquire();
    used_.give_back();
    natsSubscription_Destroy(subscription_);
  }

  base::Status start(natsConnection* connection, const char* subject, const char* group) {
    const natsStatus made =
        group == nullptr
            ? natsConnection_Subscribe(&subscription_, connection, subject, &receive, this)
            : natsConnection_QueueSubscribe(
                  &subscription_, connection, subject, group, &receive, this);
    if (made != NATS_OK) {
      subscription_ = nullptr;
      return to_status(made, base::format("Cannot subscribe to '{}'", subject));
    }
    auto told = std::make_unique<std::shared_ptr<Over>>(over_);
    if (natsSubscription_SetOnCompleteCB(subscription_, &complete, told.get()) == NATS_OK) {
      static_cast<void>(told.release());
    } else {
      // It is closed already, because the connection is.
      over_->is_over.store(true, std::memory_order_relaxed);
      over_->done.release();
    }
    (void)natsSubscription_SetPendingLimits(subscription_, kPendingMessagesMax, kPendingBytesMax);
    return {};
  }

  void leave() override { (void)natsSubscription_DrainTimeout(subscription_, kLeaveMs); }
  bool has_ended() const override { return over_->is_over.load(std::memory_order_acquire); }

 private:
  /// What outlives this while the library still has to say that it is done.
  struct Over {
    std::atomic<bool> is_over{false};  // publishes what the sink did
    std::binary_semaphore done{0};
  };

  static void receive(natsConnection*,
                      natsSubscription* subscription,
                      natsMsg* message,
                      void* closure) {
    LibraryMessage owned(message);
    auto& self = *static_cast<LibrarySubscription*>(closure);
    self.socket_.await_reading();
    self.sink_.on_message(copy_of(message));
    self.used_.add(std::move(owned));
    int count = 0;
    int bytes = 0;
    const natsStatus known = natsSubscription_GetPending(subscription, &count, &bytes);
    if (known != NATS_OK || count == 0) self.sink_.on_rest();
  }
  static void complete(void* closure) {
    const std::unique_ptr<std::shared_ptr<Over>> told(static_cast<std::shared_ptr<Over>*>(closure));
    (*told)->is_over.store(true, std::memory_order_release);
    (*told)->done.release();
  }

  SocketThread& socket_;
  MessageSink& sink_;
  natsSubscription* subscription_ = nullptr;
  UsedMessages used_;  // of the thread that calls the sink
  // Owners: this, and the library until it has called `complete`.
  const std::shared_ptr<Over> over_ = std::make_shared<Over>();
};

class LibraryLink final : public Link {
 public:
  explicit LibraryLink(LinkObserver& observer, bool drops_while_down)
      : observer_(observer), drops_while_down_(drops_while_down) {}
  ~LibraryLink() override {
    if (connection_ == nullptr) return;
    // The library closes the socket under whoever reads it.
    socket_.send();
    socket_.stop();
    is_ending_.store(true, std::memory_order_relaxed);
    natsConnection_Close(connection_);
    // It comes last of all calls for this connection, and in any case.
    closed_.acquire();
    natsConnection_Destroy(connection_);
  }

  base::Status start(const LinkSettings& settings) {
    natsOptions* made = nullptr;
    MR_TRY_STATUS(to_status(natsOptions_Create(&made), "Cannot set up NATS"));
    const Options options(made);
    MR_TRY_STATUS(set_options(*options, settings));
    MR_TRY_STATUS(set_identity(*options, settings));
    const natsStatus status = natsConnection_Connect(&connection_, options.get());
    // The library tries on by itself, also for ever if nobody answers now.
    if (status == NATS_NOT_YET_CONNECTED) {
      note_refusal(connection_);
      return {};
    }
    if (status == NATS_OK) {
      observer_.on_state(LinkState::kConnected);
      return {};
    }
    connection_ = nullptr;
    return to_status(status, "Cannot connect to NATS");
  }

  base::Result<std::unique_ptr<Subscription>> subscribe(const std::string& subject,
                                                        const std::string& group,
                                                        MessageSink& sink) override {
    auto subscription = std::make_unique<LibrarySubscription>(socket_, sink);
    MR_TRY_STATUS(
        subscription->start(connection_, subject.c_str(), group.empty() ? nullptr : group.c_str()));
    return subscription;
  }

  base::Status queue(const Message& message) override {
    if (drops_while_down_ && state() != LinkState::kConnected)
      return base::fail(base::ErrorCode::kUnavailable, "There is no connection to NATS");
    if (!take_room(message.data.size()))
      return base::fail(base::ErrorCode::kUnavailable,
                        "The NATS server does not read, and too much waits for it");
    const natsStatus status =
        message.headers.empty() ? queue_plain(message) : queue_with_headers(message);
    if (status == NATS_OK) return {};
    return to_status(status, base::format("Cannot publish to '{}'", message.subject));
  }

  void send() override { socket_.send(); }

  base::Status flush(base::Duration limit) override {
    const auto span = std::chrono::ceil<std::chrono::milliseconds>(limit);
    return to_status(natsConnection_FlushTimeout(connection_, span.count()), "Cannot flush");
  }

  LinkState state() const override {
    switch (natsConnection_Status(connection_)) {
      case NATS_CONN_STATUS_CONNECTED:
        return LinkState::kConnected;
      case NATS_CONN_STATUS_CLOSED:
        return LinkState::kClosed;
      default:
        return LinkState::kDown;
    }
  }

  std::size_t payload_bytes_max() const override {
    const std::int64_t most = natsConnection_GetMaxPayload(connection_);
    return most > 0 ? static_cast<std::size_t>(most) : kPayloadUnknown;
  }

  std::string make_unique_name() const override {
    natsInbox* inbox = nullptr;
    if (natsInbox_Create(&inbox) != NATS_OK) return std::to_string(std::random_device{}());
    std::string name(inbox);
    natsInbox_Destroy(inbox);
    return name.substr(name.rfind('.') + 1);
  }

 private:
  // What servers allow unless they are told otherwise; used before the first connection.
  static constexpr std::size_t kPayloadUnknown = std::size_t{1} << 20;

  /// Whether so many bytes may join those that wait for the socket. Most messages are only counted:
  /// the library is asked, under its lock, each time that so many bytes as may wait were queued.
  /// Threads that queue at once may exceed the bound by one message each.
  bool take_room(std::size_t size) {
    std::size_t counted = queued_bytes_.fetch_add(size, std::memory_order_relaxed) + size;
    if (counted <= kUnsentBytesMax) return true;
    const auto waiting =
        static_cast<std::size_t>(std::max(0, natsConnection_Buffered(connection_)));
    const bool has_room = waiting + size <= kUnsentBytesMax;
    // If others have queued meanwhile, the count stays too high, and the next one asks again.
    (void)queued_bytes_.compare_exchange_strong(
        counted, waiting + (has_room ? size : 0), std::memory_order_relaxed);
    return has_room;
  }

  /// Without headers nothing needs to be built before.
  natsStatus queue_plain(const Message& message) {
    const SocketThread::Batch batch(socket_);
    const int size = static_cast<int>(message.data.size());
    if (message.reply.empty())
      return natsConnection_Publish(
          connection_, message.subject.c_str(), message.data.data(), size);
    return natsConnection_PublishRequest(
        connection_, message.subject.c_str(), message.reply.c_str(), message.data.data(), size);
  }
  natsStatus queue_with_headers(const Message& message) {
    natsMsg* made = nullptr;
    const char* const reply = message.reply.empty() ? nullptr : message.reply.c_str();
    natsStatus status = natsMsg_Create(&made,
                                       message.subject.c_str(),
                                       reply,
                                       message.data.data(),
                                       static_cast<int>(message.data.size()));
    LibraryMessage owned(made);
    for (const Header& header : message.headers) {
      if (status == NATS_OK)
        status = natsMsgHeader_Add(made, header.name.c_str(), header.value.c_str());
    }
    const SocketThread::Batch batch(socket_);
    if (status == NATS_OK) status = natsConnection_PublishMsg(connection_, made);
    if (owned != nullptr) {
      const base::MutexLock lock(used_mutex_);
      used_.add(std::move(owned));
    }
    return status;
  }

  base::Status set_options(natsOptions& options, const LinkSettings& settings) {
    std::vector<const char*> urls;
    for (const std::string& url : settings.urls) urls.push_back(url.c_str());
    natsStatus status =
        natsOptions_SetServers(&options, urls.data(), static_cast<int>(urls.size()));
    const auto then = [&status](natsStatus next) { status = status == NATS_OK ? next : status; };
    then(natsOptions_SetName(&options, settings.name.c_str()));
    then(natsOptions_SetTimeout(&options, kConnectMs));
    then(natsOptions_SetPingInterval(&options, kPingMs));
    then(natsOptions_SetMaxPingsOut(&options, kPingsMax));
    then(natsOptions_SetMaxReconnect(&options, -1));
    then(natsOptions_SetCustomReconnectDelay(&options, &next_pause, this));
    if (settings.waits_for_server)
      then(natsOptions_SetRetryOnFailedConnect(&options, true, &connected, this));
    then(natsOptions_SetReconnectedCB(&options, &connected, this));
    then(natsOptions_SetDisconnectedCB(&options, &disconnected, this));
    then(natsOptions_SetClosedCB(&options, &closed, this));
    then(natsOptions_SetErrorHandler(&options, &failed, this));
    then(natsOptions_SetSendAsap(&options, true));
    // Over TLS the library waits for the socket inside a read or a write, with locks held, and
    // without a limit if the loop is not its own.
    then(is_secure(settings) ? natsOptions_SetWriteDeadline(&options, kWriteMs)
                             : socket_.serve(options));
    then(natsOptions_UseGlobalMessageDelivery(&options, true));
    if (settings.drops_while_down) then(natsOptions_SetReconnectBufSize(&options, 1));
    return to_status(status, "Cannot set up NATS");
  }

  static bool is_secure(const LinkSettings& settings) {
    return !settings.tls_ca_file.empty() || !settings.tls_certificate_file.empty() ||
           std::ranges::any_of(settings.urls,
                               [](const std::string& url) { return url.starts_with("tls://"); });
  }

  static base::Status set_identity(natsOptions& options, const LinkSettings& settings) {
    if (!settings.credentials_file.empty()) {
      // The library reads it for each connection, and would try for ever.
      if (::access(settings.credentials_file.c_str(), R_OK) != 0)
        return base::fail(
            base::ErrorCode::kInvalidArgument,
            base::format("Cannot read the credentials of NATS: '{}'", settings.credentials_file));
      MR_TRY_STATUS(to_status(natsOptions_SetUserCredentialsFromFiles(
                                  &options, settings.credentials_file.c_str(), nullptr),
                              "Cannot use the credentials of NATS"));
    }
    if (!settings.user.empty()) {
      MR_TRY_STATUS(to_status(
          natsOptions_SetUserInfo(&options, settings.user.c_str(), settings.password.c_str()),
          "Cannot use the password of NATS"));
    }
    if (is_secure(settings)) {
      MR_TRY_STATUS(to_status(natsOptions_SetSecure(&options, true), "Cannot use TLS for NATS"));
    }
    if (!settings.tls_ca_file.empty()) {
      MR_TRY_STATUS(
          to_status(natsOptions_LoadCATrustedCertificates(&options, settings.tls_ca_file.c_str()),
                    base::format("Cannot use '{}' for NATS", settings.tls_ca_file)));
    }
    if (!settings.tls_certificate_file.empty()) {
      MR_TRY_STATUS(to_status(
          natsOptions_LoadCertificatesChain(
              &options, settings.tls_certificate_file.c_str(), settings.tls_key_file.c_str()),
          base::format("Cannot use '{}' for NATS", settings.tls_certificate_file)));
    }
    return {};
  }

  static LibraryLink& self_of(void* closure) { return *static_cast<LibraryLink*>(closure); }
  static void connected(natsConnection*, void* closure) {
    (void)self_of(closure).take_refusal();
    self_of(closure).observer_.on_state(LinkState::kConnected);
  }
  static void disconnected(natsConnection*, void* closure) {
    self_of(closure).observer_.on_state(LinkState::kDown);
  }
  static void closed(natsConnection* connection, void* closure) {
    LibraryLink& self = self_of(closure);
    if (!self.is_ending_.load(std::memory_order_relaxed)) {
      const std::string refusal = self.take_refusal();
      self.observer_.on_problem(refusal.empty() ? last_error(connection) : refusal);
    }
    self.observer_.on_state(LinkState::kClosed);
    self.closed_.release();
  }
  static void failed(natsConnection* connection,
                     natsSubscription*,
                     natsStatus status,
                     void* closure) {
    LinkObserver& observer = self_of(closure).observer_;
    if (status == NATS_SLOW_CONSUMER) return observer.on_overflow();
    const std::string last = last_error(connection);
    observer.on_problem(last.empty() ? natsStatus_GetText(status) : last);
  }
  static std::string last_error(natsConnection* connection) {
    const char* detail = nullptr;
    const natsStatus status = natsConnection_GetLastError(connection, &detail);
    if (status == NATS_OK) return {};
    return detail != nullptr && *detail != '\0' ? detail : natsStatus_GetText(status);
  }
  /// Called by the library's reconnecting thread only.
  static std::int64_t next_pause(natsConnection* connection, int attempts, void* closure) {
    LibraryLink& self = self_of(closure);
    self.note_refusal(connection);
    const int doublings = std::clamp(attempts - 1, 0, 10);
    const std::int64_t most = std::min(kPauseMostMs, kPauseLeastMs << doublings);
    std::uniform_int_distribution<std::int64_t> draw(std::max(kPauseLeastMs, most / 2), most);
    return draw(self.random_);
  }

  /// Remembers why the last attempt to connect failed. A server that refuses us twice is left out
  /// by the library, which in the end only says that there is no server. The first attempt may have
  /// been followed by another one already, and then only the next link knows.
  void note_refusal(natsConnection* connection) MR_EXCLUDES(refusal_mutex_) {
    std::string refusal = last_error(connection);
    const base::MutexLock lock(refusal_mutex_);
    if (!refusal.empty()) refusal_ = std::move(refusal);
  }
  std::string take_refusal() MR_EXCLUDES(refusal_mutex_) {
    const base::MutexLock lock(refusal_mutex_);
    return std::exchange(refusal_, {});
  }

  LinkObserver& observer_;
  const bool drops_while_down_;
  SocketThread socket_;
  natsConnection* connection_ = nullptr;
  // At least what waits in the library's buffer; publishes nothing.
  std::atomic<std::size_t> queued_bytes_{0};
  base::Mutex used_mutex_;
  UsedMessages used_ MR_GUARDED_BY(used_mutex_);  // what was queued
  std::binary_semaphore closed_{0};
  std::atomic<bool> is_ending_{false};  // whether we close it; publishes nothing
  base::Mutex refusal_mutex_;
  std::string refusal_ MR_GUARDED_BY(refusal_mutex_);
  std::minstd_rand random_{std::random_device{}()};  // of the reconnecting thread
};

}  // namespace

base::Result<std::unique_ptr<Link>> open_link(const LinkSettings& settings,
                                              LinkObserver& observer) {
  for (const std::string& url : settings.urls) MR_TRY_STATUS(check_server_url(url));
  auto link = std::make_unique<LibraryLink>(observer, settings.drops_while_down);
  MR_TRY_STATUS(link->start(settings));
  return link;
}

}  // namespace millrace::nats
