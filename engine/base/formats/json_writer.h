#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::base {

/// Appends JSON text to a string, in one pass and without a tree.
///
/// Numbers are written as std::to_chars does: integers of 64 bits exactly, doubles in the shortest
/// form that reads back to the same bits (1.0 becomes `1`, -0.0 becomes `-0`). JSON has no NaN and
/// no infinity: both are written as `null`. Text is expected in UTF-8; bytes that are not become
/// U+FFFD, so the output is always valid. Keys come out in the order of the calls. Threading: not
/// shared. Lifetime: borrows the string it appends to.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// Writes the key of the member whose value comes next.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(std::same_as<bool> auto flag) { raw(flag ? "true" : "false"); }
  void value(std::signed_integral auto number) { write(static_cast<std::int64_t>(number)); }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  void value(T number) {
    write(static_cast<std::uint64_t>(number));
  }
  void null() { raw("null"); }

  /// Writes `key(name)` and `value(content)`.
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }

  /// Writes `key(name)` and JSON text that is valid already.
  void raw_member(std::string_view name, std::string_view json) {
    key(name);
    raw(json);
  }

 private:
  void open(char bracket);
  void close(char bracket);
  void raw(std::string_view token);
  void write(std::int64_t number);
  void write(std::uint64_t number);
  void separate();

  std::string& out_;
  std::size_t depth_ = 0;
  bool needs_comma_ = false;
};

/// Appends `text` as a JSON string with its quotes; see JsonWriter for what happens to bad UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace millrace::base
