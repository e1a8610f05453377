#include "server/service_notice.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/check.h"
#include "host/host_fixture.h"

namespace millrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::chrono_literals::operator""s;

/// The socket of a service manager.
struct ManagerSocket {
  explicit ManagerSocket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    MR_CHECK(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
             0);
  }
  std::string next() {
    std::array<char, 256> text{};
    const auto size = ::recv(socket.get(), text.data(), text.size(), MSG_DONTWAIT);
    return size < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(size));
  }
  net::Descriptor socket{::socket(AF_UNIX, SOCK_DGRAM, 0)};
};

TEST(ServiceManagerTest, S48_HearsHowTheProcessIs) {
  const host::testing::TempFolder folder;
  ManagerSocket socket(folder.path() + "/notify");
  const ServiceManager manager(folder.path() + "/notify", 10s);
  EXPECT_EQ(manager.watchdog_pause(), 5s);
  manager.tell_ready();
  EXPECT_EQ(socket.next(), "READY=1\n");
  manager.tell_reloading(base::TimePoint(7s));
  EXPECT_EQ(socket.next(), "RELOADING=1\nMONOTONIC_USEC=7000000\n");
  manager.tell_stopping();
  EXPECT_EQ(socket.next(), "STOPPING=1\n");
  manager.tell_alive();
  EXPECT_EQ(socket.next(), "WATCHDOG=1\n");
  EXPECT_EQ(socket.next(), "nothing");
}

TEST(ServiceManagerTest, S48_NobodyIsToldWhereThereIsNobody) {
  const host::testing::TempFolder folder;
  for (const std::string& path : {std::string(), folder.path() + "/missing", std::string(200, 'x')})
    ServiceManager(path).tell_ready();
  EXPECT_FALSE(ServiceManager().is_present());
}

TEST(ServiceManagerTest, S48_TheEnvironmentIsReadOnceAndUnset) {
  ::setenv("NOTIFY_SOCKET", "@x", 1);
  ::setenv("WATCHDOG_USEC", "2000000", 1);
  const ServiceManager manager = ServiceManager::from_environment();
  EXPECT_TRUE(manager.is_present());
  EXPECT_EQ(manager.watchdog_pause(), 1s);
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  EXPECT_FALSE(ServiceManager::from_environment().is_present());
  ::setenv("WATCHDOG_USEC", "2000000", 1);
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(ServiceManager::from_environment().watchdog_pause());
}

TEST(ServiceManagerTest, S48_SocketsAreKnownByTheirNames) {
  using enum ListenerKind;
  EXPECT_THAT(read_listen_variables({.pid = "7", .count = "3", .names = "main:admin:x"}, 7),
              ElementsAre(kMain, kAdmin, kMain));
  EXPECT_THAT(read_listen_variables({.pid = "7", .count = "2"}, 7), ElementsAre(kMain, kMain));
  EXPECT_THAT(read_listen_variables({.pid = "8", .count = "1"}, 7), IsEmpty());
  EXPECT_THAT(read_listen_variables({.count = "1"}, 7), IsEmpty());
  for (const char* count : {"", "0", "-1", "x"})
    EXPECT_THAT(read_listen_variables({.pid = "7", .count = count}, 7), IsEmpty()) << count;
  EXPECT_EQ(read_listen_variables({.pid = "7", .count = "1000000"}, 7).size(), 64U);
}

TEST(ServiceManagerTest, S48_TheUnitAndTheContainerSayWhatTheyAre) {
  const std::string folder = std::string(MILLRACE_SOURCE_DIR) + "/packaging/";
  const std::string unit = host::read_text_file(folder + "rankd.service").value();
  for (const char* line : {"\nType=notify\n", "\nDynamicUser=yes\n", "\nProtectSystem=strict\n"})
    EXPECT_NE(unit.find(line), std::string::npos) << line;
  const std::string container = host::read_text_file(folder + "Containerfile").value();
  for (const char* line : {"\nUSER 10001:10001\n", "CMD [\"rankd\", \"probe\", "})
    EXPECT_NE(container.find(line), std::string::npos) << line;
}

}  // namespace
}  // namespace millrace::server
