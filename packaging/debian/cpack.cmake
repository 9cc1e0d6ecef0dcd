# Debian packages by CPack, of a build with -DGPUPAR_DEBIAN=ON and the shared library: libgpupar0 and libgpupar-dev for
# the host backend, libgpupar-cuda0 and libgpupar-cuda-dev for both, which take the place of the former.
if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "GPUPAR_DEBIAN needs BUILD_SHARED_LIBS=ON")
endif()

set(CPACK_PACKAGE_CONTACT "gpupar maintainers <maintainers@gpupar.example>")
set(deb_revision 1)
set(deb_version ${PROJECT_VERSION}-${deb_revision})
set(deb_runtime libgpupar${GPUPAR_ABI})
set(deb_development libgpupar-dev)
set(deb_backends "The algorithms run on all cores of the CPU.")
if(GPUPAR_WITH_CUDA)
  foreach(package runtime development)
    set(replaced ${deb_${package}})
    string(REPLACE libgpupar libgpupar-cuda deb_${package} ${replaced})
    string(TOUPPER ${package} component)
    set(CPACK_DEBIAN_${component}_PACKAGE_PROVIDES "${replaced} (= ${deb_version})")
    set(CPACK_DEBIAN_${component}_PACKAGE_CONFLICTS ${replaced})
    set(CPACK_DEBIAN_${component}_PACKAGE_REPLACES ${replaced})
  endforeach()
  set(deb_backends "The algorithms run on CUDA GPUs and on all cores of the CPU. The CUDA runtime\n\
is part of the library: without a driver it uses the CPU.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cuda-nvcc-13-0 | nvidia-cuda-toolkit")
endif()

# Copyright and changelogs, as Debian wants them beside each package.
find_program(GZIP gzip REQUIRED)
mark_as_advanced(GZIP)
set(deb_folder ${PROJECT_BINARY_DIR}/debian)
file(TIMESTAMP ${PROJECT_SOURCE_DIR}/CHANGELOG.md deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${deb_folder}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${deb_folder}/changelog COPYONLY)
foreach(name changelog changelog.Debian)
  execute_process(COMMAND ${GZIP} -9nkf ${deb_folder}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(component runtime development)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${deb_folder}/changelog.gz ${deb_folder}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${deb_${component}} COMPONENT ${component})
endforeach()

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "parallel sorting and merging in C++")
set(deb_about "gpupar gives the sorting and merging algorithms of the C++ standard library an
execution policy: gpu::sort(gpu::par, range) and its like.
${deb_backends}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpupar)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${deb_revision})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/ldconfig.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${deb_runtime})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${deb_about}\n\nThis package holds the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${deb_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${deb_runtime} (= ${deb_version})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${deb_about}\n\nThis package holds the headers, and what CMake and pkg-config ask for.")
include(CPack)
