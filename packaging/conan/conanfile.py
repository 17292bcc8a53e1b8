"""From a checkout: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.files import copy, load


class Gpuprim(ConanFile):
    name = "gpuprim"
    description = "GPU parallel primitives for any OpenCL device, in one C99 header"
    license = "MIT"
    topics = ("gpu", "opencl", "parallel", "scan", "sort", "header-only")
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"

    @property
    def _checkout(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._checkout, "gpuprim.h"))
        self.version = ".".join(re.findall(r"#define GP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        for name in ("gpuprim.h", "gpuprim.hpp", "gpuprim_host.h", "gpuprim_mpi.h", "LICENSE"):
            copy(self, name, self._checkout, self.export_sources_folder)

    def package(self):
        copy(self, "gpuprim*.h*", self.source_folder, os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os == "Macos":
            self.cpp_info.frameworks = ["OpenCL"]
        else:
            self.cpp_info.system_libs = ["OpenCL"]  # the system's headers and loader
