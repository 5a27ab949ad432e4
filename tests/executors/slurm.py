"""A Slurm of one machine for tests, with its own keys, ports and folders: real daemons, jobs and cancellations."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=3
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_missing():
    """Return why no Slurm can be started here, `""` if one can."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return f"no Slurm: no {missing[0]} (apt-get install slurm-wlm munge)"
    return "" if os.geteuid() == 0 else "no Slurm: its daemons need root"


def free_port():
    """Return a port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition, seconds=60):
    """Return the value of a function once it is true."""
    ends = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < ends:
        time.sleep(0.05)
    return value


class Slurm:
    """Slurm's daemons on this machine; `with` starts and ends them, and what their jobs left.

    Attributes:
        environment: the environment of commands that use it.
    """

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))  # paths of sockets are short
        self.folder.chmod(0o755)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self._host = socket.gethostname().split(".")[0]
        content = CONFIGURATION.format(folder=self.folder, host=self._host, controller=free_port(), node=free_port())
        (self.folder / "slurm.conf").write_text(content)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self._munged = subprocess.Popen(
            [
                *("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket"),
                *(f"--pid-file={self.folder}/munge.pid", f"--seed-file={self.folder}/munge.seed"),
                f"--log-file={self.folder}/munge.log",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until((self.folder / "munge.socket").exists)
            self.start("slurmctld")
            self.start("slurmd")
            assert until(lambda: "idle" in self.call("sinfo", "-h", "-o", "%T")), self.logs()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.call("scancel", "--me")
        until(lambda: not self.jobs(), 20)
        for daemon in ("slurmd", "slurmctld"):
            self.kill(daemon)
        self._munged.kill()
        self._munged.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, daemon):
        """Start slurmctld or slurmd, which go on in the background."""
        (self.folder / f"{daemon}.pid").unlink(missing_ok=True)
        subprocess.run([daemon, "-f", str(self.folder / "slurm.conf")], env=self.environment, check=True, timeout=60)
        until((self.folder / f"{daemon}.pid").exists, 20)

    def repair(self):
        """Let the node take jobs again, as an administrator does after failures: they set it aside."""
        if not {"idle", "mixed", "allocated"} & {*self.call("sinfo", "-h", "-o", "%T").split()}:
            self.call("scontrol", "update", f"NodeName={self._host}", "State=RESUME")

    def kill(self, daemon):
        """End slurmctld or slurmd at once; jobs go on."""
        try:
            os.kill(int((self.folder / f"{daemon}.pid").read_text()), signal.SIGKILL)
        except (OSError, ValueError):
            return

    def call(self, *command):
        """Return what a command of Slurm prints, `""` if it fails."""
        try:
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True, timeout=30, check=False
            )
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout if done.returncode == 0 else ""

    def jobs(self, states="PENDING,RUNNING,COMPLETING"):
        """Return the numbers of the jobs in these states."""
        return self.call("squeue", "-h", "-o", "%A", "-t", states).split()

    def logs(self):
        """Return the ends of the logs of the daemons."""
        return "\n".join(path.read_text()[-2000:] for path in self.folder.glob("slurm*.log"))
