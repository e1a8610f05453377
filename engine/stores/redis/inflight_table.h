#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace millrace::stores {

class Fetch;

/// The reads in flight: for each command shape and key, which fetch reads it and at which index.
/// Open addressing with linear probing in one block; entries leave when their fetch ends.
/// Threading: loop thread. Lifetime: borrows fetches and keys.
class InflightTable {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    Fetch* fetch = nullptr;  // nullptr: free
    std::string_view key = {};
    std::uint32_t shape = 0;
    std::uint32_t index = 0;  // among the keys that the fetch asks for
  };

  [[nodiscard]] static std::uint64_t hash_of(std::uint32_t shape, std::string_view key);

  /// Gives the entry with the same shape and key, or adds this one; `added` says which.
  /// The reference is valid until the next call.
  const Entry& find_or_add(const Entry& entry, bool& added);
  /// Takes an entry out, if it is there and its fetch is the same.
  void remove(const Entry& entry);
  [[nodiscard]] std::size_t size() const { return size_; }
  void clear();

 private:
  static constexpr std::size_t kSlotsMin = 256;

  void grow();
  [[nodiscard]] std::size_t next(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t home(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

  std::vector<Entry> slots_;
  std::size_t size_ = 0;
};

}  // namespace millrace::stores
