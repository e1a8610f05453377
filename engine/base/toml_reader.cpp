#include "base/toml_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
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
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return std::unexpected(TomlProblem{.place = to_place(parsed.error().source().begin),
                                       .message = std::string(parsed.error().description())});
  }
  return convert(parsed.table());
}

}  // namespace millrace::base
