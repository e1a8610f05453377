#include "stores/redis/reply_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "rows/row_scratch.h"
#include "stores/store_client.h"

namespace millrace::stores {

namespace {

/// An estimate of the bytes an entry takes besides its texts and numbers.
constexpr std::size_t kEntryBytes = 256;

/// Copies one key's part of a reply, texts included.
std::shared_ptr<const StoreReply> copy_key(const StoreReply& from,
                                           std::size_t index,
                                           rows::RowScratch& scratch,
                                           std::size_t& bytes) {
  auto reply = std::make_shared<StoreReply>();
  const std::uint32_t begin = from.begin_of(index);
  const std::uint32_t count = from.ends[index] - begin;
  reply->ends = scratch.make_array<std::uint32_t>(1);
  reply->ends[0] = count;
  if (!from.integers.empty()) {
    reply->integers = scratch.make_array<std::int64_t>(count);
    std::ranges::copy(from.integers.span().subspan(begin, count), reply->integers.data());
    bytes += count * sizeof(std::int64_t);
    if (!from.scores.empty()) {
      reply->scores = scratch.make_array<double>(count);
      std::ranges::copy(from.scores.span().subspan(begin, count), reply->scores.data());
      bytes += count * sizeof(double);
    }
    return reply;
  }
  auto memory = std::make_shared<std::string>();
  std::size_t total = 0;
  for (const std::string_view text : from.texts_of(index)) total += text.size();
  memory->reserve(total);
  reply->texts = scratch.make_array<std::string_view>(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view text = from.texts[begin + i];
    const char* const at = memory->data() + memory->size();
    memory->append(text);
    reply->texts[i] = is_null(text) ? std::string_view() : std::string_view(at, text.size());
  }
  bytes += total + count * sizeof(std::string_view);
  reply->memory = std::move(memory);
  return reply;
}

}  // namespace

std::shared_ptr<const StoreReply> ReplyCache::find(std::uint32_t shape,
                                                   std::string_view key,
                                                   base::TimePoint now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  for (const Entries::iterator entry : found->second) {
    if (entry->shape != shape) continue;
    if (entry->expires <= now) {
      remove(entry);
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->reply;
  }
  return nullptr;
}

void ReplyCache::add(std::uint32_t shape,
                     std::string_view key,
                     const StoreReply& from,
                     std::size_t index,
                     base::TimePoint now) {
  std::size_t bytes = kEntryBytes + key.size();
  std::shared_ptr<const StoreReply> reply = copy_key(from, index, scratch_, bytes);
  if (bytes > bytes_max_) return;
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    const auto same =
        std::ranges::find(found->second, shape, [](auto entry) { return entry->shape; });
    if (same != found->second.end()) remove(*same);
  }
  while (bytes_ + bytes > bytes_max_) remove(std::prev(entries_.end()));
  entries_.push_front({.key = std::string(key),
                       .shape = shape,
                       .expires = now + ttl_,
                       .bytes = bytes,
                       .reply = std::move(reply)});
  by_key_[entries_.front().key].push_back(entries_.begin());
  bytes_ += bytes;
}

void ReplyCache::remove(Entries::iterator entry) {
  const auto found = by_key_.find(entry->key);
  std::erase(found->second, entry);
  if (found->second.empty()) by_key_.erase(found);
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

void ReplyCache::forget(std::string_view key) {
  while (true) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    remove(found->second.back());
  }
}

void ReplyCache::clear() {
  entries_.clear();
  by_key_.clear();
  bytes_ = 0;
}

}  // namespace millrace::stores
