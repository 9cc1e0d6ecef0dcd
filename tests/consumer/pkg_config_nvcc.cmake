# cmake -DNVCC=… -DPKG_CONFIG=… -DPREFIX=… -DROOT=… -P pkg_config_nvcc.cmake
# nvcc alone with what pkg-config says makes a program of a plain source.
cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE description ${PREFIX}/gpupar.pc)
cmake_path(GET description PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs gpupar OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
file(MAKE_DIRECTORY ${ROOT})
execute_process(COMMAND ${NVCC} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/main.cpp -o ${ROOT}/by_nvcc ${flags}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${ROOT}/by_nvcc COMMAND_ERROR_IS_FATAL ANY)
