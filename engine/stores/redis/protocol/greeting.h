#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

/// The exchange that opens a connection: HELLO 3 with AUTH, or AUTH, SELECT and CLIENT TRACKING as
/// far as the settings ask for them. RESP2 is used with a server that does not know HELLO. There is
/// always at least one reply to wait for, so a finished greeting proves that the server answers.
/// Threading: not shared. Lifetime: borrows the settings.
class Greeting {
 public:
  explicit Greeting(const GreetingSettings& settings) : settings_(settings) {}

  /// Gives the first commands to send.
  [[nodiscard]] std::string start();
  /// Takes one reply. Gives the commands to send next, maybe none; an error if the server refuses.
  [[nodiscard]] base::Result<std::string> take(const RespValue& reply);
  [[nodiscard]] bool is_done() const { return expected_.empty(); }
  /// Which protocol is spoken, 2 or 3.
  [[nodiscard]] std::uint32_t protocol() const { return protocol_; }
  /// Whether the server will send invalidations.
  [[nodiscard]] bool tracks() const { return tracks_; }

 private:
  enum class Step : std::uint8_t { kHello, kAuth, kSelect, kTracking, kPing };

  [[nodiscard]] std::string rest(bool with_auth);

  const GreetingSettings& settings_;
  std::vector<Step> expected_;  // replies that are still to come, last first
  std::uint32_t protocol_ = 2;
  bool tracks_ = false;
};

}  // namespace millrace::stores
