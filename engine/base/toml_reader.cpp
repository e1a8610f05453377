#include "base/toml_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// The parser reports a table header without a name, but first asserts, or with NDEBUG lets the
// compiler assume, that there is one: text from outside would decide. So it does neither here.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/format.h"

namespace millrace::base {

namespace {

TextPlace to_place(const toml::source_position& position) {
  return {.line = position.line, .column = position.column};
}

TomlValue convert(const toml::node& node);

TomlValue::Table convert_table(const toml::table& table) {
  TomlValue::Table members;
  for (const auto& [name, node] : table) {
    members.push_back({.name = std::string(name.str()),
                       .place = to_place(name.source().begin),
                       .value = convert(node)});
  }
  std::ranges::sort(members, {}, [](const TomlMember& member) {
    return std::pair(member.place.line, member.place.column);
  });
  return members;
}

TomlValue convert(const toml::node& node) {
  TomlValue value{.place = to_place(node.source().begin), .content = {}};
  if (const auto* table = node.as_table()) {
    value.content = convert_table(*table);
  } else if (const auto* array = node.as_array()) {
    TomlValue::Array items;
    for (const toml::node& item : *array) items.push_back(convert(item));
    value.content = std::move(items);
  } else if (const auto* text = node.as_string()) {
    value.content = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.content = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.content = number->get();
  } else if (const auto* flag = node.as_boolean()) {
    value.content = flag->get();
  }
  return value;
}

/// Finds the first byte outside strings and comments that is not ASCII. TOML allows none there, and
/// the parser's tables of Unicode are not safe to ask about any.
std::optional<std::size_t> find_stray_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const char here = text[at];
    if (static_cast<unsigned char>(here) >= 0x80) return at;
    if (here == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (here == '"' || here == '\'') {
      const std::string_view triple = here == '"' ? R"(""")" : "'''";
      const bool is_long = text.substr(at, 3) == triple;
      const std::string_view quote = is_long ? triple : triple.substr(0, 1);
      at += quote.size();
      while (at < text.size() && text.substr(at, quote.size()) != quote &&
             (is_long || text[at] != '\n')) {
        at += here == '"' && text[at] == '\\' ? 2 : 1;
      }
      at = std::min(at + quote.size(), text.size());
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace

const TomlValue* TomlValue::find_member(std::string_view name) const {
  const auto* table = find<Table>();
  if (table == nullptr) return nullptr;
  const auto found = std::ranges::find(*table, name, &TomlMember::name);
  return found == table->end() ? nullptr : &found->value;
}

std::string_view kind_name(const TomlValue& value) {
  static constexpr std::string_view kNames[] = {
      "date", "bool", "int", "float", "string", "array", "table"};
  return kNames[value.content.index()];
}

std::expected<TomlValue, TomlProblem> read_toml(std::string_view text, std::size_t text_bytes_max) {
  if (text.size() > text_bytes_max) {
    return std::unexpected(
        TomlProblem{.place = {}, .message = format("Text longer than {} bytes", text_bytes_max)});
  }
  if (const auto stray = find_stray_byte(text)) {
    return std::unexpected(TomlProblem{.place = locate(text, *stray),
                                       .message = "Only strings and comments may hold such text"});
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return std::unexpected(TomlProblem{.place = to_place(parsed.error().source().begin),
                                       .message = std::string(parsed.error().description())});
  }
  return convert(parsed.table());
}

}  // namespace millrace::base
