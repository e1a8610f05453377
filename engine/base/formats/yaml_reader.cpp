#include "base/formats/yaml_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <yaml.h>

#include "base/format.h"
#include "base/formats/json_builder.h"
#include "base/formats/json_document.h"
#include "base/formats/yaml_scalar.h"
#include "base/text_place.h"

namespace millrace::base {
namespace {

using YamlDone = std::expected<void, JsonProblem>;

/// Gives the length of the character at the start of `text`, or 0 if it is not valid UTF-8.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    const bool is_overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool is_surrogate = first == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !is_overlong && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    const bool is_overlong = first == 0xF0 && byte(1) < 0x90;
    const bool is_beyond = first == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !is_overlong && !is_beyond ? 4 : 0;
  }
  return 0;
}

/// Turns the character counts of the parser into bytes: the offset of every 64th character is
/// known.
class CharacterOffsets {
 public:
  /// Gives the offset of the first byte that is not UTF-8, if there is one.
  std::optional<std::size_t> read(std::string_view text) {
    text_ = text;
    std::size_t offset = 0;
    for (std::size_t count = 0; offset < text.size(); ++count) {
      if (count % kStep == 0) known_.push_back(offset);
      const std::size_t length = utf8_length(text.substr(offset));
      if (length == 0) return offset;
      offset += length;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint32_t byte(std::size_t character) const {
    const std::size_t step = character / kStep;
    if (step >= known_.size()) return static_cast<std::uint32_t>(text_.size());
    std::size_t offset = known_[step];
    for (std::size_t i = character % kStep; i > 0 && offset < text_.size(); --i) {
      offset += utf8_length(text_.substr(offset));
    }
    return static_cast<std::uint32_t>(offset);
  }

 private:
  static constexpr std::size_t kStep = 64;
  std::string_view text_;
  std::vector<std::size_t> known_;
};

/// The parser of the library with one event, both freed at the end.
class YamlEvents {
 public:
  explicit YamlEvents(std::string_view text) {
    is_ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!is_ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~YamlEvents() {
    if (has_event_) yaml_event_delete(&event_);
    if (is_ready_) yaml_parser_delete(&parser_);
  }
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  /// Moves to the next event; false when the text is wrong.
  bool next() {
    if (has_event_) yaml_event_delete(&event_);
    has_event_ = is_ready_ && yaml_parser_parse(&parser_, &event_) != 0;
    return has_event_;
  }
  [[nodiscard]] const yaml_event_t& event() const { return event_; }
  [[nodiscard]] const yaml_parser_t& parser() const { return parser_; }

 private:
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool is_ready_ = false;
  bool has_event_ = false;
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

/// Turns the events of one document into values.
class YamlBuilder {
 public:
  YamlBuilder(std::string_view text, const JsonLimits& limits, JsonDocument& document)
      : text_(text), limits_(limits), builder_(document, text) {}

  YamlDone read() {
    if (text_.size() > limits_.text_bytes_max) {
      return fail(JsonProblemCode::kTooLarge,
                  0,
                  format("Text longer than {} bytes", limits_.text_bytes_max));
    }
    if (const auto bad = offsets_.read(text_)) {
      return fail(JsonProblemCode::kNotUtf8, *bad, "Text is not valid UTF-8");
    }
    // Editors of some systems begin a file with the character U+FEFF, which is no part of the text.
    const std::size_t mark_bytes = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    mark_characters_ = mark_bytes > 0 ? 1 : 0;
    YamlEvents events(text_.substr(mark_bytes));
    do {
      if (!events.next()) return fail_syntax(events.parser());
      if (YamlDone done = take(events.event()); !done) return done;
    } while (events.event().type != YAML_STREAM_END_EVENT);
    if (document_count_ == 0) return fail(JsonProblemCode::kSyntax, 0, "The text is empty");
    return {};
  }

 private:
  /// An object or array that is open.
  struct Frame {
    bool is_object = false;
    bool expects_key = false;
    std::uint32_t height = 1;  // of the subtree so far, itself included
    std::string anchor;
  };
  struct Anchor {
    JsonValue value;
    std::uint32_t height;  // 0: a scalar
  };

  YamlDone take(const yaml_event_t& event) {
    const std::uint32_t offset = byte_of(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        return take_document(event, offset);
      case YAML_ALIAS_EVENT:
        return take_alias(view(event.data.alias.anchor), offset);
      case YAML_SCALAR_EVENT:
        return take_scalar(event, offset);
      case YAML_SEQUENCE_START_EVENT:
        return open(false,
                    view(event.data.sequence_start.tag),
                    view(event.data.sequence_start.anchor),
                    offset);
      case YAML_MAPPING_START_EVENT:
        return open(true,
                    view(event.data.mapping_start.tag),
                    view(event.data.mapping_start.anchor),
                    offset);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return {};
    }
  }

  YamlDone take_document(const yaml_event_t& event, std::uint32_t offset) {
    if (++document_count_ > 1) {
      return fail(JsonProblemCode::kSyntax, offset, "A second document; a file holds one");
    }
    const auto& start = event.data.document_start;
    if (start.tag_directives.start != start.tag_directives.end) return fail_tag(offset);
    const auto* version = start.version_directive;
    if (version != nullptr && (version->major != 1 || version->minor != 2)) {
      return fail(JsonProblemCode::kSyntax, offset, "The %YAML directive must say 1.2");
    }
    return {};
  }

  YamlDone open(bool is_object,
                std::string_view tag,
                std::string_view anchor,
                std::uint32_t offset) {
    if (!tag.empty()) return fail_tag(offset);
    if (is_key_next()) {
      return fail(JsonProblemCode::kSyntax, offset, "A key must be a scalar, not a collection");
    }
    if (YamlDone done = make_room(1, 1, offset); !done) return done;
    if (is_object) {
      builder_.begin_object(offset);
    } else {
      builder_.begin_array(offset);
    }
    frames_.push_back(
        {.is_object = is_object, .expects_key = is_object, .anchor = std::string(anchor)});
    if (!anchor.empty()) anchors_.erase(std::string(anchor));
    return {};
  }

  YamlDone close() {
    const JsonValue value = builder_.end();
    const Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.is_object) {
      if (const auto repeated = find_repeated_key(value)) {
        return fail(JsonProblemCode::kDuplicateKey,
                    repeated->key_offset(),
                    format("Duplicate key: {}", repeated->key().substr(0, kQuotedMax)));
      }
    }
    if (!frame.anchor.empty()) remember(frame.anchor, value, frame.height);
    finish_value(frame.height);
    return {};
  }

  YamlDone take_alias(std::string_view name, std::uint32_t offset) {
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      const bool is_open = std::ranges::find(frames_, name, &Frame::anchor) != frames_.end();
      return fail(JsonProblemCode::kSyntax,
                  offset,
                  is_open ? format("Alias inside the value it names: *{}", name)
                          : format("Alias of an unknown anchor: *{}", name));
    }
    const auto [value, height] = found->second;
    if (is_key_next()) {
      return fail(JsonProblemCode::kSyntax, offset, "A key must be written out, not be an alias");
    }
    if (YamlDone done = make_room(count_values(value), height, offset); !done) return done;
    builder_.repeat(value, offset);
    finish_value(height);
    return {};
  }

  YamlDone take_scalar(const yaml_event_t& event, std::uint32_t offset) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (scalar.tag != nullptr) return fail_tag(offset);
    if (text.size() > limits_.string_bytes_max) {
      return fail(JsonProblemCode::kTooLarge,
                  offset,
                  format("String longer than {} bytes", limits_.string_bytes_max));
    }
    if (is_key_next()) {
      if (scalar.anchor != nullptr) {
        return fail(JsonProblemCode::kSyntax, offset, "A key cannot have an anchor");
      }
      builder_.key(text, offset);
      frames_.back().expects_key = false;
      return {};
    }
    if (frames_.empty()) {
      return fail(JsonProblemCode::kSyntax, offset, "The document must be a mapping or a sequence");
    }
    if (YamlDone done = make_room(1, 0, offset); !done) return done;
    const auto index = builder_.value_count();
    if (YamlDone done = add_scalar(text, scalar.style, offset); !done) return done;
    if (scalar.anchor != nullptr) {
      remember(std::string(view(scalar.anchor)), builder_.value_at(index), 0);
    }
    finish_value(0);
    return {};
  }

  YamlDone add_scalar(std::string_view text, yaml_scalar_style_t style, std::uint32_t offset) {
    if (style != YAML_PLAIN_SCALAR_STYLE) {
      builder_.string(text, offset);
      return {};
    }
    const YamlScalar value = read_yaml_scalar(text);
    if (std::holds_alternative<YamlNumberRange>(value)) {
      return fail(JsonProblemCode::kNumberRange,
                  offset,
                  format("Number out of range: {}", text.substr(0, kQuotedMax)));
    }
    if (std::holds_alternative<std::monostate>(value)) builder_.null(offset);
    if (const auto* flag = std::get_if<bool>(&value)) builder_.boolean(*flag, offset);
    if (const auto* number = std::get_if<std::int64_t>(&value)) builder_.integer(*number, offset);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) builder_.natural(*number, offset);
    if (const auto* number = std::get_if<double>(&value)) builder_.number(*number, offset);
    if (const auto* word = std::get_if<std::string_view>(&value)) builder_.string(*word, offset);
    return {};
  }

  /// Checks that so many values, nested that deep, may be added here.
  YamlDone make_room(std::size_t count, std::size_t height, std::uint32_t offset) {
    if (builder_.value_count() + count > limits_.value_count_max) {
      return fail(JsonProblemCode::kTooLarge,
                  offset,
                  format("More than {} values, aliases written out", limits_.value_count_max));
    }
    if (frames_.size() + height > limits_.depth_max) {
      return fail(JsonProblemCode::kTooDeep,
                  offset,
                  format("Nested deeper than {} levels", limits_.depth_max));
    }
    return {};
  }

  static std::size_t count_values(JsonValue value) { return value.end_index() - value.index(); }

  void remember(const std::string& name, JsonValue value, std::uint32_t height) {
    anchors_.insert_or_assign(name, Anchor{.value = value, .height = height});
  }

  void finish_value(std::uint32_t height) {
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    frame.height = std::max(frame.height, height + 1);
    frame.expects_key = frame.is_object;
  }

  [[nodiscard]] bool is_key_next() const { return !frames_.empty() && frames_.back().expects_key; }

  [[nodiscard]] YamlDone fail_tag(std::uint32_t offset) const {
    return fail(JsonProblemCode::kSyntax, offset, "Tags are not allowed");
  }

  [[nodiscard]] YamlDone fail_syntax(const yaml_parser_t& parser) const {
    const char* problem = parser.problem == nullptr ? "out of memory" : parser.problem;
    if (parser.error == YAML_READER_ERROR) {
      return fail(JsonProblemCode::kSyntax,
                  parser.problem_offset + mark_characters_ * kByteOrderMark.size(),
                  format("Not valid YAML: {}", problem));
    }
    const std::string context =
        parser.context == nullptr ? std::string() : format(" ({})", parser.context);
    return fail(JsonProblemCode::kSyntax,
                byte_of(parser.problem_mark),
                format("Not valid YAML: {}{}", problem, context));
  }

  [[nodiscard]] YamlDone fail(JsonProblemCode code, std::size_t offset, std::string message) const {
    return std::unexpected(
        JsonProblem{.code = code, .place = locate(text_, offset), .message = std::move(message)});
  }

  [[nodiscard]] std::uint32_t byte_of(const yaml_mark_t& mark) const {
    return offsets_.byte(mark.index + mark_characters_);
  }

  static constexpr std::size_t kQuotedMax = 80;
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

  std::string_view text_;
  const JsonLimits& limits_;
  JsonBuilder builder_;
  CharacterOffsets offsets_;
  std::size_t mark_characters_ = 0;  // that the parser does not see
  std::vector<Frame> frames_;
  std::map<std::string, Anchor, std::less<>> anchors_;
  std::size_t document_count_ = 0;
};

}  // namespace

std::expected<JsonDocument, JsonProblem> read_yaml(std::string_view text,
                                                   const JsonLimits& limits) {
  JsonDocument document;
  if (YamlDone done = YamlBuilder(text, limits, document).read(); !done) {
    return std::unexpected(std::move(done.error()));
  }
  return document;
}

}  // namespace millrace::base
