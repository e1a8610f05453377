#include "net/listening_socket.h"

#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/stream_fixture.h"

namespace millrace::net {
namespace {

using Accepted = ListeningSocket::Accepted;
using Nothing = ListeningSocket::Nothing;

class UnixListeningSocketTest : public testing::Test {
 protected:
  ~UnixListeningSocketTest() override { ::unlink(address_.unix_path.c_str()); }
  [[nodiscard]] bool exists() const { return ::access(address_.unix_path.c_str(), F_OK) == 0; }

  const Address address_{.unix_path = testing::TempDir() + "mr_listen_" + std::to_string(getpid())};
};

TEST(ListeningSocketTest, AcceptsWhoConnectsAndNamesHim) {
  auto socket = ListeningSocket::open({.host = "127.0.0.1"}).value();
  EXPECT_NE(socket.address().port, 0);
  EXPECT_EQ(socket.address().host, "127.0.0.1");
  EXPECT_EQ(std::get<Nothing>(socket.accept()), Nothing::kNoneWaits);
  const Descriptor client = RawClient::connect(socket.address());
  ASSERT_TRUE(client.is_open());
  const auto accepted = socket.accept();
  ASSERT_TRUE(std::holds_alternative<Accepted>(accepted));
  EXPECT_TRUE(std::get<Accepted>(accepted).descriptor.is_open());
  EXPECT_TRUE(std::get<Accepted>(accepted).peer.starts_with("127.0.0.1:"));
}

TEST(ListeningSocketTest, ListensOnIpv6) {
  const auto socket = ListeningSocket::open({.host = "::1"});
  if (!socket) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_EQ(socket->address().host, "::1");
  EXPECT_NE(socket->address().port, 0);
}

TEST(ListeningSocketTest, APortOfAServerThatListensIsAnError) {
  const auto first = ListeningSocket::open({.host = "127.0.0.1"}).value();
  const auto second = ListeningSocket::open(first.address());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(second.error().message(), "Cannot listen: Address already in use");
  EXPECT_EQ(second.error().where(), to_string(first.address()));
}

TEST(ListeningSocketTest, AHostNameIsAnError) {
  const auto socket = ListeningSocket::open({.host = "somewhere"});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().message(), "Cannot listen: the host is no IP address");
}

TEST_F(UnixListeningSocketTest, OwnerAndGroupMayConnect) {
  const auto socket = ListeningSocket::open(address_).value();
  struct stat found{};
  ASSERT_EQ(::stat(address_.unix_path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0660U);
}

TEST_F(UnixListeningSocketTest, ItsPathGoesWithIt) {
  {
    const auto socket = ListeningSocket::open(address_).value();
  }
  EXPECT_FALSE(exists());
}

TEST_F(UnixListeningSocketTest, ADeadPathIsReplaced) {
  std::optional<ListeningSocket> dead(ListeningSocket::open(address_).value());
  // As a process that was killed leaves it: the path stays, nobody listens.
  const std::string kept = address_.unix_path + ".kept";
  ASSERT_EQ(::rename(address_.unix_path.c_str(), kept.c_str()), 0);
  dead.reset();
  ASSERT_EQ(::rename(kept.c_str(), address_.unix_path.c_str()), 0);
  const auto socket = ListeningSocket::open(address_);
  ASSERT_TRUE(socket) << socket.error().to_string();
}

TEST_F(UnixListeningSocketTest, ALivePathIsRefusedAndLeftAlone) {
  const auto live = ListeningSocket::open(address_).value();
  const auto second = ListeningSocket::open(address_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message(), "Cannot listen: another process listens on this path");
  EXPECT_TRUE(exists());
}

TEST_F(UnixListeningSocketTest, AFileIsRefusedAndLeftAlone) {
  std::ofstream(address_.unix_path) << "precious";
  const auto socket = ListeningSocket::open(address_);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().message(), "Cannot listen: the path exists and is no socket");
  EXPECT_TRUE(exists());
}

TEST_F(UnixListeningSocketTest, ThePathOfASuccessorIsNotRemoved) {
  std::optional<ListeningSocket> first(ListeningSocket::open(address_).value());
  ASSERT_EQ(::unlink(address_.unix_path.c_str()), 0);
  const auto successor = ListeningSocket::open(address_).value();
  first.reset();
  EXPECT_TRUE(exists());
}

TEST_F(UnixListeningSocketTest, AnInheritedSocketKeepsItsPath) {
  const auto original = ListeningSocket::open(address_).value();
  {
    const auto inherited = ListeningSocket::inherit(Descriptor(::dup(original.descriptor())));
    ASSERT_TRUE(inherited) << inherited.error().to_string();
    EXPECT_EQ(inherited->address(), address_);
  }
  EXPECT_TRUE(exists());
}

}  // namespace
}  // namespace millrace::net
