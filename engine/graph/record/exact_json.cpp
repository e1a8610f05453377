#include "graph/record/exact_json.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_document.h"
#include "base/formats/json_writer.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

constexpr std::string_view kFloatKey = "$float";

void append_float(std::string& out, double number) {
  if (std::isnan(number)) {
    out += R"({"$float":"nan"})";
  } else if (std::isinf(number)) {
    out += number > 0 ? R"({"$float":"inf"})" : R"({"$float":"-inf"})";
  } else {
    const std::size_t begin = out.size();
    base::JsonWriter(out).value(number);
    if (out.find_first_of(".eE", begin) == std::string::npos) out += ".0";
  }
}

std::optional<double> find_special_float(const base::JsonValue& value) {
  if (value.size() != 1) return std::nullopt;
  const auto text = value.find_member(kFloatKey);
  if (!text || !text->find_string()) return std::nullopt;
  const std::string_view name = *text->find_string();
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return name == "-inf" ? -infinity : infinity;
}

}  // namespace

void append_exact_json(std::string& out, const Payload& value) {
  if (value.kind() == PayloadKind::kFloat) return append_float(out, *value.find_number());
  if (value.kind() == PayloadKind::kArray) {
    char before = '[';
    if (value.items().empty()) out += '[';
    for (const Payload& item : value.items()) {
      out += std::exchange(before, ',');
      append_exact_json(out, item);
    }
    out += ']';
    return;
  }
  if (value.kind() != PayloadKind::kObject) return value.append_json(out);
  char before = '{';
  if (value.members().empty()) out += '{';
  for (const PayloadMember& member : value.members()) {
    out += std::exchange(before, ',');
    base::append_json_string(out, member.name.starts_with('$') ? "$" + member.name : member.name);
    out += ':';
    append_exact_json(out, member.value);
  }
  out += '}';
}

Payload read_exact_json(const base::JsonValue& value) {
  if (value.is(base::JsonKind::kArray)) {
    std::vector<Payload> items;
    for (const base::JsonValue item : value.children()) items.push_back(read_exact_json(item));
    return Payload::array(std::move(items));
  }
  if (!value.is(base::JsonKind::kObject)) return Payload::from_json(value);
  if (const auto number = find_special_float(value)) return Payload(*number);
  std::vector<PayloadMember> members;
  for (const base::JsonValue member : value.children()) {
    const std::string_view name = member.key();
    members.push_back({.name = std::string(name.starts_with("$$") ? name.substr(1) : name),
                       .value = read_exact_json(member)});
  }
  return Payload::object(std::move(members));
}

}  // namespace millrace::graph
