#include "stores/embedded_store.h"

#include <cstddef>
#include <cstdint>
#include <ios>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "base/text_file.h"
#include "stores/data_line.h"
#include "stores/embedded_data.h"
#include "stores/line_merger.h"
#include "stores/parse_value.h"

namespace millrace::stores {

using base::ErrorCode;
using base::fail;
using base::Result;
using base::Status;

namespace {

// A data file may be large: it stands for a database.
constexpr std::size_t kFileBytesMax = std::size_t{4} << 30U;

/// FNV-1a with a last mix, since keys differ in their last digits.
std::uint32_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 29U));
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::string_view to_string(EntryKind kind) {
  switch (kind) {
    case EntryKind::kHash:
      return "hash";
    case EntryKind::kList:
      return "list";
    case EntryKind::kSet:
      return "set";
    case EntryKind::kSortedSet:
      return "zset";
    case EntryKind::kString:
      return "string";
  }
  return "?";
}

template <class TextOf>
std::size_t EmbeddedStore::slot_of(const std::vector<Slot>& slots,
                                   std::string_view name,
                                   TextOf text_of) const {
  const std::uint32_t hash = hash_of(name);
  const std::size_t mask = slots.size() - 1;
  std::size_t at = hash & mask;
  while (slots[at].index != UINT32_MAX &&
         (slots[at].hash != hash || text(text_of(slots[at].index)) != name)) {
    at = (at + 1) & mask;
  }
  return at;
}

const EmbeddedStore::Entry* EmbeddedStore::find_entry(std::string_view key) const {
  const std::size_t at = slot_of(key_slots_, key, [this](std::uint32_t index) -> const Text& {
    return data_.entries[index].key;
  });
  const std::uint32_t index = key_slots_[at].index;
  return index == UINT32_MAX ? nullptr : &data_.entries[index];
}

EmbeddedStore::FieldId EmbeddedStore::find_field(std::string_view name) const {
  const std::size_t at = slot_of(
      field_slots_, name, [this](std::uint32_t index) -> const Text& { return fields_[index]; });
  return field_slots_[at].index;
}

/// Fills a store line by line.
class EmbeddedStoreBuilder {
 public:
  EmbeddedStoreBuilder() : store_(std::make_shared<EmbeddedStore>()) {
    store_->key_slots_.resize(kFirstSlots);
    store_->field_slots_.resize(kFirstSlots);
  }

  Status add_line(std::string_view line) {
    MR_TRY(const std::size_t count, split_words(line, words_));
    if (count == 0) return {};
    const std::string command = upper(words_[0]);
    if (command == "HSET") return add_hash(count);
    if (command == "RPUSH") return add_list(count);
    if (command == "SADD") return add_set(count);
    if (command == "SET") return add_string(count);
    if (command == "ZADD") return add_sorted_set(count);
    return fail(ErrorCode::kInvalidArgument,
                "Unknown command; HSET, RPUSH, SADD, SET and ZADD are known: " + words_[0]);
  }

  [[nodiscard]] EmbeddedStoreRef finish() {
    merger_.finish();
    return std::move(store_);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  Status add_hash(std::size_t count) {
    if (count < 4 || count % 2 != 0) {
      return fail(ErrorCode::kInvalidArgument, "HSET needs a key and pairs of field and value");
    }
    MR_TRY_STATUS(begin_entry(EntryKind::kHash));
    ++hash_count_;
    for (std::size_t at = 2; at < count; at += 2) {
      const EmbeddedStore::FieldId field = add_field(words_[at]);
      field_hash_.resize(store_->fields_.size());
      if (field_hash_[field] == hash_count_) merger_.note_disorder();
      field_hash_[field] = hash_count_;
      add_value(words_[at + 1], field);
    }
    end_entry();
    return {};
  }

  Status add_list(std::size_t count) {
    if (count < 3) return fail(ErrorCode::kInvalidArgument, "RPUSH needs a key and values");
    MR_TRY_STATUS(begin_entry(EntryKind::kList));
    for (std::size_t at = 2; at < count; ++at) add_value(words_[at], EmbeddedStore::kNoField);
    end_entry();
    return {};
  }

  Status add_set(std::size_t count) {
    if (count < 3) return fail(ErrorCode::kInvalidArgument, "SADD needs a key and members");
    MR_TRY_STATUS(begin_entry(EntryKind::kSet));
    for (std::size_t at = 2; at < count; ++at) add_value(words_[at], EmbeddedStore::kNoField);
    end_entry();
    merger_.note_disorder();
    return {};
  }

  Status add_sorted_set(std::size_t count) {
    if (count < 4 || count % 2 != 0) {
      return fail(ErrorCode::kInvalidArgument,
                  "ZADD needs a key and pairs of score and member, without options");
    }
    std::vector<double> scores;
    for (std::size_t at = 2; at < count; at += 2) {
      const std::optional<double> score = parse_score(words_[at]);
      if (!score) {
        return fail(ErrorCode::kInvalidArgument,
                    "A score of ZADD is no number, and options are not known: " + words_[at]);
      }
      scores.push_back(*score);
    }
    MR_TRY_STATUS(begin_entry(EntryKind::kSortedSet));
    for (std::size_t i = 0; i < scores.size(); ++i) {
      add_value(words_[2 * i + 3], static_cast<std::uint32_t>(store_->data_.scores.size()));
      store_->data_.scores.push_back(scores[i]);
    }
    end_entry();
    merger_.note_disorder();
    return {};
  }

  Status add_string(std::size_t count) {
    if (count != 3) return fail(ErrorCode::kInvalidArgument, "SET needs a key and one value");
    MR_TRY_STATUS(begin_entry(EntryKind::kString));
    add_value(words_[2], EmbeddedStore::kNoField);
    end_entry();
    return {};
  }

  /// Begins a line that writes to the key that is the second word.
  Status begin_entry(EntryKind kind) {
    const std::string& key = words_[1];
    std::vector<EmbeddedData::Entry>& entries = store_->data_.entries;
    line_first_ = store_->data_.values.size();
    line_all_integers_ = true;
    const EmbeddedStore::Entry* known = store_->find_entry(key);
    is_new_ = known == nullptr;
    if (known != nullptr) {
      entry_ = static_cast<std::size_t>(known - entries.data());
      if (kind != known->kind && kind != EntryKind::kString) {
        return fail(ErrorCode::kInvalidArgument,
                    "WRONGTYPE: the key holds a " + std::string(to_string(known->kind)) +
                        " and not a " + std::string(to_string(kind)) + ": " + key);
      }
      entries[entry_].kind = kind;
      return {};
    }
    entry_ = entries.size();
    entries.push_back({.key = add_text(key), .kind = kind, .count = 0, .first = line_first_});
    index(store_->key_slots_, key, entry_);
    if (entries.size() * 2 > store_->key_slots_.size()) {
      rehash(store_->key_slots_, entries.size(), [&](std::size_t at) {
        return store_->text(entries[at].key);
      });
    }
    return {};
  }

  /// Ends the line: its values belong to the entry.
  void end_entry() {
    EmbeddedData::Entry& entry = store_->data_.entries[entry_];
    const auto count = static_cast<std::uint32_t>(store_->data_.values.size() - line_first_);
    if (is_new_) {
      entry.count = count;
      entry.all_integers = line_all_integers_;
    } else if (entry.kind == EntryKind::kString) {
      merger_.replace(entry_, line_first_, count);
    } else {
      merger_.add(entry_, line_first_, count);
    }
  }

  EmbeddedStore::FieldId add_field(const std::string& name) {
    const EmbeddedStore::FieldId known = store_->find_field(name);
    if (known != EmbeddedStore::kNoField) return known;
    store_->fields_.push_back(add_text(name));
    index(store_->field_slots_, name, store_->fields_.size() - 1);
    if (store_->fields_.size() * 2 > store_->field_slots_.size()) {
      rehash(store_->field_slots_, store_->fields_.size(), [this](std::size_t at) {
        return store_->text(store_->fields_[at]);
      });
    }
    return static_cast<EmbeddedStore::FieldId>(store_->fields_.size() - 1);
  }

  void add_value(const std::string& value, std::uint32_t field) {
    EmbeddedStore::Text text = add_text(value);
    text.field = field;
    const std::optional<std::int64_t> integer = parse_int64(value);
    line_all_integers_ = integer.has_value() && line_all_integers_;
    store_->data_.values.push_back(text);
    store_->data_.integers.push_back(integer.value_or(0));
  }

  EmbeddedStore::Text add_text(std::string_view text) {
    const EmbeddedStore::Text place{.begin = store_->data_.bytes.size(),
                                    .size = static_cast<std::uint32_t>(text.size())};
    store_->data_.bytes += text;
    return place;
  }

  /// Puts a name that is not there yet into the table.
  static void index(std::vector<EmbeddedStore::Slot>& slots,
                    std::string_view name,
                    std::size_t number) {
    const std::uint32_t hash = hash_of(name);
    std::size_t at = hash & (slots.size() - 1);
    while (slots[at].index != UINT32_MAX) at = (at + 1) & (slots.size() - 1);
    slots[at] = {.hash = hash, .index = static_cast<std::uint32_t>(number)};
  }

  template <class NameOf>
  static void rehash(std::vector<EmbeddedStore::Slot>& slots, std::size_t count, NameOf name_of) {
    slots.assign(slots.size() * 2, {});
    for (std::size_t number = 0; number < count; ++number) index(slots, name_of(number), number);
  }

  std::shared_ptr<EmbeddedStore> store_;
  LineMerger merger_{store_->data_};
  std::vector<std::string> words_;
  // The line that is being read: its entry, its first value, whether its key is new.
  std::size_t entry_ = 0;
  std::uint64_t line_first_ = 0;
  bool is_new_ = false;
  bool line_all_integers_ = false;
  // By field: how many lines with HSET there were when it was last set.
  std::vector<std::size_t> field_hash_;
  std::size_t hash_count_ = 0;
};

Result<EmbeddedStoreRef> EmbeddedStore::parse(std::string_view text, std::string_view name) {
  EmbeddedStoreBuilder builder;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (Status added = builder.add_line(line); !added) {
      return fail(added.error().code(),
                  added.error().message(),
                  std::string(name) + ":" + std::to_string(line_number));
    }
  }
  return builder.finish();
}

Result<EmbeddedStoreRef> EmbeddedStore::load(const std::string& path) {
  MR_TRY(const std::string text, base::read_text_file(path, kFileBytesMax));
  return parse(text, path);
}

}  // namespace millrace::stores
