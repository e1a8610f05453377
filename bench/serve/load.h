#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace millrace::bench {

/// A request as clients of ranking send it.
[[nodiscard]] std::string rank_request();

/// Clients that send a request as soon as they have a reply, over connections that stay open; one
/// thread, no parsing beyond the length of the reply.
/// Threading: not shared.
class ClosedLoad {
 public:
  [[nodiscard]] static base::Result<ClosedLoad> connect(std::uint16_t port,
                                                        std::size_t connections);
  ClosedLoad(ClosedLoad&& other) noexcept;
  ClosedLoad& operator=(ClosedLoad&&) = delete;
  ~ClosedLoad();

  /// Makes so many requests in all. Fails if a reply is not what it should be.
  [[nodiscard]] base::Status run(std::size_t requests);

 private:
  struct Client {
    int socket = -1;
    std::string reply = {};
  };
  ClosedLoad() = default;
  [[nodiscard]] base::Status send(Client& client) const;
  /// True when a reply is complete.
  [[nodiscard]] base::Result<bool> receive(Client& client);

  int poll_ = -1;
  std::string request_;
  std::vector<Client> clients_;
};

}  // namespace millrace::bench
