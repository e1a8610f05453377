#include "server/generations/state_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_reader.h"
#include "base/formats/json_writer.h"
#include "base/text_file.h"

namespace millrace::server {
namespace {

constexpr std::size_t kStateBytesMax = std::size_t{256} << 20U;
constexpr std::string_view kFormat = "rankd-plan-state-1";

base::Status fail_with_errno(const std::string& path) {
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("Cannot write '{}': {}", path, std::strerror(errno)));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

base::Status replace_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return fail_with_errno(temporary);
  const bool is_written = write_all(descriptor, text) && ::fsync(descriptor) == 0;
  const base::Status outcome = is_written ? base::Status() : fail_with_errno(temporary);
  ::close(descriptor);
  if (!is_written) {
    ::unlink(temporary.c_str());
    return outcome;
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const base::Status failed = fail_with_errno(path);
  ::unlink(temporary.c_str());
  return failed;
}

base::Result<SavedPlans> read_state_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return SavedPlans{};
  MR_TRY(const std::string text, base::read_text_file(path, kStateBytesMax));
  base::JsonReader reader({.text_bytes_max = kStateBytesMax, .string_bytes_max = kStateBytesMax});
  base::JsonDocument document;
  const auto bad = [&](std::string_view why) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      base::format("The state of plans '{}' cannot be used: {}; mend or delete it "
                                   "(then nothing is pinned or held back)",
                                   path,
                                   why));
  };
  if (auto read = reader.read(text, document); !read) return bad(read.error().message);
  const base::JsonValue root = document.root();
  const auto format = root.find_member("format");
  if (!format || format->find_string() != kFormat) return bad("it has another format");
  const auto plans = root.find_member("plans");
  if (!plans) return bad("'plans' is missing");
  SavedPlans saved;
  for (const base::JsonValue plan : plans->children()) {
    SavedPlan one;
    const auto artifact = plan.find_member("artifact");
    const auto pinned = plan.find_member("pinned");
    const auto held = plan.find_member("held");
    if (!artifact || !artifact->find_string() || !pinned || !pinned->find_bool() || !held)
      return bad(base::format("the entry of '{}' is not complete", plan.key()));
    one.artifact = *artifact->find_string();
    one.is_pinned = *pinned->find_bool();
    for (const base::JsonValue digest : held->children())
      one.held.emplace_back(digest.find_string().value_or(""));
    saved.emplace(plan.key(), std::move(one));
  }
  return saved;
}

base::Status write_state_file(const std::string& path, const SavedPlans& plans) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("format", kFormat);
  json.key("plans");
  json.begin_object();
  for (const auto& [name, plan] : plans) {
    json.key(name);
    json.begin_object();
    json.member("pinned", plan.is_pinned);
    json.key("held");
    json.begin_array();
    for (const std::string& digest : plan.held) json.value(digest);
    json.end_array();
    json.member("artifact", plan.artifact);
    json.end_object();
  }
  json.end_object();
  json.end_object();
  text += '\n';
  return replace_file(path, text);
}

}  // namespace millrace::server
