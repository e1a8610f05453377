#include "graph/payload.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "base/result.h"

namespace millrace::graph {

/// What copies of a payload share. One of the three is in use.
struct Payload::Shared {
  // Counts the payloads that point here; the last one to go deletes it and must see all reads done.
  std::atomic<std::uint32_t> count{1};
  std::uint32_t depth = 0;
  std::string text = {};
  std::vector<Payload> items = {};
  std::vector<PayloadMember> members = {};
};

Payload::Payload(std::string text)
    : Payload(PayloadKind::kText, new Shared{.text = std::move(text)}) {}

Payload Payload::array(std::vector<Payload> items) {
  std::uint32_t depth = 0;
  for (const Payload& item : items) depth = std::max(depth, item.depth());
  return {PayloadKind::kArray, new Shared{.depth = depth + 1, .items = std::move(items)}};
}

Payload Payload::object(std::vector<PayloadMember> members) {
  std::uint32_t depth = 0;
  for (const PayloadMember& member : members) depth = std::max(depth, member.value.depth());
  return {PayloadKind::kObject, new Shared{.depth = depth + 1, .members = std::move(members)}};
}

void Payload::retain() const { data_.shared->count.fetch_add(1, std::memory_order_relaxed); }

void Payload::release() {
  if (data_.shared->count.fetch_sub(1, std::memory_order_acq_rel) == 1) delete data_.shared;
}

Payload Payload::from_json(const base::JsonValue& value) {
  switch (value.kind()) {
    case base::JsonKind::kNull:
      return {};
    case base::JsonKind::kBool:
      return Payload(*value.find_bool());
    case base::JsonKind::kInt:
      return Payload(*value.find_int());
    case base::JsonKind::kUnsigned:
    case base::JsonKind::kFloat:
      return Payload(*value.find_number());
    case base::JsonKind::kString:
      return Payload(std::string(*value.find_string()));
    case base::JsonKind::kArray: {
      std::vector<Payload> items;
      for (const base::JsonValue item : value.children()) items.push_back(from_json(item));
      return array(std::move(items));
    }
    case base::JsonKind::kObject:
      break;
  }
  std::vector<PayloadMember> members;
  for (const base::JsonValue member : value.children()) {
    members.push_back({.name = std::string(member.key()), .value = from_json(member)});
  }
  return object(std::move(members));
}

base::Result<Payload> Payload::parse(std::string_view json_text) {
  // The reader wants an object or array as its root.
  base::JsonReader reader;
  base::JsonDocument document;
  const auto read = reader.read(base::format("[{}\n]", json_text), document);
  if (!read) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("Not a JSON value: {}", read.error().message),
                      std::string(json_text.substr(0, 80)));
  }
  if (document.root().size() != 1) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "Not exactly one JSON value",
                      std::string(json_text.substr(0, 80)));
  }
  return from_json(*document.root().children().begin());
}

std::optional<bool> Payload::find_bool() const {
  if (kind_ != PayloadKind::kBool) return std::nullopt;
  return data_.flag;
}

std::optional<double> Payload::find_number() const {
  if (kind_ == PayloadKind::kInt) return static_cast<double>(data_.integer);
  if (kind_ == PayloadKind::kFloat) return data_.number;
  return std::nullopt;
}

std::optional<std::string_view> Payload::find_text() const {
  if (kind_ != PayloadKind::kText) return std::nullopt;
  return data_.shared->text;
}

std::span<const Payload> Payload::items() const {
  if (kind_ != PayloadKind::kArray) return {};
  return data_.shared->items;
}

std::span<const PayloadMember> Payload::members() const {
  if (kind_ != PayloadKind::kObject) return {};
  return data_.shared->members;
}

const Payload* Payload::find_member(std::string_view name) const {
  const auto all = members();
  const auto found = std::ranges::find(all, name, &PayloadMember::name);
  return found == all.end() ? nullptr : &found->value;
}

std::uint32_t Payload::depth() const { return is_shared() ? data_.shared->depth : 0; }

std::string Payload::to_json() const {
  std::string out;
  append_json(out);
  return out;
}

void Payload::append_json(std::string& out) const {
  base::JsonWriter writer(out);
  switch (kind_) {
    case PayloadKind::kNull:
      return writer.null();
    case PayloadKind::kBool:
      return writer.value(data_.flag);
    case PayloadKind::kInt:
      return writer.value(data_.integer);
    case PayloadKind::kFloat:
      return writer.value(data_.number);
    case PayloadKind::kText:
      return writer.value(std::string_view(data_.shared->text));
    case PayloadKind::kArray:
      out += '[';
      for (std::size_t i = 0; i < data_.shared->items.size(); ++i) {
        if (i > 0) out += ',';
        data_.shared->items[i].append_json(out);
      }
      out += ']';
      return;
    case PayloadKind::kObject:
      break;
  }
  out += '{';
  for (std::size_t i = 0; i < data_.shared->members.size(); ++i) {
    if (i > 0) out += ',';
    base::append_json_string(out, data_.shared->members[i].name);
    out += ':';
    data_.shared->members[i].value.append_json(out);
  }
  out += '}';
}

bool operator==(const Payload& left, const Payload& right) {
  if (left.kind_ != right.kind_) return false;
  switch (left.kind_) {
    case PayloadKind::kNull:
      return true;
    case PayloadKind::kBool:
      return left.data_.flag == right.data_.flag;
    case PayloadKind::kInt:
      return left.data_.integer == right.data_.integer;
    case PayloadKind::kFloat:
      return left.data_.number == right.data_.number;
    case PayloadKind::kText:
      return left.data_.shared->text == right.data_.shared->text;
    case PayloadKind::kArray:
      return left.data_.shared->items == right.data_.shared->items;
    case PayloadKind::kObject:
      break;
  }
  return std::ranges::equal(
      left.members(), right.members(), [](const PayloadMember& a, const PayloadMember& b) {
        return a.name == b.name && a.value == b.value;
      });
}

}  // namespace millrace::graph
