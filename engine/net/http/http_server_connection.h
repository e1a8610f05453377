#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "net/http/gzip_job.h"
#include "net/http/http_body_reader.h"
#include "net/http/http_handler.h"
#include "net/http/http_reply_writer.h"
#include "net/http/http_request_reader.h"
#include "net/http/http_server_context.h"
#include "net/http/http_target.h"
#include "net/http/http_wait_list.h"
#include "net/http_head.h"
#include "net/listener.h"
#include "net/stream.h"

namespace millrace::net {

/// One connection of a client: reads requests one after the other and sends the replies.
///
/// States and their successors; every state may also go to closed:
/// - opening: TLS shakes hands; then idle
/// - idle: no byte of a request has come; then head
/// - head: a part of a head has come; then exchange, or linger if it is refused
/// - exchange: the handler has the request. It ends when the reply is complete and the body is
///   read or dropped; then idle, or linger if the connection shall end
/// - linger: our side has ended; input is dropped until the client ends too, for a bounded time;
///   then closed
/// - closed: waits to be destroyed by the server
///
/// Bytes are parsed where they were read. Those of later requests wait in `ahead_`, which is
/// bounded: beyond that the stream is not read. Replies gather in `out_` while bytes are processed
/// and leave in one write. Threading: loop thread. Lifetime: owned by the server; borrows its
/// context and the handler.
class HttpServerConnection final : public HttpExchange,
                                   private StreamListener,
                                   private HttpWaiter,
                                   private GzipJob::Owner {
 public:
  HttpServerConnection(HttpServerContext& context, HttpHandler& handler);
  ~HttpServerConnection() override;

  void start(Incoming& incoming);
  /// Goes on with bytes that wait; called by the server.
  void resume();
  /// Whether it waits for `resume`; kept by the server.
  bool is_scheduled = false;
  /// Its place among the connections of the server; kept by the server.
  std::size_t server_index = 0;

  /// Ends the connection at once. A request under way is gone.
  void close();

  // HttpExchange
  [[nodiscard]] const HttpRequestHead& head() const override { return *head_; }
  [[nodiscard]] const HttpTarget& target() const override { return target_; }
  [[nodiscard]] const HttpTimes& times() const override { return times_; }
  [[nodiscard]] const std::string& peer() const override { return peer_; }
  void receive(HttpReceiver& receiver, const HttpBodyWish& wish) override;
  [[nodiscard]] HttpFields& reply_fields() override { return reply_fields_; }
  void close_after_reply() override { closes_ = true; }
  bool reply(int status, std::string_view body) override;
  void begin(int status) override;
  void write(std::string_view piece) override;
  void finish() override;
  void abort() override;
  [[nodiscard]] std::size_t unsent_bytes() const override;

 private:
  enum class Phase : std::uint8_t { kOpening, kIdle, kHead, kExchange, kLinger, kClosed };
  enum class Reply : std::uint8_t { kNone, kBegun, kPacking, kComplete };

  // StreamListener
  void on_connected() override;
  [[nodiscard]] std::span<char> read_space() override;
  void on_read(std::size_t size) override;
  void on_input_end() override;
  void on_drained() override;
  void on_closed(const base::Status& status) override;
  // Others
  void on_wait_over(HttpWait wait) override;
  void on_packed(std::string body, bool is_packed) override;

  /// Reads requests until the bytes end or one has to be answered first; keeps the rest.
  void process(std::string_view bytes);
  [[nodiscard]] std::size_t process_some(std::string_view bytes);
  /// Whether no byte may be taken before something else happens.
  [[nodiscard]] bool is_blocked() const;
  void on_head_complete();
  /// Decides about the body that a receiver wants. False if the request was refused.
  [[nodiscard]] bool accept_body();
  void on_piece(std::string_view piece);
  /// Gives a part of the body to its receiver. False if that does not want more.
  [[nodiscard]] bool deliver(std::string_view piece);
  void on_request_complete();
  /// Whether the exchange is over, or need not be read to its end.
  [[nodiscard]] bool is_exchange_over() const;
  void end_exchange();
  /// After a step outside of `process`: waits for what comes next.
  void settle();
  void settle_after_input_end();
  void wait_for_input();
  void after_reply();

  /// Sends a complete reply. False: there is no memory for it, and one that says so was sent.
  bool write_reply(int status, std::string_view body);
  /// Makes room for a reply. False: there is no memory for it.
  [[nodiscard]] bool make_room(std::size_t body_bytes);
  /// Writes the reply that stands for one without memory.
  void refuse_for_memory();
  /// Whether the body of a reply is sent.
  [[nodiscard]] bool sends_body(int status) const;
  void append_head(int status, HttpBodyFraming framing, std::size_t body_bytes);
  [[nodiscard]] bool wants_gzip(int status, std::string_view body) const;
  void decide_end();
  void refuse(const HttpRefusal& refusal);
  /// The client has gone.
  void give_up();
  void linger();
  /// Sends what has gathered.
  void flush();
  void send(std::string bytes);
  void watch_writes(base::TimePoint now);

  // Constant after `start`.
  HttpServerContext& context_;
  HttpHandler& handler_;
  std::string peer_;
  std::unique_ptr<Stream> stream_;

  HttpRequestReader reader_;
  Phase phase_ = Phase::kOpening;
  base::TimePoint now_{};   // when the bytes came that `process` reads
  bool has_asked_ = false;  // a head was complete once
  bool in_process_ = false;
  bool input_ended_ = false;
  bool reading_paused_ = false;
  std::string ahead_;
  std::string out_;
  std::size_t dropped_bytes_ = 0;
  std::size_t unsent_before_ = 0;
  int stalled_checks_ = 0;
  HttpWaitLink phase_link_{*this};
  HttpWaitLink write_link_{*this};

  // Of the exchange.
  Reply reply_ = Reply::kNone;
  bool body_done_ = false;
  bool closes_ = false;
  bool expects_continue_ = false;
  bool has_chunked_reply_ = false;
  const HttpRequestHead* head_ = nullptr;
  HttpReceiver* receiver_ = nullptr;
  HttpBodyWish wish_;
  HttpTarget target_;
  HttpTimes times_;
  base::TimePoint replied_at_{};  // if the body was not complete then
  HttpFields reply_fields_;
  std::string body_;
  HttpBodyReader body_reader_;
  // Owners: itself, until it has told us.
  GzipJob* gzip_job_ = nullptr;
  int packed_status_ = 0;
};

}  // namespace millrace::net
