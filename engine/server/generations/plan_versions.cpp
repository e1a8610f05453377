#include "server/generations/plan_versions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"
#include "base/problems/message_text.h"
#include "rank/plan_version.h"

namespace millrace::server {

std::string_view to_string(VersionState state) {
  constexpr std::array<std::string_view, 4> kNames{"active", "canary", "held", "kept"};
  return kNames[static_cast<std::size_t>(state)];
}

const PlanVersion* PlanVersions::find_digest(std::string_view digest) const {
  const auto found = std::ranges::find_if(
      versions_, [&](const PlanVersion& version) { return version.digest() == digest; });
  return found == versions_.end() ? nullptr : &*found;
}

bool PlanVersions::is_held(std::string_view digest) const {
  return std::ranges::find(held_, digest) != held_.end();
}

VersionState PlanVersions::state_of(const PlanVersion& version) const {
  if (version.digest() == active_) return VersionState::kActive;
  if (canary_ && canary_->digest == version.digest()) return VersionState::kCanary;
  return is_held(version.digest()) ? VersionState::kHeld : VersionState::kKept;
}

void PlanVersions::offer(PlanVersion version) {
  filed_ = version.digest();
  const auto known = std::ranges::find_if(
      versions_, [&](const PlanVersion& other) { return other.digest() == filed_; });
  if (known == versions_.end()) {
    versions_.insert(versions_.begin(), std::move(version));
  } else {
    std::rotate(versions_.begin(), known, known + 1);
  }
  // A third version ends what a rollback has held back.
  if (!held_.empty() && !is_held(filed_) && filed_ != active_) held_.clear();
  if (active_.empty() || (!is_pinned_ && !is_held(filed_))) activate(filed_);
  trim();
}

void PlanVersions::replace(PlanVersion version) {
  for (PlanVersion& own : versions_) {
    if (own.digest() == version.digest()) own = version;
  }
}

void PlanVersions::drop(const std::string& digest) {
  std::erase_if(versions_, [&](const PlanVersion& own) { return own.digest() == digest; });
  std::erase(before_, digest);
}

void PlanVersions::restore(const std::string& active,
                           bool is_pinned,
                           std::vector<std::string> held) {
  held_ = std::move(held);
  is_pinned_ = is_pinned;
  if (!active.empty()) activate(active);
  before_.clear();
  trim();
}

void PlanVersions::activate(std::string digest) {
  if (digest == active_) return;
  if (!active_.empty()) {
    std::erase(before_, active_);
    before_.push_back(active_);
  }
  active_ = std::move(digest);
  std::erase(before_, active_);
  if (canary_ && canary_->digest == active_) canary_.reset();
}

void PlanVersions::trim() {
  std::size_t kept = 0;
  std::erase_if(versions_, [&](const PlanVersion& version) {
    const std::string& digest = version.digest();
    if (digest == active_) return false;
    const bool is_needed = digest == filed_ || (canary_ && canary_->digest == digest);
    if (kept >= kKeptMax && !is_needed) {
      std::erase(before_, digest);
      return true;
    }
    ++kept;
    return false;
  });
}

std::expected<const PlanVersion*, RequestProblem> PlanVersions::find(
    std::string_view version) const {
  for (const PlanVersion& own : versions_) {
    if (rank::is_version(own.plan->plan(), version)) return &own;
  }
  std::string names;
  for (const PlanVersion& own : versions_)
    names += (names.empty() ? "" : ", ") + rank::version_of(own.plan->plan());
  return std::unexpected(
      RequestProblem{.code = "unknown_version",
                     .detail = base::format("The plan '{}' has no version '{}'; it has {}",
                                            versions_.front().plan->plan().name,
                                            base::shortened(version),
                                            names)});
}

std::expected<void, RequestProblem> PlanVersions::rollback() {
  if (is_pinned_) {
    return std::unexpected(RequestProblem{
        .code = "conflict", .detail = "The plan is pinned; pin another version, or unpin it"});
  }
  if (before_.empty()) {
    return std::unexpected(
        RequestProblem{.code = "conflict", .detail = "No version was active before this one"});
  }
  const std::string bad = active_;
  activate(before_.back());
  // It is not what the next rollback goes back to.
  std::erase(before_, bad);
  std::erase(held_, active_);
  if (!is_held(bad)) held_.push_back(bad);
  trim();
  return {};
}

std::expected<void, RequestProblem> PlanVersions::pin(std::string_view version) {
  const auto found = find(version);
  if (!found) return std::unexpected(found.error());
  const std::string digest = (*found)->digest();
  std::erase(held_, digest);
  activate(digest);
  is_pinned_ = true;
  trim();
  return {};
}

void PlanVersions::unpin() {
  if (!std::exchange(is_pinned_, false)) return;
  if (!is_held(filed_)) activate(filed_);
  trim();
}

std::expected<void, RequestProblem> PlanVersions::set_canary(std::string_view version,
                                                             double percent) {
  const auto found = find(version);
  if (!found) return std::unexpected(found.error());
  if (!(percent >= 0 && percent <= 100)) {
    return std::unexpected(
        RequestProblem{.code = "bad_value", .detail = "'percent' must be from 0 to 100"});
  }
  const std::string& digest = (*found)->digest();
  if (digest == active_) {
    return std::unexpected(RequestProblem{
        .code = "conflict", .detail = "This version is active: it has all users already"});
  }
  canary_.reset();
  if (percent > 0) canary_ = Canary{.digest = digest, .percent = percent};
  trim();
  return {};
}

}  // namespace millrace::server
