#include "graph/record/entry_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/result.h"
#include "graph/payload.h"
#include "graph/record/divergence.h"
#include "graph/record/journal_entry.h"
#include "graph/run/run_journal.h"

namespace millrace::graph {
namespace {

/// What an entry takes besides its text, in the order and as something that is known of a call.
constexpr std::size_t kEntryBytes = 256;
constexpr std::size_t kKnownBytes = 2048;

bool is_set(const base::JsonValue& entry, std::string_view name) {
  const auto member = entry.find_member(name);
  return member && member->find_bool() == true;
}

CallFacts read_call(const base::JsonValue& entry) {
  CallFacts facts{.begin = entry_time(entry, "begin"),
                  .spent = entry_time(entry, "spent"),
                  .told_at = entry_count(entry, "told_at"),
                  .was_cancelled = is_set(entry, "was_cancelled"),
                  .is_abandoned = is_set(entry, "is_abandoned")};
  if (entry.find_member("worker")) {
    facts.worker = static_cast<std::uint32_t>(entry_count(entry, "worker"));
  }
  return facts;
}

}  // namespace

std::uint64_t entry_count(const base::JsonValue& entry, std::string_view name) {
  const auto member = entry.find_member(name);
  return member ? member->find_unsigned().value_or(0) : 0;
}

Duration entry_time(const base::JsonValue& entry, std::string_view name) {
  const auto member = entry.find_member(name);
  return Duration(member ? member->find_int().value_or(0) : 0);
}

EntryStream::EntryStream(std::istream& stream) : lines_(stream) {
  pull();
  if (!entries_.empty()) pop();  // the header
}

const RecordEntry* EntryStream::front() {
  while (entries_.empty()) {
    if (!pull()) return nullptr;
  }
  return &entries_.front();
}

bool EntryStream::pull() {
  if (error_ || is_over_) return false;
  auto text = lines_.next();
  if (!text) {
    error_ = text.error();
    return false;
  }
  if (!*text) {
    is_over_ = true;
    return false;
  }
  if (const auto read = reader_.read(**text, document_); !read) {
    error_.emplace(base::ErrorCode::kInvalidArgument, read.error().message);
    return false;
  }
  const base::JsonValue entry = document_.root();
  const std::string kind = entry_text(entry, "is");
  const bool is_known = kind == "ask" || kind == "line" || kind == "submit";
  const std::size_t bytes = (*text)->size() + (is_known ? kKnownBytes : kEntryBytes);
  held_bytes_ += bytes;
  if (held_bytes_ > kReadAheadMax) {
    error_.emplace(base::ErrorCode::kResourceExhausted,
                   base::format("More than {} MiB of the record would have to be read ahead",
                                kReadAheadMax >> 20U),
                   lines_.place());
    return false;
  }
  const Key key(entry_text(entry, "component"), entry_count(entry, "call"));
  if (is_known) known_[key].bytes += bytes;
  if (kind == "ask") {
    if (auto answer = read_answer(entry)) known_[key].answers.push_back(*std::move(answer));
  } else if (kind == "line") {
    known_[key].lines.push_back(read_line_entry(entry));
  } else if (kind == "submit") {
    const auto number = static_cast<std::uint32_t>(entry_count(entry, "number"));
    known_[key].admissions[number] = is_set(entry, "has_room");
  } else {
    if (kind == "call") known_[key].call = read_call(entry);
    entries_.push_back({.text = **std::move(text),
                        .kind = kind,
                        .domain = entry_text(entry, "domain"),
                        .line = lines_.line()});
    if (kind != "call") ++steps_held_[entries_.back().domain];
  }
  return true;
}

void EntryStream::pop() {
  held_bytes_ -= std::min(held_bytes_, entries_.front().text.size() + kEntryBytes);
  if (entries_.front().kind != "call") {
    const auto held = steps_held_.find(entries_.front().domain);
    if (--held->second == 0) steps_held_.erase(held);
  }
  entries_.pop_front();
}

EntryStream::Known* EntryStream::find_known(std::string_view component, std::uint64_t call) {
  const auto found = known_.find(Key(component, call));
  return found == known_.end() ? nullptr : &found->second;
}

const CallFacts* EntryStream::find_call(std::string_view domain,
                                        std::string_view component,
                                        std::uint64_t call) {
  while (true) {
    const Known* known = find_known(component, call);
    if (known != nullptr && known->call) return &*known->call;
    if (steps_held_.contains(domain) || !pull()) return nullptr;
  }
}

std::optional<base::Result<Payload>> EntryStream::next_answer(std::string_view component,
                                                              std::uint64_t call) {
  Known* const known = find_known(component, call);
  if (known == nullptr || known->answers.empty()) return std::nullopt;
  base::Result<Payload> answer = std::move(known->answers.front());
  known->answers.pop_front();
  return answer;
}

std::optional<std::string> EntryStream::next_line(std::string_view component, std::uint64_t call) {
  Known* const known = find_known(component, call);
  if (known == nullptr || known->lines.empty()) return std::nullopt;
  std::optional<std::string> line = std::move(known->lines.front());
  known->lines.pop_front();
  return line;
}

bool EntryStream::admits_task(std::string_view component,
                              std::uint64_t call,
                              std::uint32_t number) {
  const Known* const known = find_known(component, call);
  if (known == nullptr) return false;
  const auto found = known->admissions.find(number);
  return found != known->admissions.end() && found->second;
}

void EntryStream::forget(std::string_view component, std::uint64_t call) {
  const auto found = known_.find(Key(component, call));
  if (found == known_.end()) return;
  held_bytes_ -= std::min(held_bytes_, found->second.bytes);
  known_.erase(found);
}

}  // namespace millrace::graph
