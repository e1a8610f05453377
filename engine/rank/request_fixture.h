#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "rank/rank_error.h"
#include "rank/request.h"

namespace millrace::rank {

/// Reads a request that must be good.
inline Request good_request(std::string_view text) {
  RequestReader reader;
  Request request;
  const auto read = reader.read(text, request);
  EXPECT_TRUE(read) << read.error().message;
  return request;
}

/// Reads a request that must be refused.
inline RankError refused_request(std::string_view text, const RequestLimits& limits = {}) {
  RequestReader reader(limits);
  Request request;
  const auto read = reader.read(text, request);
  EXPECT_FALSE(read);
  return read ? RankError{} : read.error();
}

}  // namespace millrace::rank
