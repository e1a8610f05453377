#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/address.h"

namespace millrace::stores {

/// What a node of a cluster says instead of an answer.
struct ClusterRedirect {
  enum class Kind : std::uint8_t {
    kMoved,     ///< MOVED: `node` has the slot from now on
    kAsk,       ///< ASK: `node` has this key, and takes the command behind ASKING
    kTryAgain,  ///< TRYAGAIN: the keys are on their way
    kDown,      ///< CLUSTERDOWN: nobody serves the slot now
  };

  Kind kind = Kind::kMoved;
  std::uint16_t slot = 0;  ///< kMoved and kAsk
  net::Address node = {};  ///< kMoved and kAsk
};

/// Reads an error reply; nothing if it is about something else or makes no sense. A node that
/// names no host means the one that was asked.
[[nodiscard]] std::optional<ClusterRedirect> find_redirect(std::string_view error,
                                                           const std::string& asked_host);

}  // namespace millrace::stores
