#include "host/endpoint_clients.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_fixture.h"

namespace millrace::host::testing {
namespace {

/// A copy of the project that a test may change.
struct CopiedProject {
  CopiedProject() {
    for (const char* name : {"registry", "plans", "data"}) {
      std::filesystem::copy(std::string(MILLRACE_SOURCE_DIR) + "/" + name,
                            folder.path() + "/" + name,
                            std::filesystem::copy_options::recursive);
    }
    settings.root = folder.path();
    engine = *Engine::start(settings, open());
  }
  [[nodiscard]] std::shared_ptr<const Project> open() const { return open_project(settings); }
  [[nodiscard]] std::shared_ptr<EndpointClients> again() const {
    return *engine->connect(open(), engine->generation()->clients().get());
  }

  TempFolder folder;
  Settings settings = repository_settings();
  std::unique_ptr<Engine> engine;
};

std::size_t endpoint_of(const EndpointClients& clients, std::string_view name) {
  return clients.project().registry().find_endpoint(name)->index;
}

TEST(EndpointClientsTest, S30_EndpointsThatDidNotChangeKeepTheirClients) {
  const CopiedProject copy;
  const auto old = copy.engine->generation()->clients();
  const auto next = copy.again();
  EXPECT_EQ(next->shared_count(), next->project().registry().endpoints().size());
  EXPECT_EQ(next->clients(0)[0], old->clients(0)[0]);
  EXPECT_FALSE(old->has_stale_file());
}

TEST(EndpointClientsTest, S30_AChangedDataFileGetsANewStore) {
  const CopiedProject copy;
  const auto old = copy.engine->generation()->clients();
  std::string data_file;
  std::string name;
  for (const auto& endpoint : old->project().registry().endpoints()) {
    if (endpoint.data_file.empty()) continue;
    data_file = endpoint.data_file;
    name = endpoint.name;
  }
  ASSERT_FALSE(data_file.empty());
  copy.folder.write(data_file, "");
  EXPECT_TRUE(old->has_stale_file());
  const auto next = copy.again();
  EXPECT_NE(next->clients(0)[endpoint_of(*next, name)], old->clients(0)[endpoint_of(*old, name)]);
  EXPECT_LT(next->shared_count(), next->project().registry().endpoints().size());
}

TEST(EndpointClientsTest, StampsSeeThatAFileIsGoneOrReplaced) {
  const TempFolder folder;
  const std::string path = folder.write("a", "one");
  const FileStamp first = stamp_of(path);
  EXPECT_EQ(first.bytes, 3);
  const std::string other = folder.write("b", "two");
  std::filesystem::rename(other, path);
  EXPECT_NE(stamp_of(path), first);
  std::filesystem::remove(path);
  EXPECT_EQ(stamp_of(path), FileStamp{});
}

}  // namespace
}  // namespace millrace::host::testing
