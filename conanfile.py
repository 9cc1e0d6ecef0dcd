"""Conan 2: `conan create .` for the host backend, with -o "&:cuda=True" for both (needs nvcc)."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt


class Gpupar(ConanFile):
    name = "gpupar"
    description = "Sorting and merging with an STL-style execution policy, on GPUs and on all CPU cores"
    license = "Apache-2.0"
    topics = ("sort", "merge", "gpu", "cuda", "parallel")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "cuda": [True, False], "tbb": ["system", "conan"]}
    default_options = {"shared": False, "fPIC": True, "cuda": False, "tbb": "system"}
    implements = ["auto_shared_fpic"]
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"
    test_package_folder = "packaging/conan/test_package"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"\n  VERSION (\S+)", text)[1]

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("gpupar needs Linux")

    def requirements(self):
        if self.options.tbb == "conan":
            self.requires("onetbb/[>=2021.4 <2023]")

    def system_requirements(self):
        if self.options.tbb == "system":
            Apt(self).install(["libtbb-dev"])

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["GPUPAR_CUDA"] = "ON" if self.options.cuda else "OFF"
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"GPUPAR_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        """Consumers read the CMake package that gpupar installs itself, which knows gpupar::gpupar and gpupar::cuda."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "gpupar")]
        self.cpp_info.libs = ["gpupar"]
        self.cpp_info.system_libs = ["pthread", "dl", "rt"]
        if not self.options.shared and self.options.tbb == "system":
            self.cpp_info.system_libs.append("tbb")
