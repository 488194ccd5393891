"""A Slurm of one node on the loopback, in a folder of its own: munged, slurmctld and slurmd as root, without
systemd, cgroups or accounting. Stdlib only."""

import os
import pathlib
import platform
import shutil
import signal
import subprocess

from client import free_port, wait_for

PACKAGES = {"/usr/sbin/munged": "munge", "/usr/sbin/slurmctld": "slurmctld", "/usr/sbin/slurmd": "slurmd",
            "/usr/bin/sbatch": "slurm-client"}
# A task that is put into the queue again waits until credentials of its first start have expired.
SETTINGS = """ClusterName=graphbench
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
MpiDefault=none
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why it cannot be started here; empty: it can."""
    packages = [package for program, package in PACKAGES.items() if shutil.which(program) is None]
    if packages:
        return "needs Debian's " + ", ".join(packages)
    return "" if os.getuid() == 0 else "needs root: slurmd starts tasks as the users that submit them"


class Slurm:
    """Started in `folder`, whose parents every user may enter; stop() ends all that runs in it."""

    def __init__(self, folder, cpus):
        self.folder = folder
        for name in ("munge", "state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        settings = folder / "slurm.conf"
        settings.write_text(SETTINGS.format(folder=folder, host=platform.node().split(".")[0], cpus=cpus,
                                            ports=(free_port(), free_port())), encoding="utf-8")
        self.environment = {"SLURM_CONF": str(settings)}
        files = [f"--{name}={folder}/{file}" for name, file in (
            ("socket", "munge/socket"), ("key-file", "munge.key"), ("log-file", "munged.log"),
            ("pid-file", "munged.pid"), ("seed-file", "munged.seed"))]
        self.processes = []
        try:
            self._start("/usr/sbin/munged", "--foreground", *files)
            wait_for("munged", (folder / "munge" / "socket").exists)
            self._start("/usr/sbin/slurmctld", "-D", "-f", settings)
            self._start("/usr/sbin/slurmd", "-D", "-f", settings)
            wait_for("the node", lambda: "idle" in self.run("sinfo", "-h", "-o", "%t").stdout)
        except BaseException:
            self.stop()
            raise

    def _start(self, program, *arguments):
        with open(self.folder / (pathlib.Path(program).name + ".out"), "w", encoding="utf-8") as out:
            self.processes.append(subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                                   stdout=out, stderr=out))

    def run(self, *command, **options):
        options["env"] = {**options.get("env", os.environ), **self.environment}
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                              timeout=60, **options)

    def field(self, job, name):
        """Of `scontrol show job`, such as JobState or Restarts; of an array, of its first task."""
        words = self.run("scontrol", "-o", "show", "job", job).stdout.split()
        return next((word.partition("=")[2] for word in words if word.startswith(name + "=")), None)

    def stop(self):
        for process in reversed(self.processes):  # munged last
            process.kill()
            process.wait()
        for process in self._left():  # tasks, and slurmstepd, which is none of our children
            os.kill(process, signal.SIGKILL)

    def _left(self):
        """What runs with our settings, by number."""
        ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if ours in (path / "environ").read_bytes().split(b"\0"):
                    yield int(path.name)
            except OSError:  # it has ended
                continue
