#include "net/http/gzip.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <zconf.h>
#include <zlib.h>

#include "base/check.h"

namespace millrace::net {
namespace {

// zlib's way of asking for gzip: 16 more than the largest window.
constexpr int kGzipWindow = 15 + 16;
constexpr int kLevel = 1;
constexpr int kMemoryLevel = 8;

uInt bounded(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

Bytef* bytes_of(std::span<const char> bytes) {
  return reinterpret_cast<Bytef*>(
      const_cast<char*>(bytes.data()));  // NOLINT: zlib does not write to its input
}

}  // namespace

void GzipInflater::Free::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  const std::unique_ptr<z_stream> freed(stream);
}

GzipInflater::GzipInflater() : stream_(std::make_unique<z_stream>().release()) {
  const int result = inflateInit2(stream_.get(), kGzipWindow);
  MR_CHECK(result == Z_OK, result);
}
GzipInflater::~GzipInflater() = default;

GzipInflater::Step GzipInflater::inflate(std::string_view bytes, std::span<char> space) {
  if (is_complete_) {
    if (bytes.empty()) return {};
    // Another member follows.
    inflateReset(stream_.get());
    is_complete_ = false;
  }
  stream_->next_in = bytes_of(bytes);
  stream_->avail_in = bounded(bytes.size());
  stream_->next_out = bytes_of(space);
  stream_->avail_out = bounded(space.size());
  const uInt given = stream_->avail_in;
  const uInt room = stream_->avail_out;
  const int result = ::inflate(stream_.get(), Z_NO_FLUSH);
  is_complete_ = result == Z_STREAM_END;
  // Z_BUF_ERROR only says that there was nothing to do.
  const bool is_fine = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
  return {.outcome = is_fine ? Outcome::kMore : Outcome::kBroken,
          .consumed = given - stream_->avail_in,
          .written = room - stream_->avail_out};
}

void GzipDeflater::Free::operator()(z_stream_s* stream) const {
  deflateEnd(stream);
  const std::unique_ptr<z_stream> freed(stream);
}

GzipDeflater::GzipDeflater() : stream_(std::make_unique<z_stream>().release()) {
  const int result = deflateInit2(
      stream_.get(), kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
  MR_CHECK(result == Z_OK, result);
}
GzipDeflater::~GzipDeflater() = default;

void GzipDeflater::deflate(std::string_view bytes, std::string& packed) {
  MR_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  deflateReset(stream_.get());
  packed.resize(deflateBound(stream_.get(), bytes.size()));
  stream_->next_in = bytes_of(bytes);
  stream_->avail_in = bounded(bytes.size());
  stream_->next_out = bytes_of(packed);
  stream_->avail_out = bounded(packed.size());
  const int result = ::deflate(stream_.get(), Z_FINISH);
  MR_CHECK(result == Z_STREAM_END, result);
  packed.resize(packed.size() - stream_->avail_out);
}

}  // namespace millrace::net
