#include "net/http/http_coding.h"

#include <string_view>

#include <gtest/gtest.h>

#include "net/http_head.h"

namespace millrace::net {
namespace {

bool accepts(std::string_view value) {
  HttpFields fields;
  fields.add("Accept-Encoding", value);
  return accepts_gzip(fields);
}

TEST(HttpCodingTest, S9_GzipIsAcceptedByNameOrByStar) {
  for (const std::string_view yes : {"gzip",
                                     "GZIP",
                                     "x-gzip",
                                     "deflate, gzip, br",
                                     "gzip;q=0.5",
                                     "gzip; q=1",
                                     "*",
                                     "br;q=1, *;q=0.1",
                                     "identity;q=0, gzip"}) {
    EXPECT_TRUE(accepts(yes)) << yes;
  }
  for (const std::string_view no :
       {"", "br", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0", "*, gzip;q=0", "gzipped"}) {
    EXPECT_FALSE(accepts(no)) << no;
  }
  EXPECT_FALSE(accepts_gzip({}));
}

HttpContentCoding coding_of(std::string_view value) {
  HttpFields fields;
  fields.add("Content-Encoding", value);
  return http_content_coding(fields);
}

TEST(HttpCodingTest, S9_OnlyGzipIsKnown) {
  EXPECT_EQ(http_content_coding({}), HttpContentCoding::kIdentity);
  EXPECT_EQ(coding_of(""), HttpContentCoding::kIdentity);
  EXPECT_EQ(coding_of("Identity"), HttpContentCoding::kIdentity);
  EXPECT_EQ(coding_of("gzip"), HttpContentCoding::kGzip);
  EXPECT_EQ(coding_of("x-gzip"), HttpContentCoding::kGzip);
  EXPECT_EQ(coding_of("identity, gzip"), HttpContentCoding::kGzip);
  EXPECT_EQ(coding_of("br"), HttpContentCoding::kUnknown);
  EXPECT_EQ(coding_of("gzip, gzip"), HttpContentCoding::kUnknown);
  EXPECT_EQ(coding_of("gzip, br"), HttpContentCoding::kUnknown);
}

}  // namespace
}  // namespace millrace::net
