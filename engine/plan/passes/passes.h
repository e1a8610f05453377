#pragma once

#include "plan/check/columns.h"
#include "plan/compiled_plan.h"
#include "plan/task_catalog.h"

// What makes a plan cheaper without changing its answer. Each pass stands in a file of its own,
// takes a plan whose nodes are in order and leaves it so, and notes what it did.

namespace millrace::plan {

struct CompileOptions;

/// What the passes may look at.
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

/// Takes out nodes that only add columns nobody reads: `vm` into a key that is not read, `hydrate`
/// of nothing.
void remove_unread_columns(CompiledPlan& plan, const PassContext& context);

/// Makes one node of those with the same task, params and inputs.
void merge_equal_nodes(CompiledPlan& plan);

/// Makes one filter of two that follow each other: `(a) and (b)`. Only when the second can have no
/// row error, because it now sees rows that the first drops.
void merge_filters(CompiledPlan& plan, const PassContext& context);

/// Makes `top_k` of a `sort` that only a `take` uses, if the catalog has it.
void use_top_k(CompiledPlan& plan, const PassContext& context);

/// Sets fetched_keys, kept_columns and columns of every node; with `prune_columns` off, as if
/// everything were read.
void assign_columns(CompiledPlan& plan, const PassContext& context);

/// Notes the chains of CPU nodes that share one offload, and the nodes whose fetches leave as one
/// batch. Both happen when the plan runs; nothing changes here.
void note_strands(CompiledPlan& plan);

}  // namespace millrace::plan
