#include "plan/passes/passes.h"

namespace millrace::plan {

void run_passes(CompiledPlan& plan, const PassContext& context) {
  const CompileOptions& options = context.options;
  const bool may_fuse = !options.for_explain;
  if (options.remove_dead_nodes) {
    remove_dead_nodes(plan);
  } else if (options.for_explain) {
    mark_unused_nodes(plan);
  } else {
    excuse_dead_nodes(plan);
  }
  if (options.prune_columns) remove_unread_columns(plan, context);
  if (options.merge_fetches && may_fuse) merge_equal_nodes(plan);
  if (options.merge_filters && may_fuse) merge_filters(plan, context);
  if (options.use_top_k && may_fuse) use_top_k(plan, context);
  assign_columns(plan, context);
  note_strands(plan, context);
}

}  // namespace millrace::plan
