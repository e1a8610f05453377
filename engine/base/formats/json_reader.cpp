#include "base/formats/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/format.h"
#include "base/formats/json_document.h"
#include "base/formats/json_syntax.h"
#include "base/problems/message_text.h"
#include "base/text_place.h"

namespace millrace::base {

namespace od = simdjson::ondemand;

struct JsonReader::Parser {
  od::parser parser;
  std::vector<std::string_view> keys;  // of the objects that are open
};

namespace {

/// Gives the offset of the first byte from which the text is no longer valid UTF-8.
std::size_t first_bad_utf8(std::string_view text) {
  std::size_t good = 0;
  // Prefixes that end inside a character are invalid, so step by whole characters.
  while (good < text.size()) {
    const auto byte = static_cast<unsigned char>(text[good]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (!simdjson::validate_utf8(text.substr(good, length))) return good;
    good += length;
  }
  return good;
}

}  // namespace

/// Walks the parser's values and writes the nodes. The first problem ends the walk.
class JsonValueBuilder {
 public:
  JsonValueBuilder(JsonDocument& document,
                   const JsonLimits& limits,
                   std::vector<std::string_view>& keys)
      : document_(document), limits_(limits), keys_(keys) {}

  using Done = std::expected<void, JsonProblem>;

  /// What is wrong with the text, in our words; the parser's are meant for programmers.
  static JsonProblem syntax_problem(const JsonDocument& document, std::uint32_t offset) {
    const auto mistake = find_json_mistake(document.text_);
    const std::size_t place = mistake ? mistake->offset : offset;
    return {.code = JsonProblemCode::kSyntax,
            .place = document.place(static_cast<std::uint32_t>(place)),
            .message = mistake ? mistake->message : "The document must be an object or an array"};
  }

  Done read_root(od::document& root) {
    od::value value;
    if (const auto error = root.get_value().get(value)) return fail(error, 0);
    if (Done done = read_value(value, 0); !done) return done;
    const char* rest = nullptr;
    if (root.current_location().get(rest) == simdjson::SUCCESS) {
      return fail(JsonProblemCode::kSyntax, offset_of(rest), "Text after the end of the document");
    }
    return {};
  }

 private:
  static constexpr std::size_t kSortedFrom = 16;

  Done read_value(od::value& value, std::size_t depth) {
    const std::string_view token = value.raw_json_token();
    const std::uint32_t offset = offset_of(token.begin());
    if (document_.nodes_.size() >= limits_.value_count_max) {
      return fail(JsonProblemCode::kTooLarge,
                  offset,
                  format("More than {} values", limits_.value_count_max));
    }
    const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
    document_.nodes_.push_back({.offset = offset, .key_offset = offset});
    od::json_type type{};
    if (const auto error = value.type().get(type)) return fail(error, offset);
    Done done = type == od::json_type::object  ? read_object(value, index, depth + 1)
                : type == od::json_type::array ? read_array(value, index, depth + 1)
                                               : read_scalar(value, type, index);
    document_.nodes_[index].end = static_cast<std::uint32_t>(document_.nodes_.size());
    return done;
  }

  Done read_object(od::value& value, std::uint32_t index, std::size_t depth) {
    if (depth > limits_.depth_max) return too_deep(index);
    document_.nodes_[index].kind = JsonKind::kObject;
    od::object object;
    if (const auto error = value.get_object().get(object)) return fail(error, offset(index));
    std::uint32_t count = 0;
    for (auto entry : object) {
      od::field field;
      if (const auto error = std::move(entry).get(field)) return fail(error, offset(index));
      // The raw name begins after its quote.
      const std::uint32_t key_offset = offset_of(field.key().raw()) - 1;
      std::string_view name;
      if (const auto error = field.unescaped_key().get(name)) return fail(error, key_offset);
      if (name.size() > limits_.string_bytes_max) return string_too_large(key_offset);
      const JsonDocument::Slice key = keep(name);
      const std::size_t child = document_.nodes_.size();
      if (Done done = read_value(field.value(), depth); !done) return done;
      document_.nodes_[child].key = key;
      document_.nodes_[child].key_offset = key_offset;
      ++count;
    }
    document_.nodes_[index].payload.child_count = count;
    document_.nodes_[index].end = static_cast<std::uint32_t>(document_.nodes_.size());
    return check_names(index);
  }

  Done read_array(od::value& value, std::uint32_t index, std::size_t depth) {
    if (depth > limits_.depth_max) return too_deep(index);
    document_.nodes_[index].kind = JsonKind::kArray;
    od::array array;
    if (const auto error = value.get_array().get(array)) return fail(error, offset(index));
    std::uint32_t count = 0;
    for (auto entry : array) {
      od::value item;
      if (const auto error = std::move(entry).get(item)) return fail(error, offset(index));
      if (Done done = read_value(item, depth); !done) return done;
      ++count;
    }
    document_.nodes_[index].payload.child_count = count;
    return {};
  }

  Done read_scalar(od::value& value, od::json_type type, std::uint32_t index) {
    JsonDocument::Node& node = document_.nodes_[index];
    switch (type) {
      case od::json_type::string: {
        std::string_view text;
        if (const auto error = value.get_string().get(text)) return fail(error, node.offset);
        if (text.size() > limits_.string_bytes_max) return string_too_large(node.offset);
        node.kind = JsonKind::kString;
        node.payload.text = keep(text);
        return {};
      }
      case od::json_type::boolean:
        node.kind = JsonKind::kBool;
        if (const auto error = value.get_bool().get(node.payload.flag)) {
          return fail(error, node.offset);
        }
        return {};
      case od::json_type::number:
        return read_number(value, node);
      default: {
        bool is_null = false;
        const auto error = value.is_null().get(is_null);
        if (error != simdjson::SUCCESS || !is_null) return fail(error, node.offset);
        return {};
      }
    }
  }

  static bool is_integer(std::string_view token) {
    return token.find_first_of(".eE") == std::string_view::npos;
  }

  Done read_number(od::value& value, JsonDocument::Node& node) {
    const std::string_view token = number_token(value.raw_json_token());
    od::number number;
    if (value.get_number().get(number) != simdjson::SUCCESS) {
      if (!is_json_number(token))
        return fail(JsonProblemCode::kSyntax, node.offset, "Not a number");
      if (is_out_of_range(token))
        return fail(JsonProblemCode::kNumberRange, node.offset, "Number out of range");
      // A good number that nothing follows: the array or object around it is not closed.
      return unfinished(node.offset);
    }
    switch (number.get_number_type()) {
      case od::number_type::signed_integer:
        node.kind = JsonKind::kInt;
        node.payload.integer = number.get_int64();
        return {};
      case od::number_type::unsigned_integer:
        node.kind = JsonKind::kUnsigned;
        node.payload.natural = number.get_uint64();
        return {};
      default:
        if (is_integer(token)) {
          return fail(JsonProblemCode::kNumberRange, node.offset, "Integer beyond 64 bits");
        }
        node.kind = JsonKind::kFloat;
        // Not number.get_double(): simdjson 3.0.1 gets numbers of more than 19 digits wrong.
        node.payload.number = float_of(token);
        if (std::isinf(node.payload.number))
          return fail(JsonProblemCode::kNumberRange, node.offset, "Number out of range");
        return {};
    }
  }

  static double float_of(std::string_view number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc()) return value;
    // Too large or too small, and it does not say which.
    return std::strtod(std::string(number).c_str(), nullptr);
  }

  static bool is_out_of_range(std::string_view number) {
    constexpr std::size_t kDigitsMin = 19;  // of an integer beyond 64 bits
    if (is_integer(number) && number.size() >= kDigitsMin) return true;
    double value = 0;
    return std::from_chars(number.data(), number.data() + number.size(), value).ec ==
           std::errc::result_out_of_range;
  }

  static std::string_view number_token(std::string_view token) {
    return token.substr(0, std::min(token.find_last_not_of(" \t\r\n") + 1, token.size()));
  }

  static bool is_json_number(std::string_view token) {
    const auto skip_digits = [&token] {
      const std::size_t end = std::min(token.find_first_not_of("0123456789"), token.size());
      token.remove_prefix(end);
      return end;
    };
    if (token.starts_with('-')) token.remove_prefix(1);
    const bool leading_zero = token.starts_with('0');
    const std::size_t digits = skip_digits();
    if (digits == 0 || (leading_zero && digits > 1)) return false;
    if (token.starts_with('.')) {
      token.remove_prefix(1);
      if (skip_digits() == 0) return false;
    }
    if (token.starts_with('e') || token.starts_with('E')) {
      token.remove_prefix(1);
      if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
      if (skip_digits() == 0) return false;
    }
    return token.empty();
  }

  /// Small objects are compared pair by pair, others sorted.
  Done check_names(std::uint32_t index) {
    keys_.clear();
    const JsonValue object(&document_, index);
    for (const JsonValue member : object.children()) {
      if (keys_.size() < kSortedFrom && std::ranges::find(keys_, member.key()) != keys_.end()) {
        return duplicate(member);
      }
      keys_.push_back(member.key());
    }
    if (keys_.size() <= kSortedFrom) return {};
    std::ranges::sort(keys_);
    const auto twice = std::ranges::adjacent_find(keys_);
    if (twice == keys_.end()) return {};
    bool seen = false;
    for (const JsonValue member : object.children()) {
      if (member.key() != *twice) continue;
      if (seen) return duplicate(member);
      seen = true;
    }
    return {};
  }

  Done duplicate(JsonValue member) const {
    return fail(JsonProblemCode::kDuplicateKey,
                member.key_offset(),
                format("Duplicate key: {}", shortened(member.key())));
  }

  Done too_deep(std::uint32_t index) const {
    return fail(JsonProblemCode::kTooDeep,
                offset(index),
                format("Nested deeper than {} levels", limits_.depth_max));
  }

  Done string_too_large(std::uint32_t offset) const {
    return fail(JsonProblemCode::kTooLarge,
                offset,
                format("String longer than {} bytes", limits_.string_bytes_max));
  }

  Done unfinished(std::uint32_t offset) const {
    return fail(JsonProblemCode::kSyntax, offset, "The JSON text ends before it is complete");
  }

  Done fail(simdjson::error_code, std::uint32_t offset) const {
    // The library finds the end of an unfinished text in various ways, and has as many words for
    // it.
    const auto mistake = find_json_mistake(document_.text_);
    if (mistake && mistake->is_cut_short)
      return unfinished(static_cast<std::uint32_t>(mistake->offset));
    return std::unexpected(syntax_problem(document_, offset));
  }

  Done fail(JsonProblemCode code, std::uint32_t offset, std::string message) const {
    return std::unexpected(
        JsonProblem{.code = code, .place = document_.place(offset), .message = std::move(message)});
  }

  JsonDocument::Slice keep(std::string_view text) {
    const JsonDocument::Slice slice{.offset = static_cast<std::uint32_t>(document_.strings_.size()),
                                    .size = static_cast<std::uint32_t>(text.size())};
    document_.strings_.append(text);
    return slice;
  }

  [[nodiscard]] std::uint32_t offset(std::uint32_t index) const {
    return document_.nodes_[index].offset;
  }

  [[nodiscard]] std::uint32_t offset_of(const char* byte) const {
    const auto distance = static_cast<std::size_t>(byte - document_.text_.data());
    return static_cast<std::uint32_t>(std::min(distance, document_.text_.size()));
  }

  JsonDocument& document_;
  const JsonLimits& limits_;
  std::vector<std::string_view>& keys_;
};

JsonReader::JsonReader(JsonLimits limits) : limits_(limits), parser_(std::make_unique<Parser>()) {}

JsonReader::~JsonReader() = default;

std::expected<void, JsonProblem> JsonReader::read(std::string_view text, JsonDocument& document) {
  document.nodes_.clear();
  document.strings_.clear();
  document.text_.clear();
  document.syntax_ = DocumentSyntax::kJson;
  if (text.size() > limits_.text_bytes_max) {
    return std::unexpected(
        JsonProblem{.code = JsonProblemCode::kTooLarge,
                    .place = {},
                    .message = format("Text longer than {} bytes", limits_.text_bytes_max)});
  }
  // The parser reads beyond the end, within the capacity.
  document.text_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  document.text_.assign(text);
  const simdjson::padded_string_view padded(
      document.text_.data(), text.size(), document.text_.capacity());
  od::document root;
  if (const auto error = parser_->parser.iterate(padded).get(root)) {
    if (error != simdjson::UTF8_ERROR)
      return std::unexpected(JsonValueBuilder::syntax_problem(document, 0));
    return std::unexpected(JsonProblem{.code = JsonProblemCode::kNotUtf8,
                                       .place = document.place(first_bad_utf8(text)),
                                       .message = "Text is not valid UTF-8"});
  }
  return JsonValueBuilder(document, limits_, parser_->keys).read_root(root);
}

std::expected<JsonDocument, JsonProblem> read_json(std::string_view text, JsonLimits limits) {
  JsonDocument document;
  JsonReader reader(limits);
  if (auto done = reader.read(text, document); !done) return std::unexpected(done.error());
  return document;
}

}  // namespace millrace::base
