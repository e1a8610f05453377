#include "stores/redis/protocol/resp_reader.h"

#include <cstddef>
#include <string_view>

#include "stores/redis/protocol/reply_sink.h"
#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

namespace {

bool is_aggregate(RespType type) { return type >= RespType::kArray; }

std::size_t element_count(const RespToken& token) {
  const bool pairs = token.type == RespType::kMap || token.type == RespType::kAttribute;
  return pairs ? 2 * token.count : token.count;
}

}  // namespace

bool RespReader::open(const RespToken& token, ReplySink& sink) {
  const bool is_attribute = token.type == RespType::kAttribute;
  if (token.type == RespType::kPush && depth_ != 0) {
    problem_ = "A push stands inside a reply";
    return false;
  }
  if (depth_ == kDepthMax) {
    problem_ = "A reply is nested deeper than 16";
    return false;
  }
  if (attribute_depth_ == 0 && !is_attribute) sink.on_token(token);
  frames_[depth_++] = {.left = element_count(token), .is_attribute = is_attribute};
  if (is_attribute && attribute_depth_ == 0) attribute_depth_ = depth_;
  return true;
}

bool RespReader::take(const RespToken& token, ReplySink& sink) {
  if (is_aggregate(token.type)) return open(token, sink);
  if (attribute_depth_ != 0) return true;
  if (token.type == RespType::kText) {
    sink.on_text(token.text);
  } else if (token.type == RespType::kNull) {
    sink.on_text({});
  } else {
    sink.on_token(token);
  }
  return true;
}

bool RespReader::close_element() {
  while (depth_ != 0) {
    Frame& frame = frames_[depth_ - 1];
    if (frame.left != 0) return false;
    const bool was_attribute = frame.is_attribute;
    --depth_;
    // What an attribute precedes is still to come, so it ends no element of the frame around it.
    if (was_attribute) {
      if (attribute_depth_ == depth_ + 1) attribute_depth_ = 0;
      return false;
    }
    if (depth_ == 0) return true;
    --frames_[depth_ - 1].left;
  }
  return true;
}

RespReader::Step RespReader::read(std::string_view bytes, ReplySink& replies, ReplySink& pushes) {
  const char* cursor = bytes.data();
  const char* const end = cursor + bytes.size();
  const auto step = [&](ReadStatus status) {
    return Step{.status = status, .consumed = static_cast<std::size_t>(cursor - bytes.data())};
  };
  if (depth_ == 0) {
    const std::string_view text = try_read_bulk(cursor, end);
    if (text.data() != nullptr) {
      replies.on_text(text);
      replies.on_reply_end();
      return step(ReadStatus::kReply);
    }
  }
  for (;;) {
    if (depth_ != 0 && attribute_depth_ == 0) {
      std::size_t& left = frames_[depth_ - 1].left;
      left -= (is_push_ ? pushes : replies).take_texts(cursor, end, left);
    }
    if (depth_ == 0 || frames_[depth_ - 1].left != 0) {
      RespToken token;
      const auto left = static_cast<std::size_t>(end - cursor);
      const TokenStatus status = read_token({cursor, left}, token, problem_);
      if (status == TokenStatus::kInvalid) return step(ReadStatus::kBroken);
      if (status == TokenStatus::kIncomplete) {
        bytes_wanted_ = token.size;
        return step(ReadStatus::kWanting);
      }
      const bool is_attribute = token.type == RespType::kAttribute;
      // An element is counted when it begins; an attribute is none.
      if (depth_ != 0 && !is_aggregate(token.type)) --frames_[depth_ - 1].left;
      if (depth_ == 0 && !is_attribute) is_push_ = token.type == RespType::kPush;
      const bool was_single = depth_ == 0 && !is_aggregate(token.type);
      if (!take(token, is_push_ ? pushes : replies)) return step(ReadStatus::kBroken);
      cursor += token.size;
      if (was_single) {
        replies.on_reply_end();
        return step(ReadStatus::kReply);
      }
    }
    if (close_element() && depth_ == 0) {
      (is_push_ ? pushes : replies).on_reply_end();
      return step(is_push_ ? ReadStatus::kPush : ReadStatus::kReply);
    }
  }
}

}  // namespace millrace::stores
