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
  const std::size_t at = slot_of(
      key_slots_, key, [this](std::uint32_t index) -> const Text& { return entries_[index].key; });
  const std::uint32_t index = key_slots_[at].index;
  return index == UINT32_MAX ? nullptr : &entries_[index];
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
    if (command == "SET") return add_string(count);
    return fail(ErrorCode::kInvalidArgument,
                "Unknown command; HSET, RPUSH and SET are known: " + words_[0]);
  }

  [[nodiscard]] EmbeddedStoreRef finish() { return std::move(store_); }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  Status add_hash(std::size_t count) {
    if (count < 4 || count % 2 != 0) {
      return fail(ErrorCode::kInvalidArgument, "HSET needs a key and pairs of field and value");
    }
    MR_TRY_STATUS(add_entry(EntryKind::kHash));
    for (std::size_t at = 2; at < count; at += 2) {
      const EmbeddedStore::FieldId field = add_field(words_[at]);
      field_entry_.resize(store_->fields_.size());
      if (field_entry_[field] == store_->entries_.size())
        return fail(ErrorCode::kInvalidArgument, "A field is set twice: " + words_[at]);
      field_entry_[field] = store_->entries_.size();
      add_value(words_[at + 1], field);
    }
    return {};
  }

  Status add_list(std::size_t count) {
    if (count < 3) return fail(ErrorCode::kInvalidArgument, "RPUSH needs a key and values");
    MR_TRY_STATUS(add_entry(EntryKind::kList));
    for (std::size_t at = 2; at < count; ++at) add_value(words_[at], EmbeddedStore::kNoField);
    return {};
  }

  Status add_string(std::size_t count) {
    if (count != 3) return fail(ErrorCode::kInvalidArgument, "SET needs a key and one value");
    MR_TRY_STATUS(add_entry(EntryKind::kString));
    add_value(words_[2], EmbeddedStore::kNoField);
    return {};
  }

  /// Begins the entry whose key is the second word.
  Status add_entry(EntryKind kind) {
    const std::string& key = words_[1];
    if (store_->find_entry(key) != nullptr) {
      return fail(ErrorCode::kInvalidArgument, "A key is written twice: " + key);
    }
    store_->entries_.push_back({.key = add_text(key),
                                .kind = kind,
                                .count = 0,
                                .first = store_->values_.size(),
                                .all_integers = true});
    index(store_->key_slots_, key, store_->entries_.size() - 1);
    if (store_->entries_.size() * 2 > store_->key_slots_.size()) {
      rehash(store_->key_slots_, store_->entries_.size(), [this](std::size_t at) {
        return store_->text(store_->entries_[at].key);
      });
    }
    return {};
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

  void add_value(const std::string& value, EmbeddedStore::FieldId field) {
    EmbeddedStore::Text text = add_text(value);
    text.field = field;
    const std::optional<std::int64_t> integer = parse_int64(value);
    EmbeddedStore::Entry& entry = store_->entries_.back();
    entry.all_integers = integer.has_value() && entry.all_integers;
    ++entry.count;
    store_->values_.push_back(text);
    store_->integers_.push_back(integer.value_or(0));
  }

  EmbeddedStore::Text add_text(std::string_view text) {
    const EmbeddedStore::Text place{.begin = store_->bytes_.size(),
                                    .size = static_cast<std::uint32_t>(text.size())};
    store_->bytes_ += text;
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
  std::vector<std::string> words_;
  // By field: how many entries there were when it was last set.
  std::vector<std::size_t> field_entry_;
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
