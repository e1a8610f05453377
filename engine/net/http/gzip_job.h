#pragma once

#include <string>

#include "loop/executor.h"

namespace millrace::net {

/// Compresses one body on a worker and brings it back to the loop. Deletes itself at the end, so
/// its owner may go away before.
/// Threading: `start` and `forget` are for the thread of `home`, which also calls the owner.
/// Lifetime: borrows both executors, which run every posted job before they end.
class GzipJob : private loop::Job {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The compressed body, or the plain one if there was no memory to compress it. Called last;
    /// not called after `forget`.
    virtual void on_packed(std::string body, bool is_packed) = 0;
  };

  /// Never calls the owner inside this call.
  [[nodiscard]] static GzipJob* start(loop::Executor& worker,
                                      loop::Executor& home,
                                      std::string body,
                                      Owner& owner);
  /// The owner does not want the result any more.
  void forget() { owner_ = nullptr; }

 private:
  GzipJob(loop::Executor& home, std::string body, Owner& owner);
  static void pack(loop::Job& job);
  static void deliver(loop::Job& job);

  loop::Executor& home_;
  std::string body_;
  bool is_packed_ = false;
  Owner* owner_;
};

}  // namespace millrace::net
