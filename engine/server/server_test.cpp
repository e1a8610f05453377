#include "server/server.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "host/host_fixture.h"

namespace millrace::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ServerRig {
  ServerRig() {
    settings.loops = 2;
    settings.log = &log;
    project = host::testing::open_project(settings);
  }
  auto start(std::vector<std::string> listen, std::string admin = {}) {
    ServerSettings with;
    with.listen = std::move(listen);
    with.admin = std::move(admin);
    with.front.has_admin = !with.admin.empty();
    return Server::start({.engine = host::testing::start_engine(settings, *project),
                          .host = settings,
                          .extensions = host::testing::all_extensions,
                          .log = &log},
                         with);
  }

  base::MemoryLogSink sink;
  base::Logger log{sink};
  host::Settings settings = host::testing::repository_settings();
  std::unique_ptr<host::Project> project;
};

TEST(ServerTest, S1_LogsEveryListenerWithTheAddressThatItTook) {
  ServerRig rig;
  const auto server = rig.start({"127.0.0.1:0", "127.0.0.1:0"}, "127.0.0.1:0");
  ASSERT_TRUE(server.has_value()) << server.error().text;
  ASSERT_EQ((*server)->addresses().size(), 3U);
  std::string lines;
  for (const std::string& line : rig.sink.lines()) lines += line + "\n";
  for (const std::string& address : (*server)->addresses()) {
    EXPECT_THAT(address, StartsWith("127.0.0.1:"));
    EXPECT_NE(address, "127.0.0.1:0");
    EXPECT_THAT(lines, HasSubstr("\"event\":\"listening\",\"address\":\"" + address + "\""));
  }
  EXPECT_THAT(lines, HasSubstr("\"listener\":\"admin\""));
}

TEST(ServerTest, S46_BecomesReadyByItself) {
  ServerRig rig;
  const auto server = rig.start({"127.0.0.1:0"});
  ASSERT_TRUE(server.has_value()) << server.error().text;
  while (!(*server)->readiness().is_ready()) std::this_thread::yield();
  EXPECT_THAT((*server)->readiness().to_text(), HasSubstr("[+]plan complex_dag ok"));
}

TEST(ServerTest, EndsInOrder) {
  ServerRig rig;
  const auto server = rig.start({"127.0.0.1:0"});
  ASSERT_TRUE(server.has_value()) << server.error().text;
  (*server)->begin_drain();
  EXPECT_FALSE((*server)->readiness().is_ready());
  EXPECT_FALSE((*server)->is_idle());
  (*server)->stop_accepting();
  while (!(*server)->is_idle()) std::this_thread::yield();
}

TEST(ServerTest, AnAddressThatCannotBeUsedIsAnErrorAndLeavesNothingOpen) {
  ServerRig rig;
  const auto first = rig.start({"127.0.0.1:0"});
  ASSERT_TRUE(first.has_value()) << first.error().text;
  const auto second = rig.start({"127.0.0.1:0", (*first)->addresses()[0]});
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error().text, HasSubstr("Cannot listen on " + (*first)->addresses()[0]));
}

}  // namespace
}  // namespace millrace::server
