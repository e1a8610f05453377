#include "reply_parser.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace millrace::server_sim {
namespace {

/// The chunks from `at` on: their bytes, where they end, and whether the last one has come.
struct Chunks {
  std::string bytes;
  std::size_t end = 0;
  bool is_complete = false;
};

Chunks read_chunks(std::string_view text, std::size_t at) {
  Chunks chunks;
  while (true) {
    const std::size_t line_end = text.find("\r\n", at);
    if (line_end == std::string_view::npos) return chunks;
    std::size_t size = 0;
    std::from_chars(text.data() + at, text.data() + line_end, size, 16);
    const std::size_t next = line_end + 2 + size + 2;
    if (text.size() < next) return chunks;
    chunks.bytes += text.substr(line_end + 2, size);
    at = next;
    if (size == 0) {
      chunks.end = next;
      chunks.is_complete = true;
      return chunks;
    }
  }
}

}  // namespace

std::optional<ReplyParser::Head> ReplyParser::read_head() {
  const std::size_t end = text_.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  Head head;
  head.end = end + 4;
  if (!text_.starts_with("HTTP/1.1 ")) {
    problem_ = "no status line: " + text_.substr(0, 40);
    return std::nullopt;
  }
  std::from_chars(text_.data() + 9, text_.data() + 12, head.reply.status);
  std::size_t at = text_.find("\r\n") + 2;
  while (at < end + 2) {
    const std::size_t line_end = text_.find("\r\n", at);
    const std::string_view line = std::string_view(text_).substr(at, line_end - at);
    at = line_end + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 2);
    if (name == "Content-Length") {
      std::size_t length = 0;
      std::from_chars(value.data(), value.data() + value.size(), length);
      head.length = length;
    } else if (name == "Transfer-Encoding") {
      head.is_chunked = value == "chunked";
    } else if (name == "Connection") {
      head.reply.closes = value == "close";
    } else if (name == "X-Request-Id") {
      head.reply.request_id = value;
    }
  }
  return head;
}

std::optional<Reply> ReplyParser::take() {
  while (true) {
    auto head = read_head();
    if (!head) return std::nullopt;
    if (head->reply.status < 200) {
      text_.erase(0, head->end);
      continue;
    }
    std::size_t end = head->end;
    if (head->is_chunked) {
      Chunks chunks = read_chunks(text_, head->end);
      if (!chunks.is_complete) return std::nullopt;
      head->reply.body = std::move(chunks.bytes);
      end = chunks.end;
    } else {
      const std::size_t length = head->length.value_or(0);
      if (text_.size() < end + length) return std::nullopt;
      head->reply.body = text_.substr(end, length);
      end += length;
    }
    text_.erase(0, end);
    return head->reply;
  }
}

std::string ReplyParser::partial_body() const {
  const std::size_t end = text_.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  return read_chunks(text_, end + 4).bytes;
}

std::vector<std::string> lines_of(std::string_view body) {
  std::vector<std::string> lines;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) break;
    lines.emplace_back(body.substr(0, end));
    body.remove_prefix(end + 1);
  }
  return lines;
}

std::optional<long> find_number(std::string_view json, std::string_view name) {
  const std::string wanted = "\"" + std::string(name) + "\":";
  const std::size_t at = json.find(wanted);
  if (at == std::string_view::npos) return std::nullopt;
  long value = 0;
  const char* const begin = json.data() + at + wanted.size();
  if (std::from_chars(begin, json.data() + json.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

}  // namespace millrace::server_sim
