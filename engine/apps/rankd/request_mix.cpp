#include "apps/rankd/request_mix.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/random.h"
#include "host/project.h"

namespace millrace::rankd {
namespace {

constexpr std::uint64_t kOrderSeed = 1;

std::expected<RequestMix, host::StartError> read_mix(const std::string& path) {
  const auto text = host::read_text_file(path);
  if (!text) return std::unexpected(text.error());
  RequestMix mix;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) mix.requests.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (mix.requests.empty())
    return std::unexpected(host::StartError{base::format("'{}' has no request", path)});
  mix.about = base::format("{} of {}", mix.requests.size(), path);
  return mix;
}

}  // namespace

std::expected<RequestMix, host::StartError> make_request_mix(const Flags& flags) {
  if (!flags.bench_requests_file.empty()) return read_mix(flags.bench_requests_file);
  if (!flags.bench_request.empty())
    return RequestMix{.requests = {flags.bench_request}, .about = "one request, repeated"};
  RequestMix mix{.requests = {}, .about = base::format("users 1 to {}", flags.bench_users)};
  for (std::int64_t user = 1; user <= flags.bench_users; ++user)
    mix.requests.push_back(base::format(R"({{"user_id": {}}})", user));
  // Shuffled, so that neighbours in the data are not neighbours in time (Fisher and Yates).
  base::SplitMix64 random(kOrderSeed);
  for (std::size_t left = mix.requests.size(); left > 1; --left)
    std::swap(mix.requests[left - 1], mix.requests[random.below(left)]);
  return mix;
}

}  // namespace millrace::rankd
