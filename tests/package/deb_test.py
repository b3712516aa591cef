# SPDX-License-Identifier: Apache-2.0
"""The .debs, installed into a root of its own that holds nothing but Debian's essential packages and what the package depends on: what
the program needs and its package does not name is missing there. Usage: deb_test.py CPACK BUILD"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INFO = pathlib.Path("/var/lib/dpkg/info")
UNREAD = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/")  # a third of the files
ASKED = ["predict", "allreduce", "--platform", "edr-cluster", "--ranks", "16", "--size", "64MiB", "--algorithm", "ring", "--format", "csv"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Installed:
    """Debian's packages on this machine: by name their stanza, and who provides what."""

    def __init__(self):
        self.text, self.fields, self.providers = {}, {}, {}
        for stanza in pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.M))
            if fields.get("Status") != "install ok installed" or fields["Architecture"] not in ("all", ARCHITECTURE):
                continue
            name = fields["Package"]
            self.text[name], self.fields[name] = stanza, fields
            for provided in [name, *names(fields.get("Provides", ""))]:
                self.providers.setdefault(provided, name)

    def closure(self, wanted):
        """These packages with all that they need. Of alternatives the first that is here."""
        found, waiting = set(), list(wanted)
        while waiting:
            name = next((self.providers[a] for a in waiting.pop().split("|") if a in self.providers), None)
            if name and name not in found:
                found.add(name)
                waiting += [need for key in ("Depends", "Pre-Depends") for need in names(self.fields[name].get(key, ""))]
        return sorted(found)


def names(needs):
    """"a (>= 1), b | c": a, b|c"""
    return [re.sub(r"\(.*?\)|:\w+|\s", "", need) for need in needs.split(",") if need.strip()]


def lay_out(root, installed, packages):
    """A Debian of these packages, as dpkg left them here."""
    for folder in ["usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/lib32", "usr/libx32", "dev", "tmp", "var/lib/dpkg/info",
                   "var/lib/dpkg/updates"]:
        (root / folder).mkdir(parents=True)
    for link in ["bin", "sbin", "lib", "lib64"]:
        (root / link).symlink_to("usr/" + link)
    (root / "var/lib/dpkg/status").write_text("\n\n".join(installed.text[p] for p in packages) + "\n")
    files = []
    for package in packages:
        for own in [*INFO.glob(f"{package}.*"), *INFO.glob(f"{package}:{ARCHITECTURE}.*")]:
            shutil.copy(own, root / "var/lib/dpkg/info")
            if own.suffix == ".list":
                files += [f for f in own.read_text().splitlines() if os.path.lexists(f) and not f.startswith(UNREAD)]
    pack = subprocess.Popen(["tar", "-C", "/", "-c", "--no-recursion", "-T", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "-C", root, "-x", "--keep-directory-symlink"], stdin=pack.stdout)
    pack.stdin.write("".join(f[1:] + "\n" for f in dict.fromkeys(files) if f not in ("/.", "/bin", "/sbin", "/lib", "/lib64")).encode())
    pack.stdin.close()
    assert pack.wait() == 0 and unpack.wait() == 0
    os.mknod(root / "dev/null", 0o20666, os.makedev(1, 3))
    run("chroot", root, "ldconfig")


def smoke(root, build):
    def there(*command):
        return run("chroot", root, "env", "-i", "PATH=/usr/bin:/usr/sbin", *command)
    assert there("collcast", *ASKED) == run(build / "collcast", *ASKED)
    assert "\nallreduce,ring," in there("collcast", *ASKED, "--engine", "simgrid")
    assert there("collcast", "platforms", "--format", "csv").count("\n") > 10
    trace = "/usr/share/collcast/traces/qe-si-8.cct"
    assert '"time_s":' in there("collcast", "replay", trace, "--platform", "flat", "--format", "json").replace(" ", "")
    assert there("python3", "-c", "import collcast; print(collcast.prove('allreduce', 'ring', 8)['holds'])") == "True\n"
    assert there("bash", "-c", ". /usr/share/bash-completion/completions/collcast && complete -p collcast").endswith(" collcast\n")
    assert (root / "usr/share/man/man1/collcast-predict.1").read_text().startswith(".TH")
    for file in run("dpkg", f"--root={root}", "-L", "collcast").splitlines():
        if re.search(r"^/usr/bin/.|\.so$", file):
            assert "not found" not in there("ldd", file), file


def apart(package, development):
    """What one runs is in the first, what one builds against in the second."""
    for_building = re.compile(r"/include/collcast/|/cmake/collcast/|\.a$")
    for deb, wanted in ((package, False), (development, True)):
        listed = [line.split()[-1] for line in run("dpkg-deb", "--contents", deb).splitlines() if not line.startswith("d")]
        misplaced = [f for f in listed if bool(for_building.search(f)) != wanted]
        assert len(listed) > 100 and not misplaced, (deb, misplaced)


def main(cpack, build):
    if os.geteuid() != 0:
        skip("chroot needs root")
    missing = [program for program in ("dpkg-deb", "dpkg-shlibdeps", "apt-get", "chroot") if not shutil.which(program)]
    if missing:
        skip(f"there is no {missing[0]}")
    with tempfile.TemporaryDirectory(prefix="collcast-deb-") as name:
        folder = pathlib.Path(name)
        run("env", "-C", build, cpack, "-G", "DEB", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none")
        package, = folder.glob("collcast_*.deb")
        development, = folder.glob("libcollcast-dev_*.deb")
        needs = names(run("dpkg-deb", "--field", package, "Depends"))
        resolved = run("apt-get", "--simulate", "install", "--no-install-recommends", package, development)
        assert "Inst collcast " in resolved and "Inst libcollcast-dev " in resolved, resolved
        apart(package, development)
        installed = Installed()
        essential = [p for p, fields in installed.fields.items() if fields.get("Essential") == "yes"]
        root = folder / "root"
        lay_out(root, installed, installed.closure([*essential, *needs, "python3"]))
        run("dpkg", f"--root={root}", "--force-unsafe-io", "--install", package)
        smoke(root, pathlib.Path(build))
        run("dpkg", f"--root={root}", "--purge", "collcast")
        left = [f for f in ("usr/bin/collcast", "usr/share/collcast", "usr/share/doc/collcast") if (root / f).exists()]
        assert not left, left
        print(f"{len(needs)} packages are named, {len(list((root / 'var/lib/dpkg/info').glob('*.list')))} are there")


if __name__ == "__main__":
    ARCHITECTURE = run("dpkg", "--print-architecture").strip() if shutil.which("dpkg") else skip("there is no dpkg")
    main(*sys.argv[1:])
