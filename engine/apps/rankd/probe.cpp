#include "apps/rankd/probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/error.h"
#include "base/format.h"
#include "net/address.h"
#include "net/descriptor.h"

namespace millrace::rankd {
namespace {

constexpr base::Duration kProbeLimit = std::chrono::seconds(2);
constexpr std::size_t kPageBytesMax = std::size_t{64} << 20U;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Whether an answer is complete by its own account; one without a length ends with its connection.
bool is_whole(std::string_view answer) {
  const std::size_t head = answer.find(kHeadEnd);
  if (head == std::string_view::npos) return false;
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t at = answer.substr(0, head).find(kLength);
  if (at == std::string_view::npos) return false;
  std::size_t length = 0;
  std::from_chars(answer.data() + at + kLength.size(), answer.data() + head, length);
  return answer.size() >= head + kHeadEnd.size() + length;
}

/// An address as the kernel has it.
struct SocketPlace {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

base::Result<SocketPlace> place_of(const net::Address& address) {
  SocketPlace place;
  if (!address.unix_path.empty()) {
    auto& to = reinterpret_cast<sockaddr_un&>(place.storage);
    if (address.unix_path.size() >= sizeof to.sun_path)
      return base::fail(base::ErrorCode::kInvalidArgument, "The path is too long");
    to.sun_family = AF_UNIX;
    std::ranges::copy(address.unix_path, to.sun_path);
    place.size = sizeof to;
    return place;
  }
  // A server that listens everywhere is asked here.
  const std::string host = address.host == "0.0.0.0" ? "127.0.0.1"
                           : address.host == "::"    ? "::1"
                                                     : address.host;
  auto& four = reinterpret_cast<sockaddr_in&>(place.storage);
  auto& six = reinterpret_cast<sockaddr_in6&>(place.storage);
  if (inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(address.port);
    place.size = sizeof four;
  } else if (inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(address.port);
    place.size = sizeof six;
  } else {
    return base::fail(base::ErrorCode::kInvalidArgument, "Not an IP address: " + host);
  }
  return place;
}

base::Status wait_until(int descriptor, short events, base::TimePoint limit) {
  pollfd polled{.fd = descriptor, .events = events, .revents = 0};
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(limit - base::steady_clock().now());
  const int count = ::poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  if (count > 0) return {};
  return base::fail(base::ErrorCode::kDeadlineExceeded, "No answer in time");
}

std::unexpected<base::Error> fail_by_errno(int number) {
  return base::fail(base::ErrorCode::kUnavailable, std::strerror(number));
}

}  // namespace

base::Result<AskedPage> ask_page(const std::string& address,
                                 const std::string& path,
                                 base::Duration limit) {
  const base::TimePoint end = base::steady_clock().now() + limit;
  MR_TRY(const net::Address parsed, net::parse_listen_address(address));
  MR_TRY(const SocketPlace place, place_of(parsed));
  const net::Descriptor socket(
      ::socket(place.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return fail_by_errno(errno);
  const auto* const to = reinterpret_cast<const sockaddr*>(&place.storage);
  if (::connect(socket.get(), to, place.size) != 0) {
    if (errno != EINPROGRESS) return fail_by_errno(errno);
    MR_TRY_STATUS(wait_until(socket.get(), POLLOUT, end));
    int problem = 0;
    socklen_t size = sizeof problem;
    (void)::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
    if (problem != 0) return fail_by_errno(problem);
  }
  const std::string request =
      base::format("GET {} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n", path);
  if (::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0)
    return fail_by_errno(errno);
  std::string answer;
  while (answer.size() < kPageBytesMax && !is_whole(answer)) {
    MR_TRY_STATUS(wait_until(socket.get(), POLLIN, end));
    std::array<char, 16384> bytes{};
    const auto count = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (count < 0) return fail_by_errno(errno);
    if (count == 0) break;
    answer.append(bytes.data(), static_cast<std::size_t>(count));
  }
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  AskedPage page;
  if (answer.starts_with(kVersion))
    std::from_chars(answer.data() + kVersion.size(), answer.data() + answer.size(), page.status);
  if (page.status == 0)
    return base::fail(base::ErrorCode::kUnavailable, "What answers there does not speak HTTP/1.1");
  if (const std::size_t head = answer.find(kHeadEnd); head != std::string::npos)
    page.body = answer.substr(head + kHeadEnd.size());
  return page;
}

base::Result<int> ask_status(const std::string& address,
                             const std::string& path,
                             base::Duration limit) {
  MR_TRY(const AskedPage page, ask_page(address, path, limit));
  return page.status;
}

int run_probe(const std::string& address) {
  const auto status = ask_status(address, "/readyz", kProbeLimit);
  if (status && *status == 200) return 0;
  const std::string why =
      status ? base::format("it is not ready (status {})", *status) : status.error().message();
  std::fprintf(stderr, "rankd: the server at %s: %s\n", address.c_str(), why.c_str());
  return 1;
}

}  // namespace millrace::rankd
