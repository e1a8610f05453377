#include "expr/syntax/diagnostic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/text_place.h"

namespace millrace::expr {

namespace {

constexpr std::size_t kSnippetColumnsMax = 100;
constexpr std::size_t kRenderedMax = 20;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// Length that the first byte of a UTF-8 sequence announces; 0 for a byte that cannot start one.
std::size_t sequence_length(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  if (lead < 0x80U) return 1;
  if (lead >= 0xC2U && lead < 0xE0U) return 2;
  if (lead >= 0xE0U && lead < 0xF0U) return 3;
  if (lead >= 0xF0U && lead < 0xF5U) return 4;
  return 0;
}

// One column of a rendered line: its bytes in the source and what is shown for them.
struct Glyph {
  std::size_t offset;
  std::string_view shown;
};

std::vector<Glyph> split_glyphs(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<Glyph> glyphs;
  for (std::size_t at = begin; at < end;) {
    std::size_t length = sequence_length(text[at]);
    bool well_formed = length != 0 && at + length <= end;
    for (std::size_t i = 1; well_formed && i < length; ++i) {
      well_formed = is_continuation(text[at + i]);
    }
    if (!well_formed) length = 1;
    const auto byte = static_cast<unsigned char>(text[at]);
    std::string_view shown = text.substr(at, length);
    if (!well_formed) shown = "?";
    if (byte < 0x20U || byte == 0x7FU) shown = " ";
    glyphs.push_back({at, shown});
    at += length;
  }
  return glyphs;
}

std::string snippet(std::string_view text, SourceSpan span) {
  const std::size_t offset = std::min<std::size_t>(span.offset, text.size());
  const std::size_t newline_before =
      offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline_before == std::string_view::npos ? 0 : newline_before + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  const std::vector<Glyph> glyphs = split_glyphs(text, begin, end);

  std::size_t caret = 0;
  while (caret < glyphs.size() && glyphs[caret].offset < offset) ++caret;
  std::size_t caret_end = caret;
  while (caret_end < glyphs.size() && glyphs[caret_end].offset < offset + span.length) ++caret_end;

  const std::size_t first = caret < kSnippetColumnsMax / 2 ? 0 : caret - kSnippetColumnsMax / 2;
  const std::size_t last = std::min(glyphs.size(), first + kSnippetColumnsMax);
  const std::string line_number = std::to_string(base::locate(text, offset).line);
  const std::string_view cut_before = first == 0 ? "" : "...";

  std::string out = " " + line_number + " | " + std::string(cut_before);
  for (std::size_t i = first; i < last; ++i) out += glyphs[i].shown;
  if (last < glyphs.size()) out += "...";
  out += "\n " + std::string(line_number.size(), ' ') + " | ";
  out += std::string(cut_before.size() + (caret - first), ' ') + "^";
  if (caret_end > caret + 1) out += std::string(std::min(caret_end, last) - caret - 1, '~');
  return out;
}

}  // namespace

std::string render(std::string_view text, const Diagnostic& diagnostic) {
  std::string out = diagnostic.message + "\n" + snippet(text, diagnostic.span);
  if (!diagnostic.hint.empty()) out += "\n hint: " + diagnostic.hint;
  return out;
}

base::Error to_error(std::string_view text, std::span<const Diagnostic> diagnostics) {
  std::string message;
  std::string where;
  std::size_t error_count = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    ++error_count;
    if (error_count == 1) where = to_string(base::locate(text, diagnostic.span.offset));
    if (error_count > kRenderedMax) continue;
    if (error_count > 1) message += "\n";
    message += render(text, diagnostic);
  }
  MR_CHECK(error_count > 0);
  if (error_count > kRenderedMax) {
    message += "\nand " + std::to_string(error_count - kRenderedMax) + " more";
  }
  return {base::ErrorCode::kInvalidExpression, std::move(message), std::move(where)};
}

}  // namespace millrace::expr
