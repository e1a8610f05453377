#include "stores/redis/protocol/redis_error.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace millrace::stores {

using base::ErrorCode;

namespace {

struct Meaning {
  std::string_view word;
  ErrorCode code;
  std::string_view text;
};

constexpr std::array kMeanings{
    Meaning{"WRONGTYPE", ErrorCode::kNodeFailed, "WRONGTYPE: the key holds another type"},
    Meaning{"LOADING", ErrorCode::kUnavailable, "The store is loading its data"},
    Meaning{"READONLY", ErrorCode::kUnavailable, "The store is a read-only replica"},
    Meaning{"MASTERDOWN", ErrorCode::kUnavailable, "The store has lost its master"},
    Meaning{"NOREPLICAS", ErrorCode::kUnavailable, "The store lacks replicas"},
    Meaning{"BUSY", ErrorCode::kUnavailable, "The store is busy with a script"},
    Meaning{"TRYAGAIN", ErrorCode::kUnavailable, "The store moves the keys"},
    Meaning{"NODEDOWN", ErrorCode::kUnavailable, "A node of the cluster cannot be reached"},
    Meaning{"CLUSTERDOWN", ErrorCode::kUnavailable, "The cluster is down"},
    Meaning{"MOVED", ErrorCode::kUnavailable, "The key is on another node of the cluster"},
    Meaning{"ASK", ErrorCode::kUnavailable, "The key moves to another node of the cluster"},
    Meaning{"NOAUTH", ErrorCode::kUnavailable, "The store wants a password"},
    Meaning{"WRONGPASS", ErrorCode::kUnavailable, "The store refuses user or password"},
    Meaning{"NOPERM", ErrorCode::kUnavailable, "The store's user may not do this"},
    Meaning{"OOM", ErrorCode::kResourceExhausted, "The store is out of memory"},
};

constexpr std::size_t kShownReplyBytesMax = 200;

}  // namespace

base::Error error_of_reply(std::string_view reply, std::string_view key) {
  const std::string_view word = reply.substr(0, reply.find(' '));
  ErrorCode code = ErrorCode::kNodeFailed;
  std::string message = "The store refused a command";
  for (const Meaning& meaning : kMeanings) {
    if (meaning.word != word) continue;
    code = meaning.code;
    message = meaning.text;
  }
  if (reply.find("max number of clients") != std::string_view::npos) {
    code = ErrorCode::kResourceExhausted;
    message = "The store has too many clients";
  }
  if (word != "WRONGTYPE") message += ": " + std::string(reply.substr(0, kShownReplyBytesMax));
  if (!key.empty()) message += ": " + std::string(key);
  return {code, std::move(message), std::string(key)};
}

bool is_server_trouble(const base::Error& error) { return error.code() == ErrorCode::kUnavailable; }

}  // namespace millrace::stores
