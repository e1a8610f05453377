// Ignores a result that may be an error.

#include "base/result.h"

int main() { millrace::base::fail(millrace::base::ErrorCode::kBusy, "Full"); }
