#include "observe/prometheus_writer.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/metrics/metric_descriptor.h"

namespace millrace::observe {
namespace {

constexpr std::string_view kTotal = "_total";

/// A number as both formats want it: a bound of 1 is `1.0`, what is not finite has a name.
void append_number(double number, std::string& out) {
  if (std::isnan(number)) {
    out += "NaN";
    return;
  }
  if (std::isinf(number)) {
    out += number > 0 ? "+Inf" : "-Inf";
    return;
  }
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), number).ptr;
  const std::string_view written(text, static_cast<std::size_t>(end - text));
  out += written;
  if (written.find_first_of(".e") == std::string_view::npos) out += ".0";
}

/// A bound of a bucket, never with an exponent: people compare these texts.
void append_bound(double bound, std::string& out) {
  char text[64];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), bound, std::chars_format::fixed).ptr;
  const std::string_view written(text, static_cast<std::size_t>(end - text));
  out += written;
  if (written.find('.') == std::string_view::npos) out += ".0";
}

void append_escaped(std::string_view text, bool with_quotes, std::string& out) {
  for (const char byte : text) {
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\\' || (with_quotes && byte == '"')) {
      out += '\\';
      out += byte;
    } else {
      out += byte;
    }
  }
}

/// Names of metrics may have dots, which neither format knows.
void append_name(std::string_view name, std::string& out) {
  for (const char byte : name) out += byte == '.' ? '_' : byte;
}

class PageWriter {
 public:
  PageWriter(MetricsFormat format, const ExemplarTable& exemplars, std::string& out)
      : format_(format), exemplars_(exemplars), out_(out) {}

  void append(const base::MetricSnapshot& metric) {
    append_head(metric.descriptor);
    for (const base::SeriesSnapshot& series : metric.series) {
      if (metric.descriptor.kind == base::MetricKind::kHistogram) {
        append_histogram(metric.descriptor, series);
      } else {
        append_sample(metric.descriptor, series);
      }
    }
  }

 private:
  /// The name of the family: in OpenMetrics that of a counter has no suffix.
  [[nodiscard]] std::string_view family(const base::MetricDescriptor& metric) const {
    std::string_view name = metric.name;
    if (format_ == MetricsFormat::kOpenMetrics && metric.kind == base::MetricKind::kCounter &&
        name.ends_with(kTotal))
      name.remove_suffix(kTotal.size());
    return name;
  }

  void append_head(const base::MetricDescriptor& metric) {
    const std::string_view name = family(metric);
    out_ += "# HELP ";
    append_name(name, out_);
    out_ += ' ';
    append_escaped(metric.help, format_ == MetricsFormat::kOpenMetrics, out_);
    out_ += "\n# TYPE ";
    append_name(name, out_);
    out_ += ' ';
    out_ += base::to_string(metric.kind);
    out_ += '\n';
    // A unit must be the end of the name; one that is not is left out.
    if (format_ != MetricsFormat::kOpenMetrics || metric.unit.empty() ||
        !name.ends_with(metric.unit))
      return;
    out_ += "# UNIT ";
    append_name(name, out_);
    out_ += ' ';
    out_ += metric.unit;
    out_ += '\n';
  }

  void append_labels(const base::MetricDescriptor& metric,
                     const base::SeriesSnapshot& series,
                     std::string_view bound) {
    if (series.label_values.empty() && bound.empty()) return;
    char separator = '{';
    for (std::size_t index = 0; index < series.label_values.size(); ++index) {
      out_ += separator;
      separator = ',';
      out_ += metric.label_names[index];
      out_ += "=\"";
      append_escaped(series.label_values[index], true, out_);
      out_ += '"';
    }
    if (!bound.empty()) {
      out_ += separator;
      out_ += "le=\"";
      out_ += bound;
      out_ += '"';
    }
    out_ += '}';
  }

  void append_sample(const base::MetricDescriptor& metric, const base::SeriesSnapshot& series) {
    append_name(family(metric), out_);
    const bool is_counter = metric.kind == base::MetricKind::kCounter;
    const bool needs_suffix = format_ == MetricsFormat::kOpenMetrics && is_counter;
    if (needs_suffix) out_ += kTotal;
    append_labels(metric, series, {});
    out_ += ' ';
    if (is_counter && metric.scale == 1) {
      out_ += std::to_string(series.value.count);
    } else {
      append_number(series.value.value, out_);
    }
    out_ += '\n';
  }

  void append_histogram(const base::MetricDescriptor& metric, const base::SeriesSnapshot& series) {
    std::uint64_t count = 0;
    std::string bound;
    std::span<const Exemplar> exemplars;
    if (format_ == MetricsFormat::kOpenMetrics)
      exemplars = exemplars_.find(metric.name, series.label_values);
    for (std::size_t bucket = 0; bucket < series.value.buckets.size(); ++bucket) {
      count += series.value.buckets[bucket];
      bound.clear();
      if (bucket < metric.bucket_bounds.size()) {
        append_bound(metric.bucket_bounds[bucket], bound);
      } else {
        bound = "+Inf";
      }
      append_name(metric.name, out_);
      out_ += "_bucket";
      append_labels(metric, series, bound);
      out_ += ' ';
      out_ += std::to_string(count);
      if (bucket < exemplars.size()) append_exemplar(exemplars[bucket]);
      out_ += '\n';
    }
    append_name(metric.name, out_);
    out_ += "_sum";
    append_labels(metric, series, {});
    out_ += ' ';
    append_number(series.value.value, out_);
    out_ += '\n';
    append_name(metric.name, out_);
    out_ += "_count";
    append_labels(metric, series, {});
    out_ += ' ';
    out_ += std::to_string(count);
    out_ += '\n';
  }

  void append_exemplar(const Exemplar& exemplar) {
    if (exemplar.at == base::WallTime()) return;
    out_ += " # {trace_id=\"";
    out_ += to_text(exemplar.trace);
    out_ += "\"} ";
    append_number(exemplar.value, out_);
    const auto at = std::chrono::floor<std::chrono::milliseconds>(exemplar.at).time_since_epoch();
    out_ += base::format(" {}.{:03}", at.count() / 1000, at.count() % 1000);
  }

  const MetricsFormat format_;
  const ExemplarTable& exemplars_;
  std::string& out_;
};

}  // namespace

std::string_view content_type(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

MetricsFormat format_for(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos
             ? MetricsFormat::kOpenMetrics
             : MetricsFormat::kPrometheus;
}

void append_metrics(std::span<const base::MetricSnapshot> metrics,
                    MetricsFormat format,
                    std::string& out,
                    const ExemplarTable& exemplars) {
  PageWriter writer(format, exemplars, out);
  for (const base::MetricSnapshot& metric : metrics) writer.append(metric);
  if (format == MetricsFormat::kOpenMetrics) out += "# EOF\n";
}

}  // namespace millrace::observe
