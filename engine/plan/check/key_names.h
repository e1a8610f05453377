#pragma once

#include <optional>
#include <string_view>

#include "base/formats/document_reporter.h"
#include "plan/check/draft.h"
#include "plan/compiled_plan.h"
#include "plan/registry/registry.h"
#include "plan/task_catalog.h"

namespace millrace::plan {

/// Gives the prefix of the hashes that the task of a node fetches keys from, as `user` of
/// `user:{user_id}`; nothing if it is not known.
[[nodiscard]] std::optional<std::string_view> hash_prefix(const CompiledNode& node);

/// Says whether hashes with this prefix may have the key.
[[nodiscard]] bool belongs_to(const FieldInfo& key, std::string_view prefix);

/// Gives the key of this name; reports one that is not registered or is blocked, and gives nullptr.
const FieldInfo* check_key(std::string_view name,
                           const base::ValuePlace& where,
                           const CheckContext& context);

/// The same for a key that the plan writes; reports one that plans may not write,
/// too.
const FieldInfo* check_writable(std::string_view name,
                                const base::ValuePlace& where,
                                const CheckContext& context);

/// A param of a task, for messages.
struct NamedParam {
  const TaskSpec& task;
  const ParamSpec& spec;
};

/// Says whether a param takes a key of this type; reports one that it does not take.
bool check_key_type(const FieldInfo& key,
                    const NamedParam& param,
                    const base::ValuePlace& where,
                    const CheckContext& context);

}  // namespace millrace::plan
