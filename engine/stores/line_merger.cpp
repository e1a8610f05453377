#include "stores/line_merger.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stores/embedded_data.h"
#include "stores/parse_value.h"

namespace millrace::stores {

void LineMerger::add(std::size_t entry, std::uint64_t first, std::uint32_t count) {
  parts_.push_back({.entry = entry, .first = first, .count = count});
  is_needed_ = true;
}

void LineMerger::replace(std::size_t entry, std::uint64_t first, std::uint32_t count) {
  data_.entries[entry].first = first;
  data_.entries[entry].count = count;
  replaced_[entry] = parts_.size();
  is_needed_ = true;
}

void LineMerger::take(std::uint64_t first, std::uint32_t count) {
  for (std::uint64_t at = first; at < first + count; ++at) {
    values_.push_back({.text = data_.values[at], .integer = data_.integers[at]});
  }
}

void LineMerger::finish() {
  if (!is_needed_) return;
  // By entry, and within one in the order of the lines; what a later line replaced is left out.
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto replaced = replaced_.find(parts_[i].entry);
    if (replaced != replaced_.end() && i < replaced->second) parts_[i].count = 0;
  }
  std::ranges::sort(parts_, {}, [](const Part& part) { return std::pair(part.entry, part.first); });
  std::vector<EmbeddedData::Text> texts;
  std::vector<std::int64_t> integers;
  texts.reserve(data_.values.size());
  integers.reserve(data_.values.size());
  std::size_t part = 0;
  for (std::size_t index = 0; index < data_.entries.size(); ++index) {
    EmbeddedData::Entry& entry = data_.entries[index];
    values_.clear();
    take(entry.first, entry.count);
    for (; part < parts_.size() && parts_[part].entry == index; ++part) {
      take(parts_[part].first, parts_[part].count);
    }
    ++entry_number_;
    settle(entry);
    entry.first = texts.size();
    entry.count = static_cast<std::uint32_t>(values_.size());
    for (const Value& value : values_) {
      texts.push_back(value.text);
      integers.push_back(value.integer);
    }
  }
  data_.values = std::move(texts);
  data_.integers = std::move(integers);
}

void LineMerger::settle(EmbeddedData::Entry& entry) {
  switch (entry.kind) {
    case EntryKind::kHash:
      merge_fields();
      break;
    case EntryKind::kSet:
      merge_members();
      break;
    case EntryKind::kSortedSet:
      merge_scores();
      break;
    case EntryKind::kList:
    case EntryKind::kString:
      break;
  }
  entry.all_integers = std::ranges::all_of(
      values_, [&](const Value& value) { return parse_int64(data_.text(value.text)).has_value(); });
  if (entry.kind == EntryKind::kSet && entry.all_integers) {
    std::ranges::sort(values_, {}, &Value::integer);
  }
}

/// A field that is set again stays in its place and gets the new value.
void LineMerger::merge_fields() {
  std::size_t kept = 0;
  for (const Value& value : values_) {
    const std::size_t field = value.text.field;
    if (field >= field_entry_.size()) {
      field_entry_.resize(field + 1);
      field_place_.resize(field + 1);
    }
    if (field_entry_[field] == entry_number_) {
      values_[field_place_[field]] = value;
      continue;
    }
    field_entry_[field] = entry_number_;
    field_place_[field] = kept;
    values_[kept++] = value;
  }
  values_.resize(kept);
}

void LineMerger::merge_members() {
  const auto text_of = [this](const Value& value) { return data_.text(value.text); };
  std::ranges::sort(values_, {}, text_of);
  const auto repeated = std::ranges::unique(values_, {}, text_of);
  values_.erase(repeated.begin(), repeated.end());
}

void LineMerger::merge_scores() {
  // Scores are numbered in the order of the lines, so of equal members the one written last stands
  // first, and is kept.
  const auto text_of = [this](const Value& value) { return data_.text(value.text); };
  std::ranges::sort(values_, [&](const Value& left, const Value& right) {
    const int order = text_of(left).compare(text_of(right));
    return order != 0 ? order < 0 : left.text.field > right.text.field;
  });
  const auto repeated = std::ranges::unique(values_, {}, text_of);
  values_.erase(repeated.begin(), repeated.end());
  std::ranges::sort(values_, {}, [&](const Value& value) {
    return std::pair(data_.scores[value.text.field], text_of(value));
  });
}

}  // namespace millrace::stores
