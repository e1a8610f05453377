#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rank/loaded_plan.h"
#include "server/problem.h"

namespace millrace::server {

/// One version of a plan that is loaded.
struct PlanVersion {
  std::shared_ptr<rank::LoadedPlan> plan;  ///< owners: this, and the generations that have it

  [[nodiscard]] const std::string& digest() const { return plan->plan().digest; }
};

enum class VersionState : std::uint8_t {
  kActive,
  kCanary,
  kHeld,  ///< was rolled back, and stays inactive though its file is there
  kKept,
};
[[nodiscard]] std::string_view to_string(VersionState state);

/// Which versions of one plan are loaded and which of them answers (S28, S29). Rules:
///
/// - A version from its file becomes active, unless it is held back or another one is pinned.
/// - `rollback` activates the version that was active before and holds the other one back, until a
///   version comes that is neither of them.
/// - `pin` activates a version, and nothing else becomes active until `unpin`, which activates the
///   version of the file unless that is held back.
/// - A canary gets a share of the users. It ends when it becomes active.
/// - Besides the active one, two versions are kept, those that were active or came last; a canary
///   and the version of the file always are.
///
/// Threading: not shared. Copies are independent, so that a change can be tried first.
class PlanVersions {
 public:
  static constexpr std::size_t kKeptMax = 2;  ///< besides the active one

  struct Canary {
    std::string digest;
    double percent = 0;
  };

  /// The version that the file has now. The first one is active at once.
  void offer(PlanVersion version);
  /// Gives the version with the digest of `version` another body, compiled anew. Does nothing if
  /// there is none.
  void replace(PlanVersion version);
  /// Drops a version that is not active and no canary.
  void drop(const std::string& digest);
  /// Sets what was pinned, held and active in the last life of the process. All digests must be
  /// loaded; `active` may be empty.
  void restore(const std::string& active, bool is_pinned, std::vector<std::string> held);

  // What operators ask for. On failure nothing changes.

  [[nodiscard]] std::expected<void, RequestProblem> rollback();
  [[nodiscard]] std::expected<void, RequestProblem> pin(std::string_view version);
  void unpin();
  /// 0 percent ends the canary.
  [[nodiscard]] std::expected<void, RequestProblem> set_canary(std::string_view version,
                                                               double percent);
  void end_canary() { canary_.reset(); }

  [[nodiscard]] const PlanVersion& active() const { return *find_digest(active_); }
  [[nodiscard]] const std::optional<Canary>& canary() const { return canary_; }
  [[nodiscard]] bool is_pinned() const { return is_pinned_; }
  [[nodiscard]] const std::vector<std::string>& held() const { return held_; }
  /// The digest of the file.
  [[nodiscard]] const std::string& filed() const { return filed_; }
  /// All versions, the one that was active or came last first.
  [[nodiscard]] const std::vector<PlanVersion>& all() const { return versions_; }
  [[nodiscard]] VersionState state_of(const PlanVersion& version) const;
  /// The version of that digest, or nullptr.
  [[nodiscard]] const PlanVersion* find_digest(std::string_view digest) const;

 private:
  [[nodiscard]] bool is_held(std::string_view digest) const;
  [[nodiscard]] std::expected<const PlanVersion*, RequestProblem> find(
      std::string_view version) const;
  void activate(std::string digest);
  void trim();

  std::vector<PlanVersion> versions_;  // the latest use first
  std::string active_;
  std::string filed_;
  std::vector<std::string> before_;  // digests that were active before, the last one at the end
  std::vector<std::string> held_;
  std::optional<Canary> canary_;
  bool is_pinned_ = false;
};

}  // namespace millrace::server
