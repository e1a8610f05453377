#include "server/generations/folder_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"

namespace millrace::server {
namespace {

/// Closes a descriptor.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int number) : number_(number) {}
  ~OwnedDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }

 private:
  const int number_;
};

/// Reads what waits. Says whether something has changed; that a watch is gone is no change.
bool read_changes(int descriptor) {
  alignas(inotify_event) std::array<char, 16'384> bytes{};
  bool is_changed = false;
  while (true) {
    const auto size = ::read(descriptor, bytes.data(), bytes.size());
    if (size <= 0) return is_changed;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      is_changed |= (event.mask & IN_IGNORED) == 0;
      at += sizeof event + event.len;
    }
  }
}

bool read_wakes(int descriptor) {
  std::uint64_t count = 0;
  return ::read(descriptor, &count, sizeof count) > 0;
}

class InotifyWatch final : public FolderWatch {
 public:
  InotifyWatch(int events, int wakes) : events_(events), wakes_(wakes) {}
  [[nodiscard]] bool is_open() const { return events_.get() >= 0 && wakes_.get() >= 0; }

  void set_folders(const std::vector<std::string>& folders) override {
    // A watch belongs to the folder that had the name when it was made. A folder of that name may
    // be another one by now, so all are asked for again; the kernel gives the same number for the
    // same folder.
    std::map<std::string, int> watched;
    constexpr std::uint32_t kMask = IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM |
                                    IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
    for (const std::string& folder : folders)
      watched[folder] = inotify_add_watch(events_.get(), folder.c_str(), kMask);
    for (const auto& [folder, number] : watched_) {
      const bool is_used =
          std::ranges::any_of(watched, [&](const auto& now) { return now.second == number; });
      if (number >= 0 && !is_used) (void)inotify_rm_watch(events_.get(), number);
    }
    watched_ = std::move(watched);
  }

  Event wait(base::TimePoint limit) override {
    std::array<pollfd, 2> polled{{{.fd = events_.get(), .events = POLLIN, .revents = 0},
                                  {.fd = wakes_.get(), .events = POLLIN, .revents = 0}}};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(limit - base::steady_clock().now());
    const auto most = std::chrono::milliseconds(60'000);
    const auto bounded = std::clamp(left, std::chrono::milliseconds(0), most);
    // An error or a signal is taken for the end of the time.
    (void)::poll(polled.data(), polled.size(), static_cast<int>(bounded.count()));
    return {.is_changed = read_changes(events_.get()), .is_woken = read_wakes(wakes_.get())};
  }

  void wake() override {
    const std::uint64_t one = 1;
    // A full counter wakes as well.
    [[maybe_unused]] const auto written = ::write(wakes_.get(), &one, sizeof one);
  }

 private:
  const OwnedDescriptor events_;
  const OwnedDescriptor wakes_;
  std::map<std::string, int> watched_;
};

}  // namespace

base::Result<std::unique_ptr<FolderWatch>> open_folder_watch() {
  auto watch = std::make_unique<InotifyWatch>(inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
                                              eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!watch->is_open()) {
    return base::fail(base::ErrorCode::kResourceExhausted,
                      base::format("Cannot watch folders, errno {}; raise "
                                   "fs.inotify.max_user_instances or the limit of open files",
                                   errno));
  }
  return watch;
}

}  // namespace millrace::server
