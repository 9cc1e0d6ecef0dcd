# Every header must compile by itself: .hpp with every host compiler found, .cuh with nvcc.
# A header is compiled right after one that it includes, directly or not, and that one after one of its own: nothing
# stands before it but what it includes anyway, and most of that is read once instead of once per header. There is a
# stamp for each such chain and compiler, so that only what has changed is checked again. The chains are those of the
# last time that CMake ran.
set(header_root ${PROJECT_SOURCE_DIR}/include)
set(check_root ${CMAKE_CURRENT_BINARY_DIR}/headers)
set(header_stamps "")
foreach(extension cpp cu)
  if(NOT EXISTS ${check_root}/empty.${extension})
    file(WRITE ${check_root}/empty.${extension} "")
  endif()
endforeach()

# Sets `all` to the headers that a header includes, by whatever way.
function(gpupar_included header all)
  get_property(known GLOBAL PROPERTY gpupar_included_${header} SET)
  if(NOT known)
    get_filename_component(folder ${header} DIRECTORY)
    file(STRINGS ${header_root}/${header} lines REGEX "^#include \"")
    set(found "")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "${folder}/\\1" included "${line}")
      cmake_path(NORMAL_PATH included)
      gpupar_included(${included} others)
      list(APPEND found ${included} ${others})
    endforeach()
    list(REMOVE_DUPLICATES found)
    set_property(GLOBAL PROPERTY gpupar_included_${header} "${found}")
  endif()
  get_property(found GLOBAL PROPERTY gpupar_included_${header})
  set(${all} "${found}" PARENT_SCOPE)
endfunction()

# Sets `chains` to the last headers of chains that hold each of these headers once, and before_<header> to the one
# before a header in its chain: of those that it includes, the one that includes most and that no other header has
# taken. Headers that include little choose first, which gives fewest chains.
macro(gpupar_header_chains chains)
  set(by_size "")
  foreach(header ${ARGN})
    gpupar_included(${header} included_${header})
    list(LENGTH included_${header} size)
    math(EXPR size_${header} "${size} + 1000")  # of as many digits each
    list(APPEND by_size ${size_${header}}:${header})
    set(free_${header} ON)
  endforeach()
  list(SORT by_size)
  list(TRANSFORM by_size REPLACE "^[0-9]+:" "")
  set(${chains} ${ARGN})
  foreach(header IN LISTS by_size)
    set(before_${header} "")
    set(most 0)
    foreach(earlier IN LISTS included_${header})
      if(free_${earlier} AND size_${earlier} GREATER most)
        set(before_${header} ${earlier})
        set(most ${size_${earlier}})
      endif()
    endforeach()
    set(free_${before_${header}} OFF)
    list(REMOVE_ITEM ${chains} "${before_${header}}")
  endforeach()
  foreach(header ${ARGN})
    unset(free_${header})
  endforeach()
endmacro()

# The remaining arguments are the compiler's options, the empty source among them.
function(gpupar_check_chain last compiler)
  get_filename_component(compiler_name ${compiler} NAME)
  set(stamp ${check_root}/${compiler_name}/${last})
  get_filename_component(folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  set(includes "")
  set(header ${last})
  while(header)
    list(PREPEND includes -include ${header})
    set(header ${before_${header}})
  endwhile()
  set(dependencies -MD -MF ${stamp}.d -MT ${stamp}.ok)
  if(compiler STREQUAL CMAKE_CUDA_COMPILER)  # its own -MD is one more run of the preprocessor
    list(TRANSFORM dependencies PREPEND -Xcompiler=)
  endif()
  add_custom_command(OUTPUT ${stamp}.ok
    COMMAND ${compiler} -std=c++20 -I${header_root} ${includes} ${dependencies} ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}.ok
    DEPENDS ${header_root}/${last}
    DEPFILE ${stamp}.d
    COMMENT "Checking ${last} by itself with ${compiler_name}"
    VERBATIM)
  set(header_stamps ${header_stamps} ${stamp}.ok PARENT_SCOPE)
endfunction()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(other_compiler clang++)
else()
  set(other_compiler g++)
endif()
find_program(GPUPAR_OTHER_COMPILER ${other_compiler} DOC "A second host compiler for the header checks")
mark_as_advanced(GPUPAR_OTHER_COMPILER)

# Those who include the headers may ask for more warnings than we do of ourselves.
set(header_options ${gpupar_warning_options} -Wpedantic -Wshadow -fsyntax-only ${check_root}/empty.cpp)
file(GLOB_RECURSE plain_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.hpp)
# Those of engines need theirs.
set(engine_headers gpu/mpi.hpp gpu/nccl.hpp)
list(REMOVE_ITEM plain_headers ${engine_headers})
gpupar_header_chains(chains ${plain_headers})
foreach(header IN LISTS chains)
  gpupar_check_chain(${header} ${CMAKE_CXX_COMPILER} ${header_options})
endforeach()

# The other compiler reads the public headers, which include the rest.
if(GPUPAR_OTHER_COMPILER)
  file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/gpu/*.hpp)
  list(REMOVE_ITEM public_headers ${engine_headers})
  gpupar_header_chains(chains ${public_headers})
  foreach(header IN LISTS chains)
    gpupar_check_chain(${header} ${GPUPAR_OTHER_COMPILER} ${header_options})
  endforeach()
endif()

if(GPUPAR_WITH_CUDA)
  file(GLOB_RECURSE device_headers CONFIGURE_DEPENDS RELATIVE ${header_root} ${header_root}/*.cuh)
  gpupar_header_chains(chains ${device_headers})
  foreach(header IN LISTS chains)
    gpupar_check_chain(${header} ${CMAKE_CUDA_COMPILER} -ptx -o ${check_root}/discarded.ptx ${check_root}/empty.cu)
  endforeach()
endif()

add_custom_target(header_checks ALL DEPENDS ${header_stamps})
