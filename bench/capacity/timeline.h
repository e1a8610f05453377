#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace millrace::bench {

/// Something that events of a timeline are about. `word` is what it gave along.
class Actor {
 public:
  virtual ~Actor() = default;
  virtual void on_event(std::uint64_t word) = 0;
};

/// Virtual time, in seconds: events in the order of their times, those of one time in the order in
/// which they were added. So a run depends on its seed and on nothing else.
/// Threading: not shared. Lifetime: borrows the actors until their events have run.
class Timeline {
 public:
  [[nodiscard]] double now() const { return now_; }
  /// Runs `actor` after that many seconds, which are not negative.
  void after(double seconds, Actor& actor, std::uint64_t word);
  /// Runs the next event; false if there is none.
  bool step();

 private:
  struct Event {
    double at;
    std::uint64_t order;
    Actor* actor;
    std::uint64_t word;
    friend bool operator<(const Event& left, const Event& right) {
      return left.at != right.at ? left.at > right.at : left.order > right.order;
    }
  };

  std::priority_queue<Event, std::vector<Event>> events_;
  std::uint64_t next_order_ = 0;
  double now_ = 0;
};

}  // namespace millrace::bench
