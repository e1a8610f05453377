#include "expr/program/regex.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <re2/re2.h>
#include <re2/stringpiece.h>

namespace millrace::expr {

namespace {

constexpr std::string_view kKnownFlags = "ims";

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> compiled)
    : compiled_(std::move(compiled)),
      step_count_(static_cast<std::size_t>(std::max(compiled_->ProgramSize(), 1))) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

std::expected<Regex, std::string> Regex::compile(std::string_view pattern,
                                                 std::string_view flags,
                                                 std::int64_t memory_bytes_max) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (kKnownFlags.find(flags[i]) == std::string_view::npos) {
      return std::unexpected("Unknown regex flag: `" + std::string(1, flags[i]) + "`");
    }
    if (flags.find(flags[i], i + 1) != std::string_view::npos) {
      return std::unexpected("A regex flag is given twice: `" + std::string(1, flags[i]) + "`");
    }
  }
  std::string full;
  if (!flags.empty()) full = "(?" + std::string(flags) + ")";
  full += pattern;
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(memory_bytes_max);
  auto compiled = std::make_unique<re2::RE2>(full, options);
  if (!compiled->ok()) return std::unexpected("The regex does not compile: " + compiled->error());
  return Regex(std::move(compiled));
}

bool Regex::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

}  // namespace millrace::expr
