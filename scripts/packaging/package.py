# SPDX-License-Identifier: Apache-2.0
"""Spack recipe: copy to packages/collcast/package.py of a repository of yours, and set `git` to where the source is."""

from spack.package import *


class Collcast(CMakePackage):
    """Forecasts how long collective communication takes, and what it does to an application."""

    git = "file:///path/to/collcast"
    version("main", branch="main")

    variant("mpi", default=True, description="play schedules on MPI, record applications")
    variant("simgrid", default=True, description="the SimGrid engine")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost")
    depends_on("bzip2")
    depends_on("cli11@2:")
    depends_on("eigen@3.4:")
    depends_on("jemalloc")
    depends_on("nlohmann-json@3.11:")
    depends_on("otf2")
    depends_on("pugixml")
    depends_on("simdjson")
    depends_on("sqlite@3")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("simgrid", when="+simgrid")

    def cmake_args(self):
        return [
            self.define("COLLCAST_TESTS", False),
            self.define("COLLCAST_BENCH", False),
            self.define("COLLCAST_PYTHON", False),
            self.define_from_variant("COLLCAST_MPI", "mpi"),
            self.define_from_variant("COLLCAST_SIMGRID", "simgrid"),
        ]
