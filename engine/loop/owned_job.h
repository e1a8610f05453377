#pragma once

#include <memory>
#include <utility>

#include "loop/executor.h"

namespace millrace::loop {

/// A job that is a member of `Owner` and calls one of its methods when it runs. An executor cannot
/// give a posted job back, so the job lives in a block of its own: if the owner is destroyed while
/// the job is queued, the block stays behind, does nothing when it runs, and is then freed.
///
/// Allocates when it is made, and never when it is posted.
/// Threading: the executor's only thread: post and destroy it there.
/// Lifetime: borrows the executor, which runs every posted job before it ends.
template <class Owner, void (Owner::*kMethod)()>
class OwnedJob {
 public:
  OwnedJob(Executor& executor, Owner& owner)
      : executor_(executor), block_(std::make_unique<Block>(owner)) {}
  ~OwnedJob() {
    if (!block_->is_posted) return;
    block_->owner = nullptr;
    static_cast<void>(block_.release());
  }
  OwnedJob(const OwnedJob&) = delete;
  OwnedJob& operator=(const OwnedJob&) = delete;

  /// Queues the job; does nothing while it is queued already.
  void post() {
    if (std::exchange(block_->is_posted, true)) return;
    executor_.post(*block_);
  }
  [[nodiscard]] bool is_posted() const { return block_->is_posted; }

 private:
  struct Block : Job {
    explicit Block(Owner& owned_by) : Job(&run_block), owner(&owned_by) {}

    static void run_block(Job& job) {
      auto& self = static_cast<Block&>(job);
      if (self.owner == nullptr) {
        const std::unique_ptr<Block> abandoned(&self);
        return;
      }
      self.is_posted = false;
      // The method may destroy the owner, and with it this block.
      (self.owner->*kMethod)();
    }

    Owner* owner;  // nullptr once the owner is destroyed
    bool is_posted = false;
  };

  Executor& executor_;
  // Owners: this, and the executor while the job is queued.
  std::unique_ptr<Block> block_;
};

}  // namespace millrace::loop
