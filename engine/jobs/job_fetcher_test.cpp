#include "jobs/job_fetcher.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "jobs/jetstream_fixture.h"

namespace millrace::jobs {
namespace {

class FetcherTest : public ::testing::Test {
 protected:
  FetcherTest() {
    std::remove(path.c_str());
    std::remove((path + ".part").c_str());
    server.results[server.names.manifest_subject()] =
        JobManifest{.line_count = 1000, .digest = "d", .plan = "p"}.to_json();
    for (std::uint64_t line = 0; line < 1000; ++line)
      server.results[server.names.result_subject(line)] = "result " + std::to_string(line);
    box = *nats::RequestBox::open(server);
    jetstream = std::make_unique<nats::JetStream>(*box);
    store = std::make_unique<JobStore>(*jetstream, "j");
  }
  base::Result<FetchOutcome> fetch(bool is_partial = false) {
    return fetch_results(*box, *store, {.path = path, .is_partial = is_partial}, {});
  }
  static std::string read(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string expected(std::uint64_t without = 1000) const {
    std::string text;
    for (std::uint64_t line = 0; line < 1000; ++line) {
      if (line != without) text += "result " + std::to_string(line) + "\n";
    }
    return text;
  }
  const std::string path = ::testing::TempDir() + "job_fetcher_test.out";
  testing::FakeJetStream server{"j"};
  std::unique_ptr<nats::RequestBox> box;
  std::unique_ptr<nats::JetStream> jetstream;
  std::unique_ptr<JobStore> store;
};

TEST_F(FetcherTest, JOB10_ResultsComeInTheOrderOfTheInput) {
  ASSERT_TRUE(fetch());
  EXPECT_EQ(read(path), expected());
  EXPECT_EQ(read(path + ".part"), "");
}

TEST_F(FetcherTest, JOB5_JOB10_AnIncompleteJobIsRefusedAndItsGapsNamed) {
  server.results.erase(server.names.result_subject(41));
  const auto refused = fetch();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("lines without a result: 42;"));
  EXPECT_EQ(read(path), "");
  const auto partial = fetch(true);
  ASSERT_TRUE(partial);
  EXPECT_EQ(partial->missing, "42");
  EXPECT_EQ(partial->written, 999U);
  EXPECT_EQ(read(path), expected(41));
}

TEST_F(FetcherTest, JOB10_GoesOnWithWhatWasLeftBehind) {
  std::ofstream(path + ".part") << "result 0\nresult 1\nresult 2\nresul";
  server.log.clear();
  ASSERT_TRUE(fetch());
  EXPECT_EQ(read(path), expected());
  EXPECT_THAT(server.log, ::testing::Not(::testing::Contains(::testing::HasSubstr("mr.j.r.1 "))));
}

TEST_F(FetcherTest, JOB10_WhatAnotherJobLeftBehindIsNotUsed) {
  std::ofstream(path + ".part") << "other 0\nother 1\n";
  ASSERT_TRUE(fetch());
  EXPECT_EQ(read(path), expected());
}

TEST_F(FetcherTest, JOB10_WhatIsNoFileIsNotReplaced) {
  const std::string folder = ::testing::TempDir() + "job_fetcher_test.folder";
  std::filesystem::create_directory(folder);
  const auto refused = fetch_results(*box, *store, {.path = folder, .is_partial = false}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("it is no file"));
  EXPECT_FALSE(std::filesystem::exists(folder + ".part"));
  const std::string pipe = folder + "/pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(fetch_results(*box, *store, {.path = pipe, .is_partial = false}, {}));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(FetcherTest, JOB10_ALinkStaysALink) {
  const std::string link = path + ".link";
  std::filesystem::remove(link);
  std::ofstream(path) << "of last night";
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(fetch_results(*box, *store, {.path = link, .is_partial = false}, {}));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read(path), expected());
}

TEST_F(FetcherTest, AJobThatIsNotThereIsSaid) {
  server.results.clear();
  EXPECT_EQ(fetch().error().code(), base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace millrace::jobs
