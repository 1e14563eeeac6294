"""Packages of npm that tests need. Each folder of tests/ that names some has its own place to install them, once."""
import os
import shutil
import subprocess


def install_packages(source, installed, *flags, seconds):
    """Installs what `package.json` in the folder `source` names into the folder `installed`, unless it is there. The reason
    why that cannot be done; "" when it is."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "node and npm are not installed"
    os.makedirs(installed, exist_ok=True)
    wanted, have = os.path.join(source, "package.json"), os.path.join(installed, "package.json")
    if os.path.exists(os.path.join(installed, "done")) and open(wanted).read() == open(have).read():
        return ""
    shutil.copy(wanted, have)
    done = subprocess.run(["npm", "install", *flags, "--no-package-lock", "--no-audit", "--no-fund"], cwd=installed,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
    if done.returncode != 0:
        return "npm cannot install them: " + done.stdout.decode(errors="replace").strip()[-300:].replace("\n", " ")
    open(os.path.join(installed, "done"), "w").close()
    return ""
