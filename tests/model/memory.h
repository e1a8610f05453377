#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace millrace::model {

// The memory of the model. Stores wait in a buffer of their thread until the explorer decides that
// they reach memory; a thread sees its own waiting stores, others do not. Loads happen in program
// order. So the model finds every bug that comes from stores becoming visible late (a missing fence
// between store and load) or, with kPartial, out of order (a missing release). A missing acquire is
// found through vector clocks, when plain data is read that no chain of release and acquire covers.
// Bugs that need a load to be executed early are not modelled.

/// Index 0 is the outside: set-up before the threads start and the check after they end.
inline constexpr std::size_t kThreadCountMax = 3;

/// Mixes a word into a hash (the finaliser of SplitMix64 over a running sum).
[[nodiscard]] inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t bits = (hash ^ word) + 0x9e3779b97f4a7c15U + (hash << 6);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// In which order the stores of one thread reach memory.
enum class StoreOrder : std::uint8_t {
  kSequential,  ///< At once: sequential consistency.
  kTotal,       ///< Total store order, as on x86. A read-modify-write empties the buffer.
  kPartial,     ///< Only as far as release operations and fences demand.
};

/// What must have reached memory before an operation can happen.
enum class Drain : std::uint8_t { kNothing, kSameLocation, kSeqCstStores, kEverything };

/// A vector clock: how much of each thread's past is known to its owner.
struct Clock {
  std::array<std::uint32_t, kThreadCountMax + 1> times{};

  void join(const Clock& other);
  [[nodiscard]] bool covers(std::size_t thread, std::uint32_t time) const {
    return times[thread] >= time;
  }
};

/// One atomic variable. `write_id` identifies the store whose value it holds; it is the same in
/// every execution in which the threads did the same.
struct Location {
  std::uint64_t id = 0;
  std::uint64_t value = 0;
  std::uint64_t write_id = 0;
  Clock released;
};

struct PendingStore {
  Location* location = nullptr;
  std::uint64_t value = 0;
  std::uint64_t write_id = 0;
  Clock released;
  bool is_release = false;
  bool is_seq_cst = false;
  std::uint32_t fence_count = 0;
};

/// Which thread accessed plain data when; the data itself is kept elsewhere.
struct AccessRecord {
  std::size_t writer = 0;
  std::uint32_t write_time = 0;
  Clock reads;
};

/// The memory side of one thread.
struct ThreadMemory {
  std::vector<PendingStore> buffer;
  Clock clock;
  Clock release_fence;    // What a relaxed store publishes because of an earlier fence.
  Clock relaxed_acquire;  // What a later fence will make known.
  std::uint32_t fence_count = 0;
  std::uint32_t operation_count = 0;
  std::uint32_t location_count = 0;
  // Everything the thread has observed. Its local state is a function of this.
  std::uint64_t history = 0;
};

/// Memory, buffers and clocks of one execution. It makes no choices.
class Memory {
 public:
  explicit Memory(StoreOrder order);

  void create(std::size_t thread, Location& location, std::uint64_t value);
  [[nodiscard]] std::uint64_t load(std::size_t thread,
                                   const Location& location,
                                   std::memory_order order);
  void store(std::size_t thread, Location& location, std::uint64_t value, std::memory_order order);
  /// The writing half of a read-modify-write, right after its load().
  void exchange(std::size_t thread,
                Location& location,
                std::uint64_t value,
                std::memory_order order);
  void fence_seq_cst(std::size_t thread);
  /// Records an access to plain data. Returns false if it conflicts with an earlier access and is
  /// not ordered after it.
  [[nodiscard]] bool read_plain(std::size_t thread, AccessRecord& record);
  [[nodiscard]] bool write_plain(std::size_t thread, AccessRecord& record);
  /// Makes `what` part of the thread's history.
  void observe(std::size_t thread, std::uint64_t what);

  [[nodiscard]] Drain drain_before_update(std::memory_order order) const;
  [[nodiscard]] static Drain drain_before_load(std::memory_order order);
  [[nodiscard]] bool is_drained(std::size_t thread, Drain drain, const Location* location) const;
  /// True when the store at `index` of the thread's buffer may be the next to reach memory.
  [[nodiscard]] bool can_flush(std::size_t thread, std::size_t index) const;
  void flush(std::size_t thread, std::size_t index);

  [[nodiscard]] const ThreadMemory& thread(std::size_t index) const { return threads_[index]; }
  /// Makes everything that the threads did known to the outside, and the other way round.
  void join_all();
  /// Increases with every change of memory.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  /// Identifies the contents of memory and buffers and the history of every thread.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  void write(Location& location,
             std::uint64_t value,
             std::uint64_t write_id,
             const Clock& released);
  [[nodiscard]] std::uint64_t next_write_id(std::size_t thread);

  const StoreOrder order_;
  std::array<ThreadMemory, kThreadCountMax + 1> threads_;
  std::uint64_t version_ = 0;
  std::uint64_t contents_ = 0;  // A sum over locations, so that each write updates it.
};

}  // namespace millrace::model
