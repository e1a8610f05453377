#include "base/text_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

namespace millrace::base {
namespace {

/// Closes a descriptor at its end.
struct OpenedFile {
  explicit OpenedFile(const std::string& path)
      : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenedFile() {
    if (descriptor >= 0) close(descriptor);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  const int descriptor;
};

std::unexpected<Error> cannot_read(const std::string& path, int error) {
  return fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              format("Cannot read '{}': {}", path, std::generic_category().message(error)),
              path);
}

std::unexpected<Error> too_large(const std::string& path, std::size_t bytes_max) {
  return fail(ErrorCode::kResourceExhausted,
              format("'{}' is too large; it may have {} bytes", path, bytes_max),
              path);
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max) {
  const OpenedFile file(path);
  struct stat facts{};
  if (file.descriptor < 0 || fstat(file.descriptor, &facts) != 0) return cannot_read(path, errno);
  if (S_ISDIR(facts.st_mode)) return cannot_read(path, EISDIR);
  if (!S_ISREG(facts.st_mode)) {
    return fail(ErrorCode::kInvalidArgument,
                format("Cannot read '{}': it is a device or a pipe, not a file", path),
                path);
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > bytes_max) return too_large(path, bytes_max);
  // One byte more, to see the end. A file may grow while it is read.
  std::string text(size + 1, '\0');
  std::size_t count = 0;
  while (true) {
    const ssize_t got = ::read(file.descriptor, text.data() + count, text.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
    if (count > bytes_max) return too_large(path, bytes_max);
    if (count == text.size()) text.resize(2 * text.size());
  }
  text.resize(count);
  return text;
}

}  // namespace millrace::base
