#pragma once

#include "plan/check/columns.h"
#include "plan/compile_options.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"

// Passes make a plan cheaper without changing its answer. Each pass has a file of its own, expects
// producers before consumers and keeps that order, and adds to `CompiledPlan::passes` what it did.

namespace millrace::plan {

/// What the passes use besides the plan.
/// Lifetime: borrows all of it.
struct PassContext {
  const ColumnAnalysis& analysis;
  const TaskCatalog& catalog;
  const CompileOptions& options;
};

/// Runs the passes that the options ask for, and fills in the columns of every node.
void run_passes(CompiledPlan& plan, const PassContext& context);

/// Removes nodes that no output needs.
void remove_dead_nodes(CompiledPlan& plan);

/// Lets them stay, but a request never fails for them, and its answer does not tell of them: it is
/// the same as without them.
void excuse_dead_nodes(CompiledPlan& plan);

/// Removes them too, but for those that fetch rows and what these need: they are marked as unused,
/// so that an explanation can say that an id was fetched for nothing.
void mark_unused_nodes(CompiledPlan& plan);

/// Removes nodes whose only effect is to add columns that nothing reads, such as a `vm` that writes
/// an unread key.
void remove_unread_columns(CompiledPlan& plan, const PassContext& context);

/// Replaces nodes that have the same task, params and inputs by one of them.
void merge_equal_nodes(CompiledPlan& plan);

/// Replaces two filters that follow each other by one with `(a) and (b)`. Only if the second cannot
/// have a row error, because it is now also evaluated for rows that the first one drops.
void merge_filters(CompiledPlan& plan, const PassContext& context);

/// Replaces a `sort` that only a `take` reads, and that `take`, by `top_k` if the catalog has it.
void use_top_k(CompiledPlan& plan, const PassContext& context);

/// Sets `fetched_keys`, `taken_columns` and `columns` of every node. With `prune_columns` off, all
/// columns count as read.
void assign_columns(CompiledPlan& plan, const PassContext& context);

/// Notes, for `explain` only, which chains of CPU nodes the scheduler will run as one strand and
/// which fetches it will send as one batch. Changes nothing.
void note_strands(CompiledPlan& plan, const PassContext& context);

}  // namespace millrace::plan
