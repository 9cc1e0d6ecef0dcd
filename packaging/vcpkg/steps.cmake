# cmake -DPREFIX=… -DWORK=… -P steps.cmake
# Runs the port with stand-ins for vcpkg's functions, which do the release part of what those do, so that a machine
# without vcpkg tries its steps: configure, install below PREFIX, move the CMake package to share/, copy the licence.
cmake_minimum_required(VERSION 3.25)
set(PORT gpupar)
set(CURRENT_PORT_DIR ${CMAKE_CURRENT_LIST_DIR}/${PORT})
set(CURRENT_PACKAGES_DIR ${PREFIX})
file(READ ${CURRENT_PORT_DIR}/vcpkg.json manifest)
string(JSON port_version GET "${manifest}" version)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../CMakeLists.txt project)
if(NOT project MATCHES "\n  VERSION ${port_version}\n")
  message(FATAL_ERROR "vcpkg.json has version ${port_version}, and CMakeLists.txt another")
endif()

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN}:\n${text}")
  endif()
endfunction()

# Without the feature, what asks for it is off.
function(vcpkg_check_features)
  cmake_parse_arguments(arg "" OUT_FEATURE_OPTIONS FEATURES ${ARGN})
  list(GET arg_FEATURES 0 feature)
  list(GET arg_FEATURES 1 option)
  string(JSON described GET "${manifest}" features ${feature} description)
  set(${arg_OUT_FEATURE_OPTIONS} -D${option}=OFF PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" SOURCE_PATH OPTIONS ${ARGN})
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK} -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_INSTALL_PREFIX=${PREFIX} -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${WORK} --target install)
endfunction()

# As vcpkg's: the files move two folders down from the prefix instead of three, and the prefix they compute with them.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" CONFIG_PATH "" ${ARGN})
  set(from ${PREFIX}/${arg_CONFIG_PATH})
  if(NOT EXISTS ${from}/gpuparConfig.cmake)
    message(FATAL_ERROR "there is no CMake package in ${arg_CONFIG_PATH}")
  endif()
  file(GLOB files ${from}/*)
  file(COPY ${files} DESTINATION ${PREFIX}/share/${PORT})
  file(REMOVE_RECURSE ${from})
  file(GLOB files ${PREFIX}/share/${PORT}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REPLACE "/../../../" "/../../" text "${text}")
    string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX \"\\\${CMAKE_CURRENT_LIST_FILE}\" PATH\\)\n)get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)\n" "\\1" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS ${PREFIX}/lib/pkgconfig/gpupar.pc)
    message(FATAL_ERROR "there is no lib/pkgconfig/gpupar.pc")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" FILE_LIST ${ARGN})
  file(INSTALL ${arg_FILE_LIST} DESTINATION ${PREFIX}/share/${PORT} RENAME copyright)
endfunction()

file(REMOVE_RECURSE ${PREFIX})
include(${CURRENT_PORT_DIR}/portfile.cmake)
