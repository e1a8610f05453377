// Counts the allocations of a program that was not built for it: it is preloaded, passes each call
// on to the C library, and counts them in the file that MILLRACE_ALLOCATION_FILE names.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT
void* __libc_realloc(void* old, std::size_t size);               // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT
}

namespace {

// Before the file is there, and without one, nobody reads what is counted.
std::atomic<std::uint64_t> early_count;
std::atomic<std::atomic<std::uint64_t>*> counter = &early_count;

[[gnu::constructor]] void open_file() {
  const char* const path = std::getenv("MILLRACE_ALLOCATION_FILE");
  if (path == nullptr) return;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(std::uint64_t)) != 0) return;
  void* const place =
      ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (place != MAP_FAILED) counter = static_cast<std::atomic<std::uint64_t>*>(place);
}

void count() { counter.load(std::memory_order_relaxed)->fetch_add(1, std::memory_order_relaxed); }

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count();
  return __libc_memalign(alignment, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) noexcept {
  count();
  *place = __libc_memalign(alignment, size);
  return *place != nullptr ? 0 : 12;  // ENOMEM
}

}  // extern "C"
