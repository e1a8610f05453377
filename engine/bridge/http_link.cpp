#include "bridge/http_link.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/random.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/executor.h"
#include "net/address.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/uv_connector.h"

namespace millrace::bridge {
namespace {

using HttpAnswer = base::Result<net::HttpReply>;

/// Sends one request on a loop and ends the client there.
class PageCall final : public loop::Job, public net::HttpCall {
 public:
  PageCall(loop::EventLoop& loop, const HttpLinkSettings& settings)
      : Job(&step), loop_(loop), connector_(loop), settings_(settings) {}

  [[nodiscard]] HttpAnswer run() {
    loop_.post(*this);
    ended_.acquire();
    return *std::move(reply_);
  }

 private:
  static void step(Job& job) {
    auto& self = static_cast<PageCall&>(job);
    if (self.reply_) {
      self.client_.reset();
      return self.ended_.release();
    }
    net::HttpClientOptions options;
    options.address = self.settings_.place.address;
    options.request_timeout = self.settings_.timeout;
    options.connect.connect_timeout = self.settings_.timeout;
    self.client_ = std::make_unique<net::HttpClient>(
        self.loop_, self.connector_, self.random_, std::move(options));
    const base::Status sent = self.client_->send(self,
                                                 {.target = self.settings_.place.target},
                                                 {.body_bytes_max = self.settings_.body_bytes_max});
    if (!sent) self.on_done(std::unexpected(sent.error()));
  }
  void on_done(HttpAnswer reply) override {
    reply_ = std::move(reply);
    // The client is still busy with this reply: it goes in a turn of its own.
    loop_.post(*this);
  }

  loop::EventLoop& loop_;
  net::UvConnector connector_;
  const HttpLinkSettings& settings_;
  base::SplitMix64 random_{1};
  std::unique_ptr<net::HttpClient> client_;
  std::optional<HttpAnswer> reply_;
  std::binary_semaphore ended_{0};
};

class SocketHttpLink final : public HttpLink {
 public:
  SocketHttpLink(std::unique_ptr<loop::EventLoop> loop, HttpLinkSettings settings)
      : loop_(std::move(loop)), settings_(std::move(settings)) {}
  ~SocketHttpLink() override { loop_->stop(); }
  SocketHttpLink(const SocketHttpLink&) = delete;
  SocketHttpLink& operator=(const SocketHttpLink&) = delete;

  HttpAnswer get() override { return PageCall(*loop_, settings_).run(); }

 private:
  const std::unique_ptr<loop::EventLoop> loop_;
  const HttpLinkSettings settings_;
};

}  // namespace

base::Result<HttpPlace> parse_http_place(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Expected http://HOST:PORT/PATH (https is not supported here)",
                      std::string(url));
  }
  const std::string_view rest = url.substr(kScheme.size());
  const std::size_t slash = rest.find_first_of("/?");
  std::string authority(rest.substr(0, slash));
  HttpPlace place;
  if (slash != std::string_view::npos) {
    place.target = rest[slash] == '/' ? std::string(rest.substr(slash))
                                      : base::format("/{}", rest.substr(slash));
  }
  const bool has_port =
      authority.ends_with(']') ? false : authority.rfind(':') != std::string::npos;
  if (!has_port) authority += ":80";
  MR_TRY(place.address, net::parse_address(authority));
  if (place.address.is_unix()) {
    return base::fail(base::ErrorCode::kInvalidArgument, "A URL has no unix socket");
  }
  for (const char byte : place.target) {
    const bool is_good = byte > ' ' && byte < '\x7F' && byte != '#';
    if (is_good) continue;
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The path must be percent-encoded, without spaces and fragment",
                      place.target);
  }
  return place;
}

base::Result<std::unique_ptr<HttpLink>> make_http_link(const HttpLinkSettings& settings) {
  MR_TRY(std::unique_ptr<loop::EventLoop> loop, loop::EventLoop::create("http.poll"));
  return std::make_unique<SocketHttpLink>(std::move(loop), settings);
}

}  // namespace millrace::bridge
