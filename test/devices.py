# Devices that execute on the CPU, common to the lit suite and the unit tests: kept away from the
# user's caches, and looked for once.
import json
import os
import subprocess


def prepare(config, build_dir, sanitized):
    """Sets the environment in which tests meet devices."""
    cache = os.path.join(build_dir, "test", "device-cache")
    config.environment["POCL_CACHE_DIR"] = os.path.join(cache, "pocl")
    config.environment["MESA_SHADER_CACHE_DIR"] = os.path.join(cache, "mesa")
    os.makedirs(config.environment["POCL_CACHE_DIR"], exist_ok=True)
    os.makedirs(config.environment["MESA_SHADER_CACHE_DIR"], exist_ok=True)
    # Where the layer is installed, or must be, what it says of a use of Vulkan is an error.
    if layer_is_installed() or os.environ.get("TENSORWRIGHT_REQUIRE_DEVICES"):
        config.environment["TENSORWRIGHT_VULKAN_VALIDATION"] = "1"
    required = os.environ.get("TENSORWRIGHT_REQUIRE_DEVICES")
    if required:
        config.environment["TENSORWRIGHT_REQUIRE_DEVICES"] = required
    if sanitized:
        # What the vendors' libraries leak is not ours to find.
        config.environment["OCL_ICD_VENDORS"] = "/nonexistent"
        config.environment["VK_ICD_FILENAMES"] = "/nonexistent"


def layer_is_installed():
    folders = ["/usr/share", "/usr/local/share", "/etc"] + os.environ.get("XDG_DATA_DIRS", "").split(":")
    name = "vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
    return any(os.path.exists(os.path.join(folder, name)) for folder in folders)


def find(config, build_dir, sanitized):
    """The drivers among opencl and vulkan that have a usable device."""
    tool = os.path.join(build_dir, "bin", "tensor-run")
    if sanitized or not os.path.exists(tool):
        return set()
    environment = dict(os.environ, **config.environment)
    found = subprocess.run([tool, "--devices", "--json"], capture_output=True, env=environment, timeout=60)
    devices = json.loads(found.stdout) if found.returncode == 0 else []
    usable = {device["uri"].split(":")[0] for device in devices if device.get("usable") and "uri" in device}
    return usable & {"opencl", "vulkan"}
