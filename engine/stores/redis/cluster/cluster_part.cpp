#include "stores/redis/cluster/cluster_part.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/reply_sink.h"
#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

void ClusterPart::add(std::uint32_t piece) {
  pieces_.push_back(piece);
  set_command_count(command_count() + (asking_ ? 2 : 1));
}

void ClusterPart::encode(CommandWriter& out) {
  for (const std::uint32_t piece : pieces_) {
    if (asking_) out.command({"ASKING"});
    out.raw(split_.text_of(piece));
  }
}

void ClusterPart::keep(const std::shared_ptr<char[]>& block) {
  if (blocks_.empty() || blocks_.back() != block) blocks_.push_back(block);
}

void ClusterPart::on_text(std::string_view text) {
  tokens_.push_back({.type = RespType::kText, .text = text});
}

std::span<const RespToken> ClusterPart::reply(std::size_t index) const {
  const std::size_t number = asking_ ? 2 * index + 1 : index;
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::span(tokens_).subspan(begin, ends_[number] - begin);
}

void replay(std::span<const RespToken> tokens, ReplySink& sink) {
  for (const RespToken& token : tokens) {
    if (token.type == RespType::kText) {
      sink.on_text(token.text);
    } else {
      sink.on_token(token);
    }
  }
}

}  // namespace millrace::stores
