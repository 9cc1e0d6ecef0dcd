#include "program.hpp"

int main(int argument_count, char** arguments) { return bench::run_program(argument_count, arguments); }
