// Touches a guarded field without its mutex.

#include "base/mutex.h"
#include "base/thread_annotations.h"

class Counter {
 public:
  void add() { ++count_; }

 private:
  millrace::base::Mutex mutex_;
  int count_ MR_GUARDED_BY(mutex_) = 0;
};

int main() { Counter().add(); }
