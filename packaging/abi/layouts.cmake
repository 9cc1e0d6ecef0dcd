# cmake -DPROGRAM=… -P layouts.cmake: PROGRAM, made of layouts.cpp, prints what layouts.txt says.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
file(READ ${CMAKE_CURRENT_LIST_DIR}/layouts.txt promised)
if(NOT found STREQUAL promised)
  message(FATAL_ERROR "Types that cross between programs and the library are laid out otherwise than when the programs "
    "were compiled. Then:\n${promised}\nnow:\n${found}\n"
    "Bring it back, or raise GPUPAR_ABI in CMakeLists.txt and run packaging/abi/update: docs/compatibility.md")
endif()
