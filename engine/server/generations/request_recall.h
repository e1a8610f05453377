#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::server {

/// The texts of the last requests of each plan, to warm its next version up with (S27).
/// Threading: loop thread.
class RequestRecall {
 public:
  static constexpr std::size_t kCount = 16;
  static constexpr std::size_t kBytesMax = 4096;  ///< longer requests are not kept

  void note(std::string_view plan, std::string_view text) {
    if (text.size() > kBytesMax) return;
    auto found = plans_.find(plan);
    if (found == plans_.end()) found = plans_.emplace(plan, Ring{}).first;
    Ring& ring = found->second;
    ring.texts[ring.next++ % kCount].assign(text);
  }
  /// Appends those of a plan.
  void append(std::string_view plan, std::vector<std::string>& texts) const {
    const auto found = plans_.find(plan);
    if (found == plans_.end()) return;
    for (const std::string& text : found->second.texts) {
      if (!text.empty()) texts.push_back(text);
    }
  }

 private:
  struct Ring {
    std::array<std::string, kCount> texts;
    std::size_t next = 0;
  };
  std::map<std::string, Ring, std::less<>> plans_;
};

}  // namespace millrace::server
