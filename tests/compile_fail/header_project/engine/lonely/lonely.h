#pragma once

inline std::string greeting() { return "hello"; }
