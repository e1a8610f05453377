// Touches a guarded field without its mutex.

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

class Counter {
 public:
  void add() { ++count_; }

 private:
  millrace::base::Mutex mutex_;
  int count_ MR_GUARDED_BY(mutex_) = 0;
};

int main() { Counter().add(); }
