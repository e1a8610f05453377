#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::rows {

class Dictionary;
/// Owners: every column, cached expression table and builder that uses the dictionary.
using DictionaryRef = std::shared_ptr<const Dictionary>;

/// A table with one entry per dictionary value is built only for dictionaries with at most this
/// many values per row.
inline constexpr std::size_t kTableValuesPerRowMax = 4;

/// The distinct values of a string column, numbered 0..size-1 ("codes"). Immutable, so one
/// dictionary serves many columns and requests; two columns with the same dictionary object compare
/// by code.
/// Threading: any thread.
class Dictionary {
 public:
  Dictionary() = default;
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  /// Number of distinct values.
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(ends_.size()); }
  /// The value of a code in [0, size).
  [[nodiscard]] std::string_view at(std::int32_t code) const;
  [[nodiscard]] std::optional<std::int32_t> find_code(std::string_view value) const;
  /// For each code, the position of its value when the values are ordered by bytes. Computed at the
  /// first call and kept.
  [[nodiscard]] std::span<const std::int32_t> sort_positions() const;

 private:
  friend class DictionaryBuilder;
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t code = -1;
  };

  [[nodiscard]] std::size_t slot_of(std::string_view value, std::uint32_t hash) const;
  void grow_slots();

  // Constant after DictionaryBuilder::finish.
  std::string bytes_;
  std::vector<std::size_t> ends_;  // value i is bytes_[ends_[i-1], ends_[i])
  std::vector<Slot> slots_;        // open addressing, linear probing, power-of-two size
  // Publishes the table of sort positions to every reader. Set once, by the first thread that
  // computed it.
  mutable std::atomic<const std::vector<std::int32_t>*> sort_positions_{nullptr};
};

/// Collects distinct strings.
/// Threading: not shared.
class DictionaryBuilder {
 public:
  DictionaryBuilder();

  /// Gives the code of `value`, a new one when it has not been seen.
  [[nodiscard]] std::int32_t add(std::string_view value);
  [[nodiscard]] std::int32_t size() const { return dictionary_->size(); }
  /// Gives the dictionary and leaves the builder empty.
  [[nodiscard]] DictionaryRef finish();

 private:
  std::shared_ptr<Dictionary> dictionary_;
};

/// Builds a dictionary with exactly these values; repeated ones count once.
[[nodiscard]] DictionaryRef make_dictionary(std::span<const std::string_view> values);

}  // namespace millrace::rows
