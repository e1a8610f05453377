#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace millrace::expr {

/// A compiled RE2 pattern. Matching takes time that grows with the size of the text times that of
/// the pattern, at most, and cannot be interrupted; so this product is bounded. Threading: any
/// thread once made.
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

  /// Says whether matching the text could take too long: some hundredths of a second. That are
  /// texts of more than about 800 kB for a short pattern, and of 2 kB for one of 8000 steps.
  [[nodiscard]] bool is_too_long(std::string_view text) const {
    return text.size() > kWorkMax / step_count_;
  }
  /// Steps that one byte of text can take.
  [[nodiscard]] std::size_t step_count() const { return step_count_; }

  /// Says whether some part of the text matches.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> compiled);

  // Bytes times steps that one match may take.
  static constexpr std::size_t kWorkMax = std::size_t{1} << 24U;

  std::unique_ptr<re2::RE2> compiled_;
  std::size_t step_count_ = 1;
};

}  // namespace millrace::expr
