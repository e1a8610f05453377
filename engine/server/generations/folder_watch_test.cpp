#include "server/generations/folder_watch.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::server {
namespace {

namespace fs = std::filesystem;

base::TimePoint soon() { return base::steady_clock().now() + std::chrono::seconds(10); }

struct WatchRig {
  WatchRig() {
    fs::create_directory(folder.path() + "/plans");
    watch->set_folders({folder.path() + "/plans"});
  }
  /// Whether an action is reported.
  bool sees(const std::function<void()>& action) {
    action();
    return watch->wait(soon()).is_changed;
  }

  host::testing::TempFolder folder;
  std::unique_ptr<FolderWatch> watch = *open_folder_watch();
};

TEST(FolderWatchTest, S25_SeesFilesComeChangeAndGo) {
  WatchRig rig;
  EXPECT_TRUE(rig.sees([&] { rig.folder.write("plans/a", "1"); }));
  EXPECT_TRUE(rig.sees([&] { rig.folder.write("plans/a", "2"); }));
  EXPECT_TRUE(
      rig.sees([&] { fs::rename(rig.folder.write("b", "3"), rig.folder.path() + "/plans/a"); }));
  EXPECT_TRUE(rig.sees([&] { fs::remove(rig.folder.path() + "/plans/a"); }));
  EXPECT_FALSE(rig.watch->wait(base::steady_clock().now()).is_changed);
}

TEST(FolderWatchTest, S25_SeesTheExchangeOfLinksThatKubernetesDoes) {
  WatchRig rig;
  const std::string plans = rig.folder.path() + "/plans/";
  for (const char* name : {"..1", "..2"}) {
    fs::create_directory(plans + name);
    rig.folder.write(std::string("plans/") + name + "/a.plan.json", name);
  }
  fs::create_symlink("..1", plans + "..data");
  fs::create_symlink("..data/a.plan.json", plans + "a.plan.json");
  EXPECT_TRUE(rig.watch->wait(soon()).is_changed);
  EXPECT_TRUE(rig.sees([&] {
    fs::create_symlink("..2", plans + "..data_tmp");
    fs::rename(plans + "..data_tmp", plans + "..data");
  }));
}

TEST(FolderWatchTest, AFolderThatIsMissingOrReplacedIsWatchedOnceItIsThere) {
  WatchRig rig;
  const std::string other = rig.folder.path() + "/other";
  rig.watch->set_folders({other});
  EXPECT_FALSE(rig.watch->wait(base::steady_clock().now()).is_changed);
  fs::create_directory(other);
  rig.watch->set_folders({other});
  EXPECT_TRUE(rig.sees([&] { rig.folder.write("other/a", "1"); }));
  EXPECT_TRUE(rig.sees([&] { fs::rename(other, rig.folder.path() + "/gone"); }));
  fs::create_directory(other);
  rig.watch->set_folders({other});
  EXPECT_TRUE(rig.sees([&] { rig.folder.write("other/a", "1"); }));
}

TEST(FolderWatchTest, CanBeWoken) {
  WatchRig rig;
  rig.watch->wake();
  const FolderWatch::Event event = rig.watch->wait(soon());
  EXPECT_TRUE(event.is_woken);
  EXPECT_FALSE(event.is_changed);
}

}  // namespace
}  // namespace millrace::server
