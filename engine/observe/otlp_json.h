#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "observe/span_builder.h"

namespace millrace::observe {

/// Who sends spans: names and values of OpenTelemetry's resource, `service.name` among them.
using OtlpResource = std::vector<std::pair<std::string, std::string>>;

/// The body of a POST to `/v1/traces`: OTLP in JSON, ids as hex digits, numbers of 64 bits as text.
[[nodiscard]] std::string otlp_json(std::span<const Span> spans, const OtlpResource& resource);

}  // namespace millrace::observe
