#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::plan {

/// A set of registered keys, by their place in `Registry::keys()`.
/// Threading: not shared.
class KeySet {
 public:
  KeySet() = default;
  explicit KeySet(std::size_t key_count) : words_((key_count + kBits - 1) / kBits) {}

  void add(std::size_t key) { words_[key / kBits] |= std::uint64_t{1} << (key % kBits); }
  void remove(std::size_t key) { words_[key / kBits] &= ~(std::uint64_t{1} << (key % kBits)); }
  [[nodiscard]] bool contains(std::size_t key) const {
    return ((words_[key / kBits] >> (key % kBits)) & 1U) != 0;
  }
  [[nodiscard]] bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  KeySet& operator|=(const KeySet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  KeySet& operator&=(const KeySet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  KeySet& operator-=(const KeySet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend KeySet operator|(KeySet left, const KeySet& right) { return left |= right; }
  friend KeySet operator&(KeySet left, const KeySet& right) { return left &= right; }
  friend KeySet operator-(KeySet left, const KeySet& right) { return left -= right; }
  friend bool operator==(const KeySet&, const KeySet&) = default;

  /// Calls `use(key)` for every key, in order.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        use(i * kBits + static_cast<std::size_t>(__builtin_ctzll(rest)));
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace millrace::plan
