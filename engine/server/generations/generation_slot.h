#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "net/http/planted_bug.h"
#include "plan/registry/registry.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "server/generations/canary_guard.h"
#include "server/generations/request_recall.h"
#include "server/generations/version_catalog.h"

namespace millrace::server {

/// What the requests of one loop are answered with.
struct LoopPlans {
  rank::Ranker* ranker = nullptr;
  rank::PlanSet* plans = nullptr;
  const plan::Registry* registry = nullptr;
  std::shared_ptr<const VersionCatalog> versions = {};      ///< may be null
  std::vector<std::shared_ptr<CanaryGuard>> canaries = {};  ///< shared by all loops
  std::shared_ptr<void> owner = {};  ///< keeps all of this; shared by all loops
};

/// The plans that one loop uses now, and older ones that its requests still use (S24). A request
/// counts as a user of the plans it began with; counting needs no atomics, because all of it
/// happens on the loop.
/// Threading: loop thread; made and destroyed while the loop does not use it.
class GenerationSlot {
  struct Entry {
    LoopPlans plans;
    std::uint32_t user_count = 0;
  };

 public:
  /// `retire` gets what nothing on this loop uses any more. Destroying it may take long, which a
  /// loop must not wait for.
  explicit GenerationSlot(std::size_t loop_index = 0,
                          std::function<void(std::shared_ptr<void>)> retire = {})
      : loop_index_(loop_index), retire_(std::move(retire)) {}

  /// A request's hold on its plans.
  class Use {
   public:
    Use() = default;
    Use(Use&& other) noexcept
        : slot_(std::exchange(other.slot_, nullptr)),
          entry_(std::exchange(other.entry_, nullptr)) {}
    Use& operator=(Use&& other) noexcept {
      std::swap(slot_, other.slot_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Use() { end(); }
    [[nodiscard]] const LoopPlans& plans() const { return entry_->plans; }
    void end() {
      if (slot_ != nullptr) std::exchange(slot_, nullptr)->release(*std::exchange(entry_, nullptr));
    }

   private:
    friend class GenerationSlot;
    Use(GenerationSlot& slot, Entry& entry) : slot_(&slot), entry_(&entry) {}
    GenerationSlot* slot_ = nullptr;
    Entry* entry_ = nullptr;
  };

  /// Requests that begin from now on use these.
  void set(LoopPlans plans) {
    entries_.push_back({.plans = std::move(plans)});
    drop_unused();
  }
  /// Must have been set.
  [[nodiscard]] const LoopPlans& current() const { return entries_.back().plans; }
  [[nodiscard]] Use use() {
    Entry& entry = MR_PLANTED_IN_SERVER(kOldGeneration) ? entries_.front() : entries_.back();
    ++entry.user_count;
    return {*this, entry};
  }
  /// Counts an answer for the canaries that run.
  void note_answer(const rank::LoadedPlan* plan, rank::RankOutcome outcome) {
    for (const auto& guard : current().canaries) guard->note(loop_index_, plan, outcome);
  }
  [[nodiscard]] RequestRecall& recall() { return recall_; }
  /// How many generations this loop still holds.
  [[nodiscard]] std::size_t held_count() const { return entries_.size(); }

 private:
  void release(Entry& entry) {
    --entry.user_count;
    if (entry.user_count == 0 && &entry != &entries_.back()) drop_unused();
  }
  void drop_unused() {
    for (auto entry = entries_.begin(); std::next(entry) != entries_.end();) {
      if (entry->user_count != 0) {
        ++entry;
        continue;
      }
      std::shared_ptr<void> owner = std::move(entry->plans.owner);
      entry = entries_.erase(entry);
      if (retire_) retire_(std::move(owner));
    }
  }

  const std::size_t loop_index_;
  const std::function<void(std::shared_ptr<void>)> retire_;
  std::list<Entry> entries_;  // the oldest first; the last one is in use
  RequestRecall recall_;
};

}  // namespace millrace::server
