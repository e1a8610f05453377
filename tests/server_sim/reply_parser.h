#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::server_sim {

/// A reply as a client reads it.
struct Reply {
  int status = 0;
  std::string request_id;  ///< of the header
  bool closes = false;     ///< says `Connection: close`
  std::string body;        ///< without chunks
};

/// Cuts the bytes that a client has received into replies. It shares no code with the server.
/// Threading: not shared.
class ReplyParser {
 public:
  void add(std::string_view bytes) { text_ += bytes; }
  /// The next whole reply; interim ones (1xx) are skipped.
  [[nodiscard]] std::optional<Reply> take();
  /// Whole chunks of a reply that is not complete yet.
  [[nodiscard]] std::string partial_body() const;
  /// Bytes that are no whole reply.
  [[nodiscard]] bool has_rest() const { return !text_.empty(); }
  /// What it could not understand; empty if nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Head {
    std::size_t end = 0;  // of the head
    Reply reply;
    std::optional<std::size_t> length;
    bool is_chunked = false;
  };
  [[nodiscard]] std::optional<Head> read_head();

  std::string text_;
  std::string problem_;
};

/// Splits a body into its lines.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view body);

/// The number behind `name` in JSON without spaces, or nothing.
[[nodiscard]] std::optional<long> find_number(std::string_view json, std::string_view name);

}  // namespace millrace::server_sim
