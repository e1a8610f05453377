#include "net/address.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/result.h"

namespace millrace::net {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

std::unexpected<base::Error> refuse_address(const char* why, std::string_view text) {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    std::string("Bad address, ") + why + ": " + std::string(text));
}

base::Result<std::uint16_t> parse_port(std::string_view digits,
                                       std::uint16_t least,
                                       std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || stop != end || port < least) {
    return refuse_address(least == 0 ? "the port is no number from 0 to 65535"
                                     : "the port is no number from 1 to 65535",
                          text);
  }
  return port;
}

base::Result<Address> parse_unix(std::string_view path, std::string_view text) {
  if (path.empty()) return refuse_address("the path is empty", text);
  if (path.size() > kUnixPathMax) return refuse_address("the path is longer than 107 bytes", text);
  if (path.find('\0') != std::string_view::npos)
    return refuse_address("the path holds a zero byte", text);
  return Address{.unix_path = std::string(path)};
}

base::Result<Address> parse_either(std::string_view text, std::uint16_t port_min) {
  if (text.starts_with(kUnixPrefix)) return parse_unix(text.substr(kUnixPrefix.size()), text);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return refuse_address("expected host:port or unix:/path", text);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return refuse_address("an IPv6 address stands in brackets", text);
  }
  if (host.empty()) return refuse_address("the host is empty", text);
  if (host.find_first_of(std::string_view(" \t\r\n/@[]\0", 9)) != std::string_view::npos) {
    return refuse_address("the host holds a character that no host has", text);
  }
  MR_TRY(const std::uint16_t port, parse_port(text.substr(colon + 1), port_min, text));
  return Address{.host = std::string(host), .port = port};
}

}  // namespace

base::Result<Address> parse_address(std::string_view text) { return parse_either(text, 1); }

base::Result<Address> parse_listen_address(std::string_view text) { return parse_either(text, 0); }

std::string to_string(const Address& address) {
  if (address.is_unix()) return std::string(kUnixPrefix) + address.unix_path;
  const std::string port = std::to_string(address.port);
  if (address.host.find(':') != std::string::npos) return "[" + address.host + "]:" + port;
  return address.host + ":" + port;
}

}  // namespace millrace::net
