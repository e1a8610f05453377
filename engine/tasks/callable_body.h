#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "loop/task.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "tasks/params_description.h"
#include "tasks/task.h"
#include "tasks/task_context.h"

// Turns a plain function into a body: its parameters determine which inputs and params the task
// has.

namespace millrace::tasks::internal {

template <class Callable>
struct SignatureOf : SignatureOf<decltype(&Callable::operator())> {};
template <class Returned, class... Args>
struct SignatureOf<Returned (*)(Args...)> {
  using Return = Returned;
  using Arguments = std::tuple<Args...>;
};
template <class Returned, class Class, class... Args>
struct SignatureOf<Returned (Class::*)(Args...) const> : SignatureOf<Returned (*)(Args...)> {};

enum class Role : std::uint8_t { kInput, kOptionalInput, kRest, kParams, kContext, kNone };

template <class Argument>
constexpr Role role_of() {
  using Bare = std::remove_cvref_t<Argument>;
  if constexpr (std::is_same_v<Bare, rows::RowSet>) {
    return Role::kInput;
  } else if constexpr (std::is_same_v<Bare, std::optional<rows::RowSet>>) {
    return Role::kOptionalInput;
  } else if constexpr (std::is_same_v<Bare, std::span<const rows::RowSet>>) {
    return Role::kRest;
  } else if constexpr (std::is_same_v<Bare, TaskContext>) {
    return Role::kContext;
  } else if constexpr (DescribedParams<std::remove_cv_t<std::remove_pointer_t<Bare>>>) {
    return Role::kParams;
  } else {
    return Role::kNone;
  }
}

/// The parameters of a callable, counted and checked.
struct Shape {
  std::uint32_t input_count = 0;
  bool has_optional = false;  ///< one more input may be given
  bool has_rest = false;
  bool in_order = true;       ///< inputs, optional, rest, params, context; all but inputs once
  bool all_known = true;      ///< every parameter has a role
  bool by_reference = false;  ///< some parameter is a reference
};

template <class... Args>
constexpr Shape shape_of(std::tuple<Args...>*) {
  Shape shape;
  Role last = Role::kInput;
  const auto note = [&](Role role, bool reference) {
    shape.all_known = shape.all_known && role != Role::kNone;
    shape.in_order = shape.in_order && (role > last || (role == last && role == Role::kInput));
    shape.input_count += role == Role::kInput ? 1 : 0;
    shape.has_optional = shape.has_optional || role == Role::kOptionalInput;
    shape.has_rest = shape.has_rest || role == Role::kRest;
    shape.by_reference = shape.by_reference || reference;
    last = role;
  };
  (note(role_of<Args>(), std::is_reference_v<Args>), ...);
  return shape;
}

template <class... Args>
struct ParamsAmong {
  using Type = NoParams;
};
template <class First, class... Others>
struct ParamsAmong<First, Others...> {
  static auto pick() {
    if constexpr (role_of<First>() == Role::kParams) {
      return std::type_identity<
          std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<First>>>>{};
    } else {
      return std::type_identity<typename ParamsAmong<Others...>::Type>{};
    }
  }
  using Type = typename decltype(pick())::type;
};
template <class... Args>
struct ParamsAmong<std::tuple<Args...>> : ParamsAmong<Args...> {};

using SyncReturn = base::Result<rows::RowSet>;
using AsyncReturn = loop::Task<base::Result<rows::RowSet>>;

/// A body made of a callable.
template <class Callable>
class CallableBody final : public TaskBody {
  using Signature = SignatureOf<Callable>;
  using Arguments = typename Signature::Arguments;

 public:
  using Params = typename ParamsAmong<Arguments>::Type;
  static constexpr Shape kShape = shape_of(static_cast<Arguments*>(nullptr));
  static constexpr bool kAsync = std::is_same_v<typename Signature::Return, AsyncReturn>;

  static_assert(kAsync || std::is_same_v<typename Signature::Return, SyncReturn>,
                "a task returns base::Result<rows::RowSet>, or loop::Task of it when it is "
                "asynchronous");
  static_assert(kShape.all_known,
                "a task takes `const rows::RowSet&` for each input, `std::optional<rows::RowSet>` "
                "for one that may be left out, `std::span<const rows::RowSet>` for further ones, "
                "its params (a default-constructible struct with "
                "`static void describe(ParamsDescription<P>&)`) and `TaskContext&`; something else "
                "stands among its parameters");
  static_assert(kShape.in_order || !kShape.all_known,
                "the parameters of a task come in this order: inputs, further inputs, params, "
                "context; the last three at most once");
  static_assert(!kAsync || !kShape.by_reference,
                "a coroutine outlives its call: an asynchronous task takes `rows::RowSet`, `const "
                "P*` and `TaskContext`, no references");

  explicit CallableBody(Callable callable) : callable_(std::move(callable)) {
    Params::describe(description_);
  }

  [[nodiscard]] const ParamsDescription<Params>& description() const { return description_; }
  [[nodiscard]] bool is_async() const override { return kAsync; }

  [[nodiscard]] base::Result<std::shared_ptr<const void>> load_params(
      const plan::CompiledNode& node, const LoadContext& load) const override {
    MR_TRY(Params params, description_.load(node, load));
    return std::make_shared<const Params>(std::move(params));
  }

  [[nodiscard]] SyncReturn run(const TaskCall& call) const override {
    if constexpr (kAsync) {
      return TaskBody::run(call);
    } else {
      TaskContext context = call.context;
      const StopScope stop(context);
      return stop.end(invoke(call, context, static_cast<Arguments*>(nullptr)));
    }
  }
  [[nodiscard]] AsyncReturn run_async(TaskCall call) const override {
    if constexpr (kAsync) {
      TaskContext context = call.context;
      return invoke(call, context, static_cast<Arguments*>(nullptr));
    } else {
      return TaskBody::run_async(call);
    }
  }

 private:
  template <class... Args>
  auto invoke(const TaskCall& call, TaskContext& context, std::tuple<Args...>*) const {
    // Braces fix the order of evaluation, so that inputs are numbered from the left.
    std::size_t next_input = 0;
    std::tuple<Args...> arguments{argument<Args>(call, context, next_input)...};
    return std::apply(callable_, std::forward<std::tuple<Args...>>(arguments));
  }

  template <class Argument>
  static Argument argument(const TaskCall& call, TaskContext& context, std::size_t& next_input) {
    if constexpr (role_of<Argument>() == Role::kInput) {
      return call.inputs[next_input++];
    } else if constexpr (role_of<Argument>() == Role::kOptionalInput) {
      return next_input < call.inputs.size() ? Argument(call.inputs[next_input++]) : Argument();
    } else if constexpr (role_of<Argument>() == Role::kRest) {
      return call.inputs.subspan(next_input);
    } else if constexpr (role_of<Argument>() == Role::kContext) {
      return context;
    } else if constexpr (std::is_pointer_v<Argument>) {
      return static_cast<const Params*>(call.params);
    } else {
      return *static_cast<const Params*>(call.params);
    }
  }

  Callable callable_;
  ParamsDescription<Params> description_;
};

}  // namespace millrace::tasks::internal
