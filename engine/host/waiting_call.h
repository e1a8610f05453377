#pragma once

#include <semaphore>

#include "rank/ranker.h"

namespace millrace::host {

/// A call whose starter waits for the answer.
/// Threading: one thread starts and waits.
class WaitingCall final : public rank::RankCall {
 public:
  /// Starts the request and returns when its response is there.
  void run(rank::Ranker& ranker,
           rank::RequestReader& reader,
           std::string_view text,
           const rank::CallTerms& terms = {}) {
    ranker.start(*this, reader, text, terms);
    answered_.acquire();
  }

 private:
  void on_answer() override { answered_.release(); }

  std::binary_semaphore answered_{0};
};

}  // namespace millrace::host
