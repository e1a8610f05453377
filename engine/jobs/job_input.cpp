#include "jobs/job_input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "base/problems/message_text.h"
#include "rank/request.h"

namespace millrace::jobs {
namespace {

std::unexpected<base::Error> fail_io(const std::string& path, std::string_view doing) {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    base::format("Cannot {} '{}': {}", doing, path, std::strerror(errno)));
}

/// A descriptor that is closed at the end.
struct OpenFile {
  int descriptor = -1;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

/// Copies stdin to a file without a name.
base::Status spool(OpenFile& to) {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return fail_io("stdin", "copy");
  to.descriptor = ::dup(::fileno(file));
  std::fclose(file);
  if (to.descriptor < 0) return fail_io("stdin", "copy");
  std::array<char, 65536> block{};
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_io("stdin", "read");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::write(to.descriptor, block.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0) return fail_io("stdin", "copy");
      done += put;
    }
  }
}

}  // namespace

base::Result<std::unique_ptr<JobInput>> JobInput::open(const std::string& path) {
  OpenFile file;
  if (path == "-") {
    MR_TRY_STATUS(spool(file));
  } else {
    file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.descriptor < 0) return fail_io(path, "open");
  }
  struct stat info{};
  if (::fstat(file.descriptor, &info) != 0) return fail_io(path, "read");
  if (!S_ISREG(info.st_mode)) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("'{}' is no file; '-' stands for stdin", path));
  }
  std::unique_ptr<JobInput> input(new JobInput);
  input->size_ = static_cast<std::size_t>(info.st_size);
  if (input->size_ > 0) {
    void* const bytes = ::mmap(nullptr, input->size_, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
    if (bytes == MAP_FAILED) return fail_io(path, "read");
    input->bytes_ = bytes;
  }
  std::string_view rest(static_cast<const char*>(input->bytes_), input->size_);
  input->digest_ = base::sha256_digest(rest);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    input->lines_.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (input->lines_.size() > kLinesMax) {
      return base::fail(base::ErrorCode::kResourceExhausted,
                        base::format("A job has at most {} lines; split the file", kLinesMax));
    }
  }
  if (input->lines_.empty())
    return base::fail(base::ErrorCode::kInvalidArgument, base::format("'{}' has no lines", path));
  return input;
}

JobInput::~JobInput() {
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
}

std::string InputProblems::to_text() const {
  std::string text;
  for (const Problem& problem : first)
    text += base::format("line {}: {}\n", problem.line, problem.message);
  text += base::format("{} of the lines cannot be queued; nothing was\n", total);
  return text;
}

InputProblems check_lines(const std::vector<std::string_view>& lines, const InputRules& rules) {
  InputProblems problems;
  const auto add = [&](std::uint64_t line, std::string message) {
    ++problems.total;
    if (problems.first.size() < InputProblems::kShownMax)
      problems.first.push_back({.line = line + 1, .message = std::move(message)});
  };
  rank::RequestReader reader;
  rank::Request request;
  // Of ids only their hashes are kept: ten million of them fit into memory.
  std::vector<std::pair<std::size_t, std::uint64_t>> ids;
  ids.reserve(lines.size());
  for (std::uint64_t line = 0; line < lines.size(); ++line) {
    const std::string_view text = lines[line];
    const auto read = reader.read(text, request);
    if (!read) {
      add(line, base::format("{}: {}", to_string(read.error().code), read.error().message));
      continue;
    }
    if (!rules.has_plan && request.plan.empty()) {
      add(line, "missing_field: the request names no plan; name one for all with --plan");
      continue;
    }
    std::string id(request.request_id);
    if (id.empty()) id = base::format("{}-{}", rules.job, line);
    // What `with_request_id` adds counts, too.
    const std::size_t added = request.request_id.empty() ? id.size() + 20 : 0;
    if (text.size() + added > rules.bytes_max) {
      add(line,
          base::format(
              "too_large: the line has {} bytes, and NATS takes {}", text.size(), rules.bytes_max));
      continue;
    }
    ids.emplace_back(std::hash<std::string>{}(id), line);
  }
  std::ranges::sort(ids);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    if (ids[i].first == ids[i - 1].first)
      add(ids[i].second,
          base::format("bad_value: its request_id is that of line {}", ids[i - 1].second + 1));
  }
  return problems;
}

std::string with_request_id(std::string_view line, const std::string& job, std::uint64_t number) {
  const auto document = base::read_json(line);
  if (document && document->root().find_member("request_id")) return std::string(line);
  const std::size_t brace = line.find('{');
  std::string text(line.substr(0, brace + 1));
  text += R"("request_id":)";
  base::append_json_string(text, base::format("{}-{}", job, number));
  const std::string_view rest = line.substr(brace + 1);
  const bool is_empty = rest.find_first_not_of(" \t\r}") == std::string_view::npos;
  if (!is_empty) text += ',';
  text += rest;
  return text;
}

}  // namespace millrace::jobs
