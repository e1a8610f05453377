// Drops an error on the floor.

#include "base/result.h"

int main() { millrace::base::fail(millrace::base::ErrorCode::kBusy, "Full"); }
