#pragma once

#include "graph/format/field_visitor.h"
#include "graph/format/spec.h"

// The fields of the format: one function per section, which shows each field of a struct to a
// visitor with its name, its rule and, in the struct, its default.

namespace millrace::graph {

void visit_root(FieldVisitor& visitor, GraphSpec& spec);
void visit_lane(FieldVisitor& visitor, LaneSpec& spec);
void visit_component(FieldVisitor& visitor, ComponentSpec& spec);
void visit_edge(FieldVisitor& visitor, EdgeSpec& spec);
void visit_composite_loop(FieldVisitor& visitor, CompositeLoopSpec& spec);
void visit_subgraph(FieldVisitor& visitor, SubgraphSpec& spec);
void visit_template_instance(FieldVisitor& visitor, TemplateInstanceSpec& spec);

}  // namespace millrace::graph
