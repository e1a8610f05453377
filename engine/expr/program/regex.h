#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace millrace::expr {

/// A compiled RE2 pattern. Matching takes time linear in the text, whatever the pattern.
/// Threading: any thread once made.
class Regex {
 public:
  /// Compiles a pattern. `flags` is any combination of `i` (ignore case), `m` (`^` and `$` match at
  /// lines) and `s` (`.` matches a newline). The error is a sentence that says what is wrong with
  /// pattern or flags, or that the pattern needs more than `memory_bytes_max`.
  [[nodiscard]] static std::expected<Regex, std::string> compile(std::string_view pattern,
                                                                 std::string_view flags,
                                                                 std::int64_t memory_bytes_max);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  /// Says whether some part of the text matches.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace millrace::expr
