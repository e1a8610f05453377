#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace millrace::stores {

/// Holds received bytes in blocks that replies share, so that a text of a reply is a view and not a
/// copy. Only a token that does not fit into the rest of a block is copied to the next one.
///
/// A block is used again when no reply holds it any more, so replies must be released on the loop
/// thread. A few full blocks that replies still hold are kept for later use, because getting fresh
/// memory takes longer than reading into it.
/// Threading: loop thread.
class ReceiveBuffer {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;
  static constexpr std::size_t kBlocksKept = 8;

  /// Gives room for the next read, never empty. `bytes_wanted`: how long the unread bytes and those
  /// to come must be in one piece.
  [[nodiscard]] std::span<char> space(std::size_t bytes_wanted);
  /// Says that so many bytes of the room were filled.
  void filled(std::size_t size) { end_ += size; }
  /// The bytes that were not consumed yet.
  [[nodiscard]] std::string_view unread() const { return {block_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t size) { begin_ += size; }
  /// What keeps the unread bytes, and those consumed before them in the same block, alive.
  [[nodiscard]] const std::shared_ptr<char[]>& block() const { return block_; }
  /// Forgets everything, for a new connection.
  void clear();

 private:
  [[nodiscard]] bool is_sole_owner() const { return block_.use_count() == 1; }
  /// Takes another block of at least `needed` bytes and moves what is unread there.
  void change_block(std::size_t needed);

  // Owners: this, and the replies with views into it.
  std::shared_ptr<char[]> block_;
  // Blocks of kBlockBytes that were full. Owners: the same.
  std::vector<std::shared_ptr<char[]>> kept_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace millrace::stores
