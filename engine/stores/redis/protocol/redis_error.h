#pragma once

#include <string_view>

#include "base/error.h"

namespace millrace::stores {

/// What an error reply of a server means to a request:
///
/// | reply begins with | code |
/// |---|---|
/// | WRONGTYPE, and any not named here | kNodeFailed |
/// | LOADING, READONLY, MASTERDOWN, NOREPLICAS, BUSY | kUnavailable |
/// | TRYAGAIN, CLUSTERDOWN, MOVED, ASK | kUnavailable |
/// | NODEDOWN: our own word for a node of a cluster that is gone | kUnavailable |
/// | NOAUTH, WRONGPASS, NOPERM | kUnavailable |
/// | OOM, and `max number of clients` | kResourceExhausted |
///
/// The message holds the reply and the key; `key` is also where the error is.
[[nodiscard]] base::Error error_of_reply(std::string_view reply, std::string_view key);

/// True for errors that say that the server, not the command, is in trouble.
[[nodiscard]] bool is_server_trouble(const base::Error& error);

}  // namespace millrace::stores
