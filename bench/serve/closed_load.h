#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/serve/client_socket.h"

namespace millrace::bench {

/// Clients that send a request as soon as they have a reply, over connections that stay open; one
/// thread.
/// Threading: not shared.
class ClosedLoad {
 public:
  struct Options {
    std::uint16_t port = 0;
    std::size_t connections = 64;
    std::string request;
    int status = 200;  ///< of every reply
  };
  [[nodiscard]] static base::Result<ClosedLoad> connect(Options options);
  ClosedLoad(ClosedLoad&& other) noexcept;
  ClosedLoad& operator=(ClosedLoad&&) = delete;
  ~ClosedLoad();

  /// Makes so many requests in all. Fails if a reply has another status than it should.
  [[nodiscard]] base::Status run(std::size_t requests);

 private:
  explicit ClosedLoad(Options options);

  const Options options_;
  int poll_;
  std::vector<ClientSocket> clients_;
};

}  // namespace millrace::bench
