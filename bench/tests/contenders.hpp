// The contenders of the tests.
#pragma once

#include <chrono>

namespace bench {

/// What "std_par" takes longer than "std".
inline constexpr std::chrono::microseconds slowed_by{10'000};

}  // namespace bench
