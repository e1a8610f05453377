#include "stores/seed_data.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format.h"
#include "base/random.h"
#include "base/result.h"
#include "stores/data_line.h"

namespace millrace::stores {

namespace {

constexpr std::array<std::string_view, 8> kCountries{
    "DE", "FR", "US", "BR", "IN", "JP", "NG", "SE"};
constexpr std::array<std::string_view, 6> kLanguages{"en", "de", "fr", "pt", "hi", "ja"};
constexpr std::array<std::string_view, 8> kNames{
    "Ada", "Bela", "Chidi", "Dora", "Emil", "Fatou", "Goro", "Hana"};
constexpr std::array<std::string_view, 8> kSubjects{
    "river", "bridge", "market", "garden", "engine", "harbour", "winter", "kitchen"};
constexpr std::array<std::string_view, 5> kCategories{"travel", "food", "music", "sport", "news"};
// In seconds. A constant, because the same options must give the same bytes.
constexpr std::int64_t kEpoch = 1'700'000'000;
constexpr std::uint64_t kYear = 365ULL * 24 * 3600;

/// Draws users by popularity: the one of rank k with a weight of 1/k.
class ZipfUsers {
 public:
  ZipfUsers(std::int64_t users, base::Random& random)
      : by_rank_(static_cast<std::size_t>(users)), sums_(by_rank_.size()) {
    std::iota(by_rank_.begin(), by_rank_.end(), 1);
    for (std::size_t i = by_rank_.size(); i > 1; --i) {
      std::swap(by_rank_[i - 1], by_rank_[random.below(i)]);
    }
    double sum = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sum += 1.0 / static_cast<double>(i + 1);
      sums_[i] = sum;
    }
  }

  [[nodiscard]] std::int64_t draw(base::Random& random) const {
    const double point = random.unit() * sums_.back();
    const auto found = std::ranges::upper_bound(sums_, point);
    const auto rank = static_cast<std::size_t>(found - sums_.begin());
    return by_rank_[std::min(rank, by_rank_.size() - 1)];
  }

 private:
  std::vector<std::int64_t> by_rank_;
  std::vector<double> sums_;
};

/// Writes the lines of one file.
class SeedWriter {
 public:
  SeedWriter(const SeedOptions& options, std::ostream& out)
      : options_(options), out_(out), random_(options.seed), users_(options.users, random_) {}

  void write_user(std::int64_t user) {
    begin("HSET", "user", user);
    add("name", base::format("{} {}", pick(kNames), user));
    add("country", pick(kCountries));
    add("language", pick(kLanguages));
    add("age", 18 + random_.below(60));
    add("verified", random_.below(2));
    add("created_at", some_time());
    flush();
    const std::int64_t spread = options_.followees;
    const std::int64_t followees =
        user == 1 ? spread
                  : spread - spread / 2 +
                        static_cast<std::int64_t>(
                            random_.below(static_cast<std::uint64_t>(spread / 2 * 2 + 1)));
    write_list("follow", user, followees);
    write_list("recommendation", user, options_.recommendations);
    const std::int64_t first = first_medium(user);
    begin("RPUSH", "media", user);
    for (std::int64_t i = 0; i < options_.media; ++i) line_ += base::format(" {}", first + i);
    flush();
    for (std::int64_t i = 0; i < options_.media; ++i) write_medium(first + i, user);
  }

 private:
  /// Media are numbered after the users, so that no id means two things.
  [[nodiscard]] std::int64_t first_medium(std::int64_t user) const {
    return options_.users + 1 + (user - 1) * options_.media;
  }

  void write_list(std::string_view name, std::int64_t user, std::int64_t wanted) {
    const std::int64_t count = std::min(wanted, options_.users - 1);
    if (count == 0) return;
    chosen_.clear();
    while (std::ssize(chosen_) < count) chosen_.push_back(next_other(user));
    begin("RPUSH", name, user);
    for (const std::int64_t other : chosen_) line_ += base::format(" {}", other);
    flush();
  }

  /// Draws a user that is neither `user` nor chosen already. After too many failed draws it takes
  /// the next free number.
  std::int64_t next_other(std::int64_t user) {
    constexpr int kDrawsMax = 64;
    const auto is_free = [&](std::int64_t other) {
      return other != user && std::ranges::find(chosen_, other) == chosen_.end();
    };
    for (int i = 0; i < kDrawsMax; ++i) {
      const std::int64_t other = users_.draw(random_);
      if (is_free(other)) return other;
    }
    std::int64_t other = users_.draw(random_);
    while (!is_free(other)) other = other % options_.users + 1;
    return other;
  }

  void write_medium(std::int64_t medium, std::int64_t author) {
    begin("HSET", "item", medium);
    add("name", base::format("{} {}", pick(kSubjects), medium));
    add("category", pick(kCategories));
    add("language", pick(kLanguages));
    add("author_id", author);
    add("likes", random_.below(10'000));
    add("views", random_.below(1'000'000));
    add("created_at", some_time());
    flush();
    begin("SET", "quality", medium);
    line_ += base::format(" 0.{:03}", random_.below(1000));
    flush();
  }

  void begin(std::string_view command, std::string_view prefix, std::int64_t id) {
    line_ = base::format("{} {}:{}", command, prefix, id);
  }
  void add(std::string_view field, std::string_view value) {
    line_ += base::format(" {} ", field);
    append_word(line_, value);
  }
  template <std::integral T>
  void add(std::string_view field, T value) {
    line_ += base::format(" {} {}", field, value);
  }
  std::int64_t some_time() { return kEpoch + static_cast<std::int64_t>(random_.below(kYear)); }

  template <std::size_t kCount>
  std::string_view pick(const std::array<std::string_view, kCount>& words) {
    return words[random_.below(kCount)];
  }

  void flush() {
    line_ += '\n';
    out_ << line_;
  }

  const SeedOptions options_;
  std::ostream& out_;
  base::SplitMix64 random_;
  const ZipfUsers users_;
  std::vector<std::int64_t> chosen_;
  std::string line_;
};

}  // namespace

base::Status write_seed_data(const SeedOptions& options, std::ostream& out) {
  if (options.users < 1 || options.users > SeedOptions::kUsersMax) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("users must be from 1 to {}", SeedOptions::kUsersMax),
                      "users");
  }
  const std::int64_t least = std::min({options.followees, options.recommendations, options.media});
  if (least < 1) {
    return base::fail(base::ErrorCode::kInvalidArgument, "Lengths of lists must be 1 or more");
  }
  SeedWriter writer(options, out);
  for (std::int64_t user = 1; user <= options.users; ++user) writer.write_user(user);
  if (!out.flush()) return base::fail(base::ErrorCode::kUnavailable, "Cannot write the data");
  return {};
}

}  // namespace millrace::stores
