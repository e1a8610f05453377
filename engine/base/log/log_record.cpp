#include "base/log/log_record.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/formats/json_writer.h"
#include "base/problems/message_text.h"
#include "base/wall_clock.h"

namespace millrace::base {
namespace {

/// Room for the line of a request, so that it grows once.
constexpr std::size_t kUsualBytes = 1024;

/// Appends a text as it is if a reader can tell where it ends, else quoted.
void append_plain_or_quoted(std::string& out, std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char character) {
    return character > ' ' && character < '\x7F' && character != '"' && character != '\\' &&
           character != '=';
  });
  if (is_plain) {
    out += text;
  } else {
    append_json_string(out, text);
  }
}

void append_value(std::string& out, const LogField::Value& value) {
  std::visit(
      [&out](const auto& content) {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::string_view>) {
          append_plain_or_quoted(out, content);
        } else {
          JsonWriter(out).value(content);
        }
      },
      value);
}

/// Gives the four-letter form that keeps terminal lines aligned.
std::string_view label(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBU";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARN";
    case LogLevel::kError:
      return "ERRO";
  }
  return "ERRO";
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string to_json(const LogRecord& record) {
  std::string out;
  out.reserve(kUsualBytes);
  out += R"({"ts":")";
  out += to_rfc3339(record.time);
  out += R"(","level":")";
  out += to_string(record.level);
  out += R"(","msg":)";
  append_json_string(out, record.message);
  out += R"(,"event":)";
  append_json_string(out, record.event);
  for (const LogField& field : record.fields) {
    out += ',';
    append_json_string(out, field.key());
    out += ':';
    std::visit([&out](const auto& content) { JsonWriter(out).value(content); }, field.value());
  }
  if (record.suppressed_count > 0) {
    out += R"(,"suppressed":)";
    JsonWriter(out).value(record.suppressed_count);
  }
  out += '}';
  return out;
}

std::string to_text(const LogRecord& record) {
  std::string out = to_rfc3339(record.time);
  out += ' ';
  out += label(record.level);
  out += ' ';
  out += record.event;
  out += ": ";
  // Not quoted as a whole, but a line break inside must not look like a second line.
  std::string quoted;
  append_json_string(quoted, record.message);
  out.append(quoted, 1, quoted.size() - 2);
  for (const LogField& field : record.fields) {
    out += ' ';
    out += field.key();
    out += '=';
    append_value(out, field.value());
  }
  if (record.suppressed_count > 0) {
    out += " suppressed=";
    append_value(out, record.suppressed_count);
  }
  // JSON lets some characters stand that a terminal obeys.
  return printable(out);
}

}  // namespace millrace::base
