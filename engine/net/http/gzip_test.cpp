#include "net/http/gzip.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace millrace::net {
namespace {

std::string pack(std::string_view text) {
  GzipDeflater deflater;
  std::string packed;
  deflater.deflate(text, packed);
  return packed;
}

/// The text of a gzip body that comes in pieces; nothing if it is broken or incomplete.
std::optional<std::string> unpack(std::string_view packed, std::size_t piece, std::size_t room) {
  GzipInflater inflater;
  std::string text;
  std::array<char, 64> space;
  for (std::size_t at = 0; at < packed.size(); at += piece) {
    std::string_view bytes = packed.substr(at, piece);
    while (true) {
      const auto step = inflater.inflate(bytes, std::span(space).first(room));
      if (step.outcome == GzipInflater::Outcome::kBroken) return std::nullopt;
      bytes.remove_prefix(step.consumed);
      text.append(space.data(), step.written);
      if (bytes.empty() && step.written < room) break;
    }
  }
  if (!inflater.is_complete()) return std::nullopt;
  return text;
}

TEST(GzipTest, S9_InflatesInAnySplit) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string packed = pack(text);
  EXPECT_LT(packed.size(), text.size());
  for (std::size_t piece = 1; piece <= packed.size(); ++piece) {
    ASSERT_EQ(unpack(packed, piece, 64), text) << piece;
  }
  EXPECT_EQ(unpack(packed, 7, 1), text);
}

TEST(GzipTest, SeveralMembersAreOneBody) {
  const std::string packed = pack("one ") + pack("") + pack("two");
  for (std::size_t piece = 1; piece <= packed.size(); ++piece) {
    EXPECT_EQ(unpack(packed, piece, 64), "one two");
  }
}

TEST(GzipTest, BrokenAndCutBodiesAreFound) {
  const std::string packed = pack("hello, hello, hello");
  for (std::size_t size = 1; size < packed.size(); ++size) {
    EXPECT_FALSE(unpack(packed.substr(0, size), 3, 64)) << size;
  }
  EXPECT_FALSE(unpack(packed + "x", 3, 64));
  EXPECT_FALSE(unpack("plain text", 3, 64));
  for (std::size_t at = packed.size() - 8; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] ^= 1;
    EXPECT_FALSE(unpack(damaged, 64, 64)) << "checksum or length at " << at;
  }
}

TEST(GzipTest, ADeflaterIsUsedAgain) {
  GzipDeflater deflater;
  std::string packed;
  for (const std::string text : {"", "a", "hello hello hello hello"}) {
    deflater.deflate(text, packed);
    EXPECT_EQ(unpack(packed, packed.size(), 64), text);
  }
}

}  // namespace
}  // namespace millrace::net
