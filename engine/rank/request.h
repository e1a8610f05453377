#pragma once

#include <expected>
#include <string_view>

#include "base/formats/json_reader.h"
#include "rank/rank_error.h"
#include "rank/request_content.h"

namespace millrace::rank {

/// Reads requests one after another, and uses the same buffers for each.
/// Threading: not shared.
class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits = {});

  /// Fills `request`. On failure `request.request_id` is still set if it could be read.
  [[nodiscard]] std::expected<void, RankError> read(std::string_view text, Request& request);

 private:
  const RequestLimits limits_;
  base::JsonReader reader_;
};

}  // namespace millrace::rank
