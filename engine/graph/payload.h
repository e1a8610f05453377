#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/formats/json_document.h"
#include "base/result.h"

namespace millrace::graph {

enum class PayloadKind : std::uint8_t { kNull, kBool, kInt, kFloat, kText, kArray, kObject };

struct PayloadMember;

/// Nesting that components may produce.
inline constexpr std::uint32_t kPayloadDepthMax = 64;

/// The value of a message: any JSON value in 16 bytes. Null, booleans and numbers are held inline;
/// text, arrays and objects are immutable and shared by a count of references.
/// Threading: a payload belongs to one thread at a time; copies may live on different threads.
class Payload {
 public:
  Payload() = default;
  explicit Payload(bool flag) : kind_(PayloadKind::kBool) { data_.flag = flag; }
  explicit Payload(std::int64_t integer) : kind_(PayloadKind::kInt) { data_.integer = integer; }
  explicit Payload(double number) : kind_(PayloadKind::kFloat) { data_.number = number; }
  explicit Payload(std::string text);
  Payload(const Payload& other) : kind_(other.kind_), data_(other.data_) {
    if (is_shared()) retain();
  }
  Payload(Payload&& other) noexcept : kind_(other.kind_), data_(other.data_) {
    other.kind_ = PayloadKind::kNull;
  }
  Payload& operator=(const Payload& other) {
    if (this != &other) *this = Payload(other);
    return *this;
  }
  Payload& operator=(Payload&& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Payload() {
    if (is_shared()) release();
  }

  [[nodiscard]] static Payload array(std::vector<Payload> items);
  /// Members keep their order; their names must differ.
  [[nodiscard]] static Payload object(std::vector<PayloadMember> members);
  /// Copies a value of a document. Integers above int64 become floats.
  [[nodiscard]] static Payload from_json(const base::JsonValue& value);
  /// Reads one JSON value of any kind.
  [[nodiscard]] static base::Result<Payload> parse(std::string_view json_text);

  /// Becomes null.
  void clear() {
    if (is_shared()) [[unlikely]]
      release();
    kind_ = PayloadKind::kNull;
  }

  [[nodiscard]] PayloadKind kind() const { return kind_; }
  [[nodiscard]] bool is_number() const {
    return kind_ == PayloadKind::kInt || kind_ == PayloadKind::kFloat;
  }
  [[nodiscard]] std::optional<bool> find_bool() const;
  [[nodiscard]] std::optional<std::int64_t> find_int() const {
    return kind_ == PayloadKind::kInt ? std::optional(data_.integer) : std::nullopt;
  }
  /// Any number.
  [[nodiscard]] std::optional<double> find_number() const;
  [[nodiscard]] std::optional<std::string_view> find_text() const;
  /// Items of an array; empty for anything else.
  [[nodiscard]] std::span<const Payload> items() const;
  /// Members of an object; empty for anything else.
  [[nodiscard]] std::span<const PayloadMember> members() const;
  /// A member of an object, or nullptr.
  [[nodiscard]] const Payload* find_member(std::string_view name) const;

  /// How many arrays and objects are inside each other: 0 for a scalar. Whoever builds values out
  /// of values keeps it below `kPayloadDepthMax`, because they are written and deleted recursively.
  [[nodiscard]] std::uint32_t depth() const;

  /// Gives compact JSON. Numbers are written as `base::JsonWriter` does.
  [[nodiscard]] std::string to_json() const;
  void append_json(std::string& out) const;

  /// Equal kind and value; an integer never equals a float.
  friend bool operator==(const Payload& left, const Payload& right);

 private:
  struct Shared;
  union Data {
    std::int64_t integer;
    double number;
    bool flag;
    Shared* shared;
  };

  Payload(PayloadKind kind, Shared* shared) : kind_(kind) { data_.shared = shared; }
  [[nodiscard]] bool is_shared() const { return kind_ >= PayloadKind::kText; }
  void retain() const;
  void release();

  PayloadKind kind_ = PayloadKind::kNull;
  Data data_{.integer = 0};
};

static_assert(sizeof(Payload) == 16);

struct PayloadMember {
  std::string name;
  Payload value;
};

}  // namespace millrace::graph
