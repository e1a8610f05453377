// Compares ids of two kinds.

#include "base/strong_id.h"

struct NodeTag;
struct EdgeTag;

int main() {
  return millrace::base::StrongId<NodeTag>(1) == millrace::base::StrongId<EdgeTag>(1) ? 0 : 1;
}
