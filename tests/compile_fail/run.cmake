# cmake -DCOMPILER=… -DSOURCE=… -DINCLUDE=… -P run.cmake
# SOURCE must compile with -DRIGHT, and without it fail with a diagnostic that holds the text of its first line,
# "// expect: text".
file(STRINGS ${SOURCE} first LIMIT_COUNT 1)
string(REGEX REPLACE "^// expect: " "" expected "${first}")
if(expected STREQUAL first)
  message(FATAL_ERROR "${SOURCE}: the first line must say what to expect")
endif()

set(command ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE})
execute_process(COMMAND ${command} -DRIGHT ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "${SOURCE}: the right variant does not compile:\n${text}")
endif()

execute_process(COMMAND ${command} ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT failed)
  message(FATAL_ERROR "${SOURCE}: compiles, although it must not")
endif()
string(FIND "${text}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${SOURCE}: the diagnostic does not hold \"${expected}\":\n${text}")
endif()
