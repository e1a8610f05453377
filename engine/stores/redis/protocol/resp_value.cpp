#include "stores/redis/protocol/resp_value.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

const RespValue* RespValue::find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].type == RespType::kText && elements[i].text == name) return &elements[i + 1];
  }
  return nullptr;
}

std::string RespValue::to_string() const {
  switch (type) {
    case RespType::kNull:
      return "null";
    case RespType::kText:
      return "\"" + text + "\"";
    case RespType::kError:
      return "error \"" + text + "\"";
    case RespType::kInteger:
      return std::to_string(integer);
    case RespType::kDouble:
      return base::format("{}", number);
    case RespType::kBoolean:
      return integer != 0 ? "true" : "false";
    default:
      break;
  }
  std::string out(type == RespType::kArray ? "" : stores::to_string(type));
  out += '[';
  for (const RespValue& element : elements) {
    if (&element != elements.data()) out += ", ";
    out += element.to_string();
  }
  return out + "]";
}

void RespTreeSink::on_text(std::string_view text) {
  if (text.data() == nullptr) return add({.type = RespType::kNull});
  add({.type = RespType::kText, .text = std::string(text)});
}

void RespTreeSink::on_token(const RespToken& token) {
  RespValue value{.type = token.type,
                  .text = token.type == RespType::kError ? std::string(token.text) : std::string(),
                  .integer = token.integer,
                  .number = token.number};
  if (token.type < RespType::kArray) return add(std::move(value));
  const std::size_t left = token.type == RespType::kMap ? 2 * token.count : token.count;
  if (left == 0) return add(std::move(value));
  open_.push_back({.value = std::move(value), .left = left});
}

void RespTreeSink::add(RespValue value) {
  while (!open_.empty()) {
    Open& top = open_.back();
    top.value.elements.push_back(std::move(value));
    if (--top.left != 0) return;
    value = std::move(top.value);
    open_.pop_back();
  }
  values.push_back(std::move(value));
}

void RespTreeSink::on_reply_end() {}

}  // namespace millrace::stores
