#include "graph/record/divergence.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/formats/json_document.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kShownBytesMax = 400;

/// `name: value` of a member, or `name: nothing`.
std::string show_member(const std::optional<base::JsonValue>& member, std::string_view name) {
  std::string text = std::string(name) + ": ";
  text += member ? Payload::from_json(*member).to_json() : "nothing";
  if (text.size() > kShownBytesMax) text.replace(kShownBytesMax, std::string::npos, "...");
  return text;
}

/// The first member of an entry that another lacks or has otherwise.
std::optional<std::string> find_member_that_differs(const base::JsonValue& entry,
                                                    const base::JsonValue& other) {
  for (const base::JsonValue member : entry.children()) {
    const auto same = other.find_member(member.key());
    if (same && Payload::from_json(member).to_json() == Payload::from_json(*same).to_json()) {
      continue;
    }
    return std::string(member.key());
  }
  return std::nullopt;
}

/// The component or edge to blame: of a boundary the first message that differs.
std::string place_of(std::string_view name,
                     const base::JsonValue& recorded,
                     const base::JsonValue& now) {
  const auto recorded_list = recorded.find_member("took");
  const auto list_now = now.find_member("took");
  if (name == "took" && recorded_list && list_now) {
    const Payload before = Payload::from_json(*recorded_list);
    const Payload after = Payload::from_json(*list_now);
    for (std::size_t i = 0; i < std::max(before.items().size(), after.items().size()); ++i) {
      const Payload left = i < before.items().size() ? before.items()[i] : Payload();
      const Payload right = i < after.items().size() ? after.items()[i] : Payload();
      if (left == right) continue;
      const std::string_view id =
          left.find_text().value_or(right.find_text().value_or(std::string_view()));
      return std::string(id.substr(0, id.rfind('#')));
    }
  }
  for (const char* member : {"component", "edge"}) {
    if (std::string id = entry_text(recorded, member); !id.empty()) return id;
    if (std::string id = entry_text(now, member); !id.empty()) return id;
  }
  return entry_text(recorded, "is");
}

}  // namespace

std::string entry_text(const base::JsonValue& entry, std::string_view name) {
  const auto member = entry.find_member(name);
  return member ? std::string(member->find_string().value_or("")) : std::string();
}

std::optional<Divergence> find_divergence(const base::JsonValue& recorded,
                                          const base::JsonValue& now) {
  std::optional<std::string> name = find_member_that_differs(recorded, now);
  if (!name) name = find_member_that_differs(now, recorded);
  if (!name) return std::nullopt;
  const auto epoch = now.find_member("epoch");
  return Divergence{.domain = entry_text(now, "domain"),
                    .epoch = epoch ? epoch->find_unsigned().value_or(0) : 0,
                    .place = place_of(*name, recorded, now),
                    .recorded = show_member(recorded.find_member(*name), *name),
                    .now = show_member(now.find_member(*name), *name)};
}

}  // namespace millrace::graph
