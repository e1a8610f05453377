// Tests of the checker that the fault tests use: it accepts correct answers and nothing else.

#include "known_answers.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "host/waiting_call.h"
#include "rank/request.h"
#include "redis_project.h"
#include "redis_server.h"

namespace millrace::live {
namespace {

constexpr int kFewUsers = 2;

class KnownAnswersTest : public ::testing::Test {
 protected:
  std::string ask(int user) const {
    rank::RequestReader reader;
    host::WaitingCall call;
    call.run(
        embedded_.engine->ranker(0), reader, KnownAnswers::request("complex_dag", user, 60'000));
    return call.response();
  }
  /// A response without the candidates whose ids begin with `digits`.
  static std::string without(std::string response, std::string_view digits) {
    const std::string begin = R"({"id":)" + std::string(digits);
    for (std::size_t at = 0; (at = response.find(begin)) != std::string::npos;) {
      const std::size_t next = response.find(R"({"id":)", at + 1);
      const std::size_t end = next != std::string::npos ? next : response.find("],\"took_ms\"");
      response.erase(at, end - at);
    }
    const std::size_t comma = response.find(",]");
    return comma == std::string::npos ? response : response.erase(comma, 1);
  }
  static std::string degraded(std::string response) {
    const std::string_view sound = R"("degraded":{"is":false)";
    return response.replace(response.find(sound), sound.size(), R"("degraded":{"is":true)");
  }

  const TempFolder folder_;
  const RunningEngine embedded_{write_registry(folder_,
                                               "port = 1\nhost = 'h'",
                                               patient(),
                                               folder_.write("known.redis", known_data(kFewUsers))),
                                "dev"};
  const KnownAnswers answers_{*embedded_.engine, "complex_dag", kFewUsers};
};

TEST_F(KnownAnswersTest, FullIsTheSameBytes) {
  EXPECT_EQ(answers_.judge(0, true, ask(0)), Verdict::kFull);
  EXPECT_EQ(answers_.judge(0, true, degraded(ask(0))), Verdict::kDegraded);
}

TEST_F(KnownAnswersTest, TheAnswerOfAnotherUserIsWrong) {
  EXPECT_EQ(answers_.judge(0, true, ask(1)), Verdict::kWrong);
}

TEST_F(KnownAnswersTest, WholeItemsMayBeMissingAndPartsOfThemMayNot) {
  // Of user 1000: the item 100000 with the media 100000000 to 100000004.
  const std::string partial = without(ask(0), "100000");
  EXPECT_NE(partial, ask(0));
  EXPECT_EQ(answers_.judge(0, true, partial), Verdict::kPartial);
  EXPECT_EQ(answers_.judge(0, true, degraded(partial)), Verdict::kDegraded);
  EXPECT_EQ(answers_.judge(0, true, without(ask(0), "100000003")), Verdict::kWrong);
  EXPECT_EQ(answers_.judge(0, true, without(ask(0), "1")), Verdict::kPartial) << "no candidates";
}

TEST_F(KnownAnswersTest, OnlyErrorsThatAStoreInTroubleExplainsAreRight) {
  EXPECT_EQ(answers_.judge(0, false, R"({"error":{"code":"endpoint_unavailable"}})"),
            Verdict::kError);
  EXPECT_EQ(answers_.judge(0, false, R"({"error":{"code":"internal"}})"), Verdict::kWrong);
  EXPECT_EQ(answers_.judge(0, true, R"({"error":{"code":"endpoint_unavailable"}})"),
            Verdict::kWrong);
}

}  // namespace
}  // namespace millrace::live
