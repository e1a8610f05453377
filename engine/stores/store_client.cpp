#include "stores/store_client.h"

#include <string_view>

namespace millrace::stores {

std::string_view to_string(Command command) {
  switch (command) {
    case Command::kHashGetAll:
      return "HGETALL";
    case Command::kHashGet:
      return "HMGET";
    case Command::kListRange:
      return "LRANGE";
    case Command::kGet:
      return "GET";
    case Command::kMultiGet:
      return "MGET";
  }
  return "?";
}

}  // namespace millrace::stores
