#pragma once

#include <cstdint>
#include <ostream>

#include "base/result.h"

namespace millrace::stores {

/// How much data to make up.
struct SeedOptions {
  static constexpr std::int64_t kUsersMax = 10'000'000;

  std::int64_t users = 100;
  std::uint64_t seed = 1;
  std::int64_t followees = 10;        ///< of user 1; of others about as many
  std::int64_t recommendations = 10;  ///< of each user
  std::int64_t media = 10;            ///< of each user
};

/// Writes a data file in the form of embedded_store.h: for each user u from 1 on
/// `user:u` (name, country, language, age, verified, created_at), `follow:u`, `recommendation:u`,
/// `media:u`; for each medium m `item:m` (name, category, language, author_id,
/// likes, views, created_at) and
/// `quality:m`. Who is followed and recommended is drawn by Zipf's law: the user of rank k has a
/// weight of 1/k, ranks being a shuffle of the users. Nobody follows himself or one twice.
/// The same options give the same bytes on every machine. Refuses numbers below 1 and too many
/// users.
[[nodiscard]] base::Status write_seed_data(const SeedOptions& options, std::ostream& out);

}  // namespace millrace::stores
