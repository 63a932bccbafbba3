"""Puts peers in the cache: virtual environments from the Python index, files of Debian packages unpacked."""
import os
import subprocess
import sys
import tempfile


def call(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    return None if done.returncode == 0 else (done.stderr.strip().split("\n") or [""])[-1]


def install_packages(name, packages, folder, say):
    place = os.path.join(folder, name)
    mark = os.path.join(place, "done")
    if os.path.exists(mark):
        return None
    say(f"installing {', '.join(packages)}")
    why = call([sys.executable, "-m", "venv", place]) or call(
        [os.path.join(place, "bin", "python"), "-m", "pip", "install", "-q", "--no-cache-dir", "--disable-pip-version-check", *packages])
    if why is None:
        open(mark, "w").close()
    return why


def install_debian(packages, folder, say):
    place = os.path.join(folder, "debian")
    marks = [os.path.join(place, package + ".done") for package in packages]
    if all(map(os.path.exists, marks)):
        return None
    say(f"unpacking {', '.join(packages)}")
    os.makedirs(place, exist_ok=True)
    with tempfile.TemporaryDirectory() as downloads:
        why = call(["apt-get", "download", *packages], cwd=downloads)
        for file in sorted(os.listdir(downloads)):
            why = why or call(["dpkg", "-x", os.path.join(downloads, file), place])
    if why is None:
        for mark in marks:
            open(mark, "w").close()
    return why


def install(modules, folder, say):
    for name, module in modules.items():
        why = None
        if module.PACKAGES:
            why = install_packages(module.VENV, module.PACKAGES, folder, say)
        if module.DEBIAN:
            why = why or install_debian(module.DEBIAN, folder, say)
        if why:
            say(f"  {name} is not to be had: {why}")
