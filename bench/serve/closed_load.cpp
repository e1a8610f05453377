#include "bench/serve/closed_load.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"

namespace millrace::bench {

ClosedLoad::ClosedLoad(Options options)
    : options_(std::move(options)), poll_(::epoll_create1(EPOLL_CLOEXEC)) {}

ClosedLoad::ClosedLoad(ClosedLoad&& other) noexcept
    : options_(other.options_),
      poll_(std::exchange(other.poll_, -1)),
      clients_(std::exchange(other.clients_, {})) {}

ClosedLoad::~ClosedLoad() {
  if (poll_ >= 0) ::close(poll_);
}

base::Result<ClosedLoad> ClosedLoad::connect(Options options) {
  ClosedLoad load(std::move(options));
  for (std::size_t i = 0; i < load.options_.connections; ++i) {
    MR_TRY(ClientSocket client, ClientSocket::connect(load.options_.port));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(load.poll_, EPOLL_CTL_ADD, client.descriptor(), &event);
    load.clients_.push_back(std::move(client));
  }
  return load;
}

base::Status ClosedLoad::run(std::size_t requests) {
  std::size_t sent = 0;
  std::size_t replied = 0;
  for (ClientSocket& client : clients_) {
    if (sent == requests) break;
    MR_TRY_STATUS(client.send(options_.request));
    ++sent;
  }
  std::array<epoll_event, 64> events;
  while (replied < requests) {
    const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
    if (count <= 0) return base::fail(base::ErrorCode::kUnavailable, "The server does not answer");
    for (int i = 0; i < count; ++i) {
      ClientSocket& client = clients_[events[static_cast<std::size_t>(i)].data.u64];
      MR_TRY(const bool is_complete, client.receive());
      if (!is_complete) continue;
      if (client.reply().status() != options_.status) {
        return base::fail(base::ErrorCode::kInternal,
                          base::format("The server sent another reply than expected: {} {}",
                                       client.reply().status(),
                                       client.reply().body()));
      }
      ++replied;
      if (sent == requests) continue;
      MR_TRY_STATUS(client.send(options_.request));
      ++sent;
    }
  }
  return {};
}

}  // namespace millrace::bench
