#include "graph/record/exact_json.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

Payload there_and_back(const Payload& value) {
  std::string text = "[";
  append_exact_json(text, value);
  text += "]";
  const auto document = base::read_json(text);
  EXPECT_TRUE(document) << text;
  if (!document) return {};
  return read_exact_json(*document->root().children().begin());
}

TEST(ExactJson, KindsOfNumbersSurvive) {
  EXPECT_EQ(there_and_back(Payload(std::int64_t{1})), Payload(std::int64_t{1}));
  EXPECT_EQ(there_and_back(Payload(1.0)), Payload(1.0)) << "a float is no integer";
  EXPECT_EQ(there_and_back(Payload(1e300)), Payload(1e300));
  EXPECT_TRUE(std::signbit(*there_and_back(Payload(-0.0)).find_number()));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(there_and_back(Payload(infinity)), Payload(infinity));
  EXPECT_EQ(there_and_back(Payload(-infinity)), Payload(-infinity));
  EXPECT_TRUE(std::isnan(*there_and_back(Payload(std::nan(""))).find_number()));
}

TEST(ExactJson, ObjectsThatLookLikeSpecialNumbersStayObjects) {
  const Payload like = Payload::object({{.name = "$float", .value = Payload(std::string("inf"))},
                                        {.name = "$$x", .value = Payload(true)}});
  EXPECT_EQ(there_and_back(like), like);
  const Payload lone = Payload::object({{.name = "$float", .value = Payload(std::string("inf"))}});
  EXPECT_EQ(there_and_back(lone), lone);
  const Payload nested = Payload::array({lone, Payload(), Payload::array({}), Payload::object({})});
  EXPECT_EQ(there_and_back(nested), nested);
}

}  // namespace
}  // namespace millrace::graph
