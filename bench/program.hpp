// The benchmark program without its contenders.
#pragma once

namespace bench {

/// --extent=quick|full|host, --contenders=a,b and Google Benchmark's options. Returns the exit status: 0, or 1 if the
/// result of a case was wrong, a case failed, or the options make no sense.
int run_program(int argument_count, char** arguments);

}  // namespace bench
