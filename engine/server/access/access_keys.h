#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/problems/problem_report.h"
#include "rank/call_rights.h"

// The keys of callers (S37), as the operator's file lists them:
//
//   [[key]]
//   name = "search"                 # for logs; never secret
//   hash = "sha256:9f86d0…"         # of the key's text; the text itself is in no file of ours
//   plans = ["home_*", "search"]    # globs; absent: all plans
//   admin = true                    # may use the routes of operators
//   rate = 200                      # ranking requests per second; a second's worth may come at
//   once inflight_max = 64               # ranking requests under way priority_max = "normal" # the
//   best class it gets

namespace millrace::server {

/// What a key has used. Lives on when the file is read again and still has a key of that name.
/// Threading: any thread.
class KeyUsage {
 public:
  /// Takes one of `per_second` requests; false: the quota of this second is used up.
  [[nodiscard]] bool try_take(double per_second, base::TimePoint now);
  /// Takes one of so many places; false: all are taken. On true `leave` must be called once.
  [[nodiscard]] bool try_enter(std::int64_t inflight_max);
  void leave() { inflight_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t inflight_count() const {
    return inflight_.load(std::memory_order_relaxed);
  }

 private:
  // When the requests taken so far will have been worked off at the allowed rate, in ns of the
  // clock. Publishes nothing.
  std::atomic<std::int64_t> paid_until_ns_{0};
  std::atomic<std::int64_t> inflight_{0};  // publishes nothing
};

/// One entry of the file.
/// Threading: constant but for `usage`.
class AccessKey final : public rank::CallRights {
 public:
  [[nodiscard]] bool may_use(std::string_view plan) const override;
  [[nodiscard]] runtime::Priority priority_max() const override { return class_max; }

  std::string name;
  std::string digest;  ///< `sha256:` and 64 digits in lower case
  std::vector<std::string> plans = {"*"};
  bool is_admin = false;
  std::optional<double> rate = {};  ///< requests per second
  std::optional<std::int64_t> inflight_max = {};
  runtime::Priority class_max = runtime::Priority::kHigh;
  std::shared_ptr<KeyUsage> usage;  ///< shared with the same key of the file read before
};

/// All keys of a file.
/// Threading: constant once read; any thread.
class AccessKeys {
 public:
  static constexpr std::size_t kCountMax = 1000;

  /// Reads the text of a file. What is wrong with it goes into the report; the keys are then not to
  /// be used. Keys that `previous` has under the same name go on with what they have used.
  [[nodiscard]] static AccessKeys read(std::string_view text,
                                       const std::string& file_name,
                                       const AccessKeys* previous,
                                       base::ProblemReport& report);

  /// The key whose text this is, or nullptr. Takes the same time wherever the key stands, and
  /// however much of its digest is right.
  [[nodiscard]] const AccessKey* find(std::string_view secret) const;
  [[nodiscard]] const AccessKey* find_named(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  std::vector<AccessKey> keys_;
};

/// Whether a name fits a glob, in which `*` stands for any text and `?` for one character.
[[nodiscard]] bool fits_glob(std::string_view glob, std::string_view name);

}  // namespace millrace::server
