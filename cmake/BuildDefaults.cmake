# What holds for every target of this project when it is built by itself; inside another project only the functions.

option(GPUPAR_WARNINGS_AS_ERRORS "Treat the host compiler's warnings as errors" OFF)
set(gpupar_warning_options -Wall -Wextra -Wconversion -Wno-sign-conversion)
if(GPUPAR_WARNINGS_AS_ERRORS)
  list(APPEND gpupar_warning_options -Werror)
endif()

# Warnings for a target of ours; not part of its interface.
function(gpupar_warnings target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:${gpupar_warning_options}>"
    $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=-Wall,-Wextra>)
endfunction()

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(multi_config OR CMAKE_BUILD_TYPE)
  set(has_build_type ON)
else()
  set(has_build_type OFF)
endif()

# The library is never without optimisation unless someone asks for it: a build type by name, or -O in the flags.
set(gpupar_optimisation_options "")
if(NOT has_build_type AND NOT PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
  set(gpupar_optimisation_options -O3 -DNDEBUG)
  message(STATUS "gpupar: there is no CMAKE_BUILD_TYPE; the library is optimised all the same")
endif()
# Where tests are compiled in a hurry (preset "ci"), the library on the host is what it is elsewhere, with its warnings.
if(GPUPAR_TEST_UNITY)
  list(APPEND gpupar_optimisation_options $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O3>)
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(NOT has_build_type)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# g++ takes a fifteenth of its time for tests to collect garbage, unless each of its processes may keep some.
if(GPUPAR_BUILD_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR megabytes "${megabytes} / ${cores}")
  if(megabytes GREATER 3000)
    set(heap --param=ggc-min-heapsize=1500000)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${heap}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${heap}>)
  endif()
endif()

find_program(GPUPAR_CCACHE ccache DOC "Compiler cache, used when present")
mark_as_advanced(GPUPAR_CCACHE)
if(GPUPAR_CCACHE)
  foreach(language CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${GPUPAR_CCACHE})
    endif()
  endforeach()
endif()
