# Writes HEADER with the commit of ROOT, if it changed.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${ROOT}
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
set(text "#pragma once\n\ninline constexpr const char* built_from_commit = \"${commit}\";\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
