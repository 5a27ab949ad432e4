"""Clusters by name: their files, jobs and keys; the commands of the batch system are scripts of these tests."""

import gc
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from importlib.util import find_spec

import pytest

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab_plugins.executors import clusters
from searchlab_plugins.executors.clusters import NamedCluster, key_folder

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of ports in use, and of what dask leaves
    pytest.mark.skipif(
        not (find_spec("dask_jobqueue") and find_spec("cryptography")), reason="needs the extra cluster"
    ),
]


@pytest.fixture(autouse=True)
def nothing_left():
    """What dask leaves is collected here, where its warnings are ignored, and Ctrl-C is what it was."""
    before = signal.getsignal(signal.SIGINT)
    yield
    gc.collect()
    assert signal.getsignal(signal.SIGINT) is before


SITE = """
jobs = 2
cores = 4
memory = "8GB"
walltime = "01:00:00"
"""
TAKES = "#!/bin/sh\ncp $1 {folder}/submitted.sh; echo Submitted batch job $$\n"
REFUSES = "#!/bin/sh\necho 'sbatch: error: invalid partition specified: nope' >&2; exit 1\n"
WAITS = "#!/bin/sh\nfor job in $(seq 100000); do echo $job PENDING Resources; done\n"
NOTHING = "#!/bin/sh\n"


@pytest.fixture
def batch(tmp_path, monkeypatch):
    """The commands of a Slurm that takes jobs and never starts one; returns a function that replaces a command."""
    commands = tmp_path / "bin"
    commands.mkdir()
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.toml").write_text(SITE)

    def put(name, script):
        (commands / name).write_text(script.format(folder=tmp_path))
        (commands / name).chmod(0o755)

    for name, script in (("sbatch", TAKES), ("scancel", NOTHING), ("squeue", WAITS)):
        put(name, script)
    return put


@pytest.fixture
def site(tmp_path):
    """Return a function that makes a cluster from the text of a file, which ends with the test."""
    made = []

    def site(text=SITE, name="slurm"):
        file = tmp_path / "site.toml"
        file.write_text(text)
        made.append(NamedCluster(name, file, 2))
        return made[-1]

    yield site
    for cluster in made:
        cluster.close()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("slurn", SITE, r"no cluster 'slurn': did you mean 'slurm'\? There are slurm, pbs, "),
        ("slurm", "cores = 1\nmemory = '1GB'", r"site.toml: say how many jobs: jobs = 10, or a table \[adapt\] or"),
        ("slurm", SITE + "[adapt]\nmaximum_jobs = 3", "site.toml: jobs and adapt exclude each other"),
        (
            "slurm",
            "[adapt]\nmaximun_jobs = 3",
            r"site.toml: unknown key 'maximun_jobs' in \[adapt\]: there are minimum_j",
        ),
        ("slurm", "scale = 3", r"site.toml: scale is a table, like \[scale\]"),
        ("slurm", SITE + "quee = 'main'", "site.toml: unknown key 'quee' for cluster slurm: did you mean 'queue'"),
        ("slurm", SITE.replace("jobs = 2", "jobs = 0"), "site.toml: jobs is a whole number from 1 up, not 0"),
        ("slurm", SITE.replace("01:00:00", "2 h"), "site.toml: walltime is HH:MM:SS or D-HH:MM:SS, not '2 h'"),
        ("slurm", "jobs = 1", "cluster slurm: You must specify how much cores and memory per job"),
        ("slurm", SITE + "interface = 'nope0'", "cluster slurm: .*'nope0' is not a valid network interface"),
        ("slurm", "jobs =", r"site.toml: Invalid value \(at end of document\)"),
        ("pbs", SITE, "cluster pbs needs the command qsub: run searchlab where jobs are submitted"),
        ("nope:Cluster", SITE, "cluster nope:Cluster needs nope: No module named 'nope'"),
        ("json:Cluster", SITE, "cluster json:Cluster: module json has no class 'Cluster'"),
        ("json:JSONDecoder", SITE, "cluster json:JSONDecoder is not a class of distributed.deploy.Cluster"),
    ],
)
def test_a_wrong_cluster_is_one_line(batch, site, name, text, said):
    with pytest.raises(UsageError, match=said) as refused:
        site(text, name)
    assert "\n" not in str(refused.value)
    del refused
    gc.collect()  # what it warns of then belongs to this test


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("cluster=slurm", "cluster slurm needs config=FILE.toml, with cores and memory of a job, and jobs = 10"),
        ("cluster=slurm,config=absent.toml", "absent.toml: no such file"),
        ("config=site.toml", "config=FILE describes a cluster: give cluster=NAME as well"),
        ("cluster=slurm,scheduler-file=x", "scheduler_file and cluster exclude each other"),
        ("runner=pbs", "runner is slurm, not 'pbs'"),
        ("runner=slurm", "no SLURM_PROCID is set: start it in a job, with srun --ntasks=4 searchlab run …"),
        ("scheduler_fil=x", "has no parameter 'scheduler_fil': did you mean 'scheduler_file'"),
    ],
)
def test_parameters_of_the_executor_that_do_not_go_together_are_one_line(batch, parameters, said, monkeypatch):
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    with pytest.raises(UsageError, match=said):
        sl.executor(f"dask:{parameters}")(1)


def test_a_runner_needs_three_tasks(monkeypatch):
    for name, value in (("SLURM_PROCID", "0"), ("SLURM_NTASKS", "2"), ("SLURM_JOB_ID", "7")):
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=r"runner=slurm needs 3 tasks or more, .* not 2"):
        sl.executor("dask:runner=slurm")(1)


def test_a_job_leaves_before_its_walltime_and_is_encrypted(batch, site):
    """Its script says so; what the file says comes first."""
    script = site(SITE + 'queue = "main"\nworker_extra_args = ["--resources", "a=1"]').described()
    assert "#SBATCH -p main" in script
    assert "#SBATCH --cpus-per-task=4" in script
    assert "#SBATCH -t 01:00:00" in script
    assert f"{sys.executable} -P -m distributed.cli.dask_worker tls://" in script
    assert "--nthreads 4" in script
    assert "--no-dashboard --resources a=1 --lifetime 3300s --lifetime-stagger 150s" in script
    assert f"--tls-key {os.getcwd()}/job-logs/keys-" in script
    own = site(SITE + 'security = false\nworker-extra-args = ["--lifetime", "5m"]\nlog-directory = "elsewhere"')
    assert "--tls" not in own.described()
    assert "tcp://" in own.described()
    assert "--lifetime 5m" in own.described()
    assert "stagger" not in own.described()
    assert "#SBATCH -e elsewhere/" in own.described()


@pytest.mark.parametrize(
    ("walltime", "name", "seconds"),
    [
        ("00:30:00", "slurm", 1800),
        ("1-00:00:10", "slurm", 86410),
        ("100:00:00", "pbs", 360000),
        ("00:30", "lsf", 1800),
        ("30", "slurm", None),
        ("30:00", "slurm", None),
    ],
)
def test_a_walltime_is_hours_minutes_and_seconds(walltime, name, seconds):
    assert clusters._seconds(walltime, name) == seconds


def test_runs_of_a_job_share_half_of_its_memory(batch, site):
    cluster = site()
    assert cluster.memory_of_run == 10**9
    assert cluster.lifetime == 3600 - 450


def test_the_dry_run_shows_the_script_of_a_job_and_submits_none(batch, tmp_path):
    """Nor does it leave a folder."""
    command = (*(sys.executable, "-m", "searchlab", "run", "sliding-tile/puzzle8-20", "--dry-run"), "--executor")
    shown = subprocess.run(
        (*command, "dask:cluster=slurm,config=site.toml"), capture_output=True, text=True, timeout=120, check=False
    )
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "#SBATCH --mem=8G" in shown.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "site.toml"]
    wrong = subprocess.run(
        (*command, "dask:cluster=slurm,config=no.toml"), capture_output=True, text=True, timeout=120, check=False
    )
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "searchlab: error: the preview of executor dask: no.toml: no such file\n",
    )
    local = subprocess.run((*command, "local"), capture_output=True, text=True, timeout=120, check=False)
    assert local.returncode == 0
    assert "#" not in local.stdout


def test_no_job_is_submitted_before_the_first_run(batch, tmp_path):
    """So that a command that finds nothing to do waits for nobody."""
    executor = sl.executor("dask:cluster=slurm,config=site.toml")(1)
    assert executor.check() == ""
    assert executor.workers == 1
    assert not (tmp_path / "submitted.sh").exists()
    executor.submit(int)
    assert (tmp_path / "submitted.sh").read_text().count("#SBATCH") > 3
    executor.shutdown(wait=False, cancel_futures=True)
    assert not list((tmp_path / "job-logs").glob("keys-*"))


def test_a_batch_system_that_refuses_all_jobs_is_one_line(batch, site, capfd):
    """Without a traceback of the library."""
    batch("sbatch", REFUSES)
    with pytest.raises(
        UsageError, match=r"^cluster slurm refuses the jobs: sbatch: error: invalid partition specified"
    ):
        site().start()
    assert "Traceback" not in "".join(capfd.readouterr())


def looked_at(cluster, condition, without_workers=0.0):
    """Check a cluster until a condition holds, and return what it said last."""
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        said = cluster.check(without_workers)
        if condition(said):
            return said
        time.sleep(0.02)
    raise AssertionError(said)


def test_jobs_without_a_worker_for_a_minute_are_reported_with_the_usual_causes(batch, site, monkeypatch):
    """With the states of the jobs, and the log of one."""
    monkeypatch.setattr(clusters, "LOOK_EVERY", 0.05)
    cluster = site()
    cluster.start()
    assert cluster.check(59.0) == ""
    with open("job-logs/searchlab-7.err", "w") as log:
        log.write("it cannot import dask")
    said = looked_at(cluster, lambda said: "PENDING" in said, 61.0)
    assert said.startswith(
        "no worker of cluster slurm for 60 s (jobs: PENDING Resources). Usual causes: the queue is full"
    )
    assert "partition" in said
    assert "memory" in said
    assert f"at {cluster.cluster.scheduler_address} (set interface)" in said
    assert said.endswith("job-logs/searchlab-7.err")


def test_jobs_that_end_before_their_workers_come_are_replaced_a_few_times(batch, site, monkeypatch, tmp_path):
    """Then it is an error that names the log: they would end for ever."""
    monkeypatch.setattr(clusters, "LOOK_EVERY", 0.02)
    batch("sbatch", "#!/bin/sh\necho x >> {folder}/jobs; echo Submitted batch job $$\n")
    batch("squeue", NOTHING)
    cluster = site()
    cluster.start()
    with pytest.raises(
        MachineError, match="the jobs of cluster slurm end before their workers reach the scheduler: the j"
    ):
        looked_at(cluster, bool)
    assert 6 < len((tmp_path / "jobs").read_text().split()) < 20


def test_jobs_are_kept_while_the_batch_system_does_not_answer(batch, site, monkeypatch):
    monkeypatch.setattr(clusters, "LOOK_EVERY", 0.02)
    batch("squeue", "#!/bin/sh\ntouch {folder}/asked; exit 1\n")
    cluster = site()
    cluster.start()
    jobs = dict(cluster.cluster.workers)
    looked_at(cluster, lambda _: os.path.exists("asked"))
    for _ in range(20):
        assert cluster.check(0.0) == ""
        time.sleep(0.02)
    assert dict(cluster.cluster.workers) == jobs


def test_keys_are_for_the_user_alone_and_are_removed_also_those_of_killed_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    host = os.uname().nodename
    for number in (os.getpid(), 2**22 + 1):  # the second one is no process
        (tmp_path / "job-logs" / f"keys-{host}-{number}").mkdir(parents=True)
    with key_folder("mine") as folder:
        clusters.encryption(folder)
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        files = sorted(os.listdir(folder))
        assert files == ["ca_file.pem", "cert.pem", "key.pem"]
        assert all(stat.S_IMODE(os.stat(os.path.join(folder, file)).st_mode) == 0o600 for file in files)
    assert os.listdir("job-logs") == [f"keys-{host}-{os.getpid()}"]


def test_the_library_of_jobs_does_not_take_ctrl_c_from_its_user():
    """Its import sets a handler that ends Python at once."""
    program = (
        "import signal; from searchlab_plugins.executors.clusters import imported; before = signal.getsignal(2);"
        "assert imported('dask_jobqueue').SLURMCluster; assert signal.getsignal(2) is before"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_the_library_of_jobs_cannot_be_imported_by_another_thread_first():
    """Which is one line, too."""
    program = (
        "import threading; from searchlab_plugins.executors.clusters import imported\n"
        "def attempt():\n"
        "    try:\n"
        "        imported('dask_jobqueue')\n"
        "    except Exception as error:\n"
        "        print(error)\n"
        "thread = threading.Thread(target=attempt); thread.start(); thread.join()"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout == "dask_jobqueue can only be imported in the main thread: write import dask_jobqueue there\n"


def test_a_scheduler_file_may_come_late_and_in_parts(tmp_path, monkeypatch):
    """As a shared file system shows it."""
    from distributed import LocalCluster

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("searchlab_plugins.executors.on_dask.CONNECT_SECONDS", 2)
    file = tmp_path / "s.json"
    quick = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**quick, protocol="tcp") as cluster:
        content = f'{{"address": "{cluster.scheduler_address}"}}'

        def write():
            for part in ("", content[:7], content):
                time.sleep(0.3)
                file.write_text(part)

        thread = threading.Thread(target=write)
        thread.start()
        executor = sl.executor("dask:scheduler-file=s.json")(1)
        thread.join()
        assert executor.submit(sum, [1, 2]).result(30) == 3
        executor.shutdown()
    with pytest.raises(UsageError, match=r"no dask scheduler at tcp://.* \(named by s.json\): "):
        sl.executor("dask:scheduler-file=s.json")(1)
    file.unlink()
    monkeypatch.setattr("searchlab_plugins.executors.on_dask.FILE_SECONDS", 0.2)
    with pytest.raises(
        UsageError, match=r"no dask scheduler by the file s.json within 0.2 s: start one with: dask sched"
    ):
        sl.executor("dask:scheduler-file=s.json")(1)
    file.write_text("{}")
    with pytest.raises(UsageError, match="the file holds no address"):
        sl.executor("dask:scheduler-file=s.json")(1)


@pytest.mark.slow
def test_a_cluster_of_this_machine_is_encrypted_and_starts_workers_in_place_of_killed_ones(tmp_path, monkeypatch):
    """`cluster=local` is a class of distributed like any other."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "local.toml").write_text("n_workers = 1\n")
    executor = sl.executor("dask:cluster=local,config=local.toml")(7)
    assert executor._client.scheduler.address.startswith("tls://")
    (before,) = executor.run_everywhere(os.getpid)
    os.kill(before, signal.SIGKILL)
    assert executor.submit(os.getpid).result(60) != before
    executor.shutdown()
    assert not (tmp_path / "job-logs").exists()
