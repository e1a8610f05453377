#include "stores/store_client.h"

#include <string_view>

namespace millrace::stores {

std::string_view to_string(StoreCommand command) {
  switch (command) {
    case StoreCommand::kHashGetAll:
      return "HGETALL";
    case StoreCommand::kHashGet:
      return "HMGET";
    case StoreCommand::kListRange:
      return "LRANGE";
    case StoreCommand::kSortedSetRange:
      return "ZRANGE";
    case StoreCommand::kSetMembers:
      return "SMEMBERS";
    case StoreCommand::kGet:
      return "GET";
    case StoreCommand::kMultiGet:
      return "MGET";
  }
  return "?";
}

}  // namespace millrace::stores
