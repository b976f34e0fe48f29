"""A Slurm of our own: one controller, one node, one munge, all as this user, in a folder of their own.
No service of the system is touched, nothing of it is read but the programs."""

import getpass
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 120  # against hanging only


def free_ports(count):
    """Ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def wait_for(what, condition, seconds=START_S):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.2)


class PrivateSlurm:
    """with PrivateSlurm() as slurm: slurm.run("sbatch", ...)"""

    def __init__(self, cpus=4):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="inlay-slurm-"))
        self.folder.chmod(0o755)  # munge wants to be sure of who can write its folders
        self.cpus = cpus
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def run(self, *command, check=True):
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                                timeout=START_S, check=False, cwd=self.folder)
        if check and result.returncode:
            raise RuntimeError(f"{command}: {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def submit(self, *arguments):
        """The number of the job."""
        return self.run("sbatch", "--parsable", *arguments).strip().split(";")[0]

    def wait(self, job, seconds=600):
        """Until no task of the job is waiting or running."""
        wait_for(f"job {job}", lambda: not self.run("squeue", "-h", "-j", job, check=False).strip(),
                 seconds)

    def _start(self):
        self._start_munge()
        ports = free_ports(2)
        host, user, folder = socket.gethostname().split(".")[0], getpass.getuser(), self.folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "slurm.conf").write_text(f"""
ClusterName=inlay
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={self.cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""", encoding="utf-8")
        self._daemon("slurmctld", "/usr/sbin/slurmctld", "-D", "-c")
        self._daemon("slurmd", "/usr/sbin/slurmd", "-D", "-N", host)
        wait_for("the node", lambda: "idle" in self.run("sinfo", "-h", "-o", "%t", check=False))

    def _start_munge(self):
        key, sock = self.folder / "munge.key", self.folder / "munge.socket"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self._daemon("munged", "/usr/sbin/munged", "--foreground", "--force", "--num-threads=2",
                     f"--key-file={key}", f"--socket={sock}", f"--pid-file={self.folder}/munge.pid",
                     f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed")
        wait_for("munge", sock.exists)

    def _daemon(self, name, *command):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=out,
                                                 stderr=out, start_new_session=True))

    def _stop(self):
        if len(self.daemons) > 1:
            self.run("scancel", f"--user={getpass.getuser()}", check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(daemon.pid, signal.SIGKILL)
                daemon.wait()
        # Those who watch over a job outlive it a little.
        end = time.monotonic() + 30
        while (left := self._processes()) and time.monotonic() < end:
            time.sleep(0.2)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _processes(self):
        """Processes that this Slurm has started and that still run."""
        mark = f"SLURM_CONF={self.folder}".encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (path / "environ").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass  # it has ended, or belongs to another user
        return found

    def logs(self):
        """What the daemons said, for a test that failed."""
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}"
                         for path in sorted(self.folder.glob("*.log"))
                         + sorted(self.folder.glob("*.out")))
