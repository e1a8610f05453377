#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millrace::net {

/// Compares as HTTP does where case does not matter: ASCII letters only.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right);
/// Whether `text` is a token of RFC 9110, as methods and field names are.
[[nodiscard]] bool is_http_token(std::string_view text);
/// Whether `text` may be sent as the value of a field: no control bytes but tabs, no space at its
/// ends.
[[nodiscard]] bool is_http_field_value(std::string_view text);

struct HttpField {
  std::string_view name;
  std::string_view value;
};

/// The fields of a request or a reply in the order in which they came, names as they were written.
///
/// They lie in one text and one list, which `clear` keeps: fields that are filled again and again
/// soon stop allocating.
/// Threading: not shared.
class HttpFields {
 public:
  void add(std::string_view name, std::string_view value);
  void clear();

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  /// Bytes of all names and values.
  [[nodiscard]] std::size_t text_bytes() const { return text_.size(); }
  /// The views last until the fields are changed.
  [[nodiscard]] HttpField operator[](std::size_t index) const;

  /// The value of the first field of this name, in any case.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  /// How many fields have this name.
  [[nodiscard]] std::size_t count(std::string_view name) const;

  /// Calls `visit` with each item of the comma-separated lists that the fields of this name hold,
  /// without surrounding spaces. Skips empty items; commas in quoted strings do not separate.
  template <class Visit>
  void for_each_item(std::string_view name, Visit visit) const {
    for (std::size_t i = 0; i < size(); ++i) {
      const HttpField field = (*this)[i];
      if (!equal_ignoring_case(field.name, name)) continue;
      for (std::string_view rest = field.value; !rest.empty();) {
        if (const std::string_view item = take_item(rest); !item.empty()) visit(item);
      }
    }
  }
  /// Whether one of those items is `token`, in any case.
  [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;

  /// Appends `Name: value` lines, each with its line end.
  void append_to(std::string& text) const;

  // For a reader that gets names and values in pieces.
  void extend_name(std::string_view piece);
  void extend_value(std::string_view piece);
  /// Removes the spaces behind the value.
  void end_field();

 private:
  struct Place {
    std::uint32_t name_begin = 0;
    std::uint32_t value_begin = 0;
    std::uint32_t value_end = 0;
  };
  /// Takes the first item off a list; it may be empty.
  [[nodiscard]] static std::string_view take_item(std::string_view& rest);

  std::string text_;
  std::vector<Place> places_;
  bool field_is_open_ = false;
};

struct HttpVersion {
  std::uint8_t major = 1;
  std::uint8_t minor = 1;

  friend bool operator==(const HttpVersion&, const HttpVersion&) = default;
};

/// What stands before the body of a request.
struct HttpRequestHead {
  std::string method = {};
  std::string target = {};  ///< as sent: path and query, percent-encoded
  HttpVersion version = {};
  HttpFields fields = {};
};

/// What stands before the body of a reply.
struct HttpReplyHead {
  int status = 0;
  HttpVersion version = {};
  HttpFields fields = {};
};

}  // namespace millrace::net
