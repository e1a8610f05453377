#include "bridge/redis_link.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::bridge {
namespace {

using base::Result;
using base::Status;
using Deadline = std::chrono::steady_clock::time_point;

/// Largest reply that is read.
constexpr std::size_t kReplyBytesMax = std::size_t{64} << 20U;

class SocketLink final : public RedisLink {
 public:
  explicit SocketLink(RedisLinkSettings settings) : settings_(std::move(settings)) {}
  ~SocketLink() override { close(); }
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;

  Result<stores::RespValue> call(std::span<const std::string> words,
                                 base::Duration wait_max) override {
    const Deadline deadline = std::chrono::steady_clock::now() + wait_max;
    if (socket_ < 0) {
      if (Status connected = connect(deadline); !connected) return give_up(connected.error());
    }
    auto reply = exchange(words, deadline);
    if (!reply) return give_up(reply.error());
    return reply;
  }

 private:
  /// After a failure the next reply on the connection could belong to another command.
  std::unexpected<base::Error> give_up(const base::Error& error) {
    close();
    return base::fail(
        error.code(),
        base::format("Redis at {}: {}", net::to_string(settings_.address), error.message()));
  }

  void close() {
    if (socket_ >= 0) static_cast<void>(::close(socket_));
    socket_ = -1;
    received_.clear();
    reader_ = {};
  }

  static std::unexpected<base::Error> unavailable(std::string_view what, int code) {
    return base::fail(base::ErrorCode::kUnavailable,
                      base::format("{}: {}", what, std::strerror(code)));
  }

  [[nodiscard]] Status wait_for(short events, Deadline deadline) const {
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() < 0) return base::fail(base::ErrorCode::kTimeout, "No answer in time");
      pollfd waited{.fd = socket_, .events = events, .revents = 0};
      const int count =
          ::poll(&waited, 1, static_cast<int>(std::min<std::int64_t>(left.count() + 1, 60'000)));
      if (count > 0) return {};
      if (count < 0 && errno != EINTR) return unavailable("Cannot wait", errno);
    }
  }

  Status connect(Deadline deadline) {
    MR_TRY_STATUS(settings_.address.is_unix() ? connect_unix(deadline) : connect_tcp(deadline));
    if (!settings_.password.empty()) MR_TRY_STATUS(greet({"AUTH", settings_.password}, deadline));
    if (settings_.database == 0) return {};
    return greet({"SELECT", std::to_string(settings_.database)}, deadline);
  }

  Status greet(const std::vector<std::string>& words, Deadline deadline) {
    MR_TRY(const stores::RespValue reply, exchange(words, deadline));
    if (!reply.is_error()) return {};
    return base::fail(base::ErrorCode::kInvalidArgument, reply.text);
  }

  Status connect_unix(Deadline deadline) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    settings_.address.unix_path.copy(name.sun_path, sizeof name.sun_path - 1);
    return connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&name), sizeof name, deadline);
  }

  Status connect_tcp(Deadline deadline) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(settings_.address.host.c_str(),
                                   std::to_string(settings_.address.port).c_str(),
                                   &wanted,
                                   &found);
    if (code != 0) return base::fail(base::ErrorCode::kUnavailable, ::gai_strerror(code));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    Status last = base::fail(base::ErrorCode::kUnavailable, "The host has no address");
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      last = connect_to(one->ai_family, one->ai_addr, one->ai_addrlen, deadline);
      if (last) return {};
    }
    return last;
  }

  Status connect_to(int family, const sockaddr* name, socklen_t size, Deadline deadline) {
    close();
    socket_ = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return unavailable("Cannot make a socket", errno);
    if (::connect(socket_, name, size) == 0) return {};
    if (errno != EINPROGRESS) return unavailable("Cannot connect", errno);
    MR_TRY_STATUS(wait_for(POLLOUT, deadline));
    int code = 0;
    socklen_t code_size = sizeof code;
    static_cast<void>(::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &code, &code_size));
    if (code != 0) return unavailable("Cannot connect", code);
    return {};
  }

  Result<stores::RespValue> exchange(std::span<const std::string> words, Deadline deadline) {
    std::string request;
    stores::CommandWriter writer(request);
    writer.begin(words.size());
    for (const std::string& word : words) writer.word(std::string_view(word));
    MR_TRY_STATUS(send_all(request, deadline));
    return receive(deadline);
  }

  Status send_all(std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        MR_TRY_STATUS(wait_for(POLLOUT, deadline));
      } else if (errno != EINTR) {
        return unavailable("The connection is lost", errno);
      }
    }
    return {};
  }

  Result<stores::RespValue> receive(Deadline deadline) {
    stores::RespTreeSink replies;
    stores::RespTreeSink pushes;
    std::size_t total = received_.size();
    while (true) {
      const stores::RespReader::Step step = reader_.read(received_, replies, pushes);
      received_.erase(0, step.consumed);
      if (step.status == stores::ReadStatus::kReply) return std::move(replies.values.front());
      if (step.status == stores::ReadStatus::kBroken) {
        return base::fail(base::ErrorCode::kUnavailable,
                          base::format("Not the Redis protocol: {}", reader_.problem()));
      }
      if (step.status == stores::ReadStatus::kPush) continue;
      MR_TRY_STATUS(wait_for(POLLIN, deadline));
      std::array<char, 16384> bytes;
      const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
      if (count == 0) {
        return base::fail(base::ErrorCode::kUnavailable, "The server closed the connection");
      }
      if (count < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) continue;
        return unavailable("The connection is lost", errno);
      }
      total += static_cast<std::size_t>(count);
      if (total > kReplyBytesMax) {
        return base::fail(base::ErrorCode::kUnavailable,
                          base::format("A reply has more than {} bytes", kReplyBytesMax));
      }
      received_.append(bytes.data(), static_cast<std::size_t>(count));
    }
  }

  const RedisLinkSettings settings_;
  int socket_ = -1;
  std::string received_;
  stores::RespReader reader_;
};

}  // namespace

std::unique_ptr<RedisLink> make_redis_link(const RedisLinkSettings& settings) {
  return std::make_unique<SocketLink>(settings);
}

}  // namespace millrace::bridge
