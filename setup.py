"""Has CMake build the extension inlay._inlay: `pip install --no-build-isolation .`

It is built from nothing below build/ of the sources, with ccache where that is installed; INLAY_BUILD=DIR
takes it from a folder that CMake has configured already, such as build/release."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent


def version():
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(inlay VERSION ([\d.]+)", text)[1]


class CMakeBuild(build_ext):
    """The files that Python sources are not made of: the extension and the type stub."""

    def build_extension(self, ext):
        build = os.environ.get("INLAY_BUILD")
        if not build:
            build = str(pathlib.Path(self.build_temp).resolve() / "cmake")
            subprocess.run(["cmake", "-S", str(SOURCE), "-B", build, "-G", "Ninja",
                            "-D", "CMAKE_BUILD_TYPE=Release", "-D", "INLAY_SHARED=ON", "-D", "BUILD_TESTING=OFF",
                            "-D", f"Python3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "inlay_python_package"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        built = pathlib.Path(build) / "python" / "inlay"
        module, = built.glob("_inlay.*.so")
        shutil.copy(module, target)
        shutil.copy(built / "__init__.pyi", target.parent)


setup(version=version(), packages=["inlay"], package_dir={"inlay": "src/python/inlay"},
      package_data={"inlay": ["py.typed", "*.pyi"]}, ext_modules=[Extension("inlay._inlay", [])],
      cmdclass={"build_ext": CMakeBuild})
