//! Job scripts that play the shards of a run on a cluster, or on a few machines. A person reads them
//! before they are started, so they explain themselves.

use crate::text::shell_word;
use std::fmt::Write as _;

/// Who carries shards to machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Slurm: an array of jobs.
    Slurm,
    /// HyperQueue: an array of tasks.
    HyperQueue,
    /// GNU parallel: processes of this machine, or of others over SSH.
    Parallel,
}

impl Carrier {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Slurm, Self::HyperQueue, Self::Parallel];

    /// The name that is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slurm => "slurm",
            Self::HyperQueue => "hyperqueue",
            Self::Parallel => "parallel",
        }
    }

    /// The carrier of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The command that ends what is left of a job with this id, and whether awale may run it: another
    /// process may have the number of a process by now, or another machine be meant.
    pub fn cancel(self, job: u32) -> (Vec<String>, bool) {
        let (words, may_run): (&[&str], bool) = match self {
            Self::Slurm => (&["scancel"], true),
            Self::HyperQueue => (&["hq", "job", "cancel"], true),
            // What it has started plays on to its end.
            Self::Parallel => (&["kill", "-TERM"], false),
        };
        let words = words.iter().map(|it| (*it).to_owned());
        (words.chain([job.to_string()]).collect(), may_run)
    }
}

/// The jobs of a run.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// The name of the run.
    pub name: String,
    /// The number of shards.
    pub shards: u32,
    /// How many are played at a time; 0: as many as there is room for.
    pub together: u32,
    /// Games that a shard plays at a time, a processor each.
    pub slots: u32,
    /// The processors of this machine.
    pub processors: u32,
    /// How long a shard takes, in minutes, with what a slower machine takes more.
    pub minutes: u64,
    /// The command that plays a shard but for its number and its output, as words.
    pub command: Vec<String>,
    /// The folder of the shards, absolute.
    pub folder: String,
    /// The command that merges, for the comments.
    pub merge: String,
}

/// The file in the folder of the shards with the id of the job.
pub const JOB: &str = "job";
/// The file in that folder with the number of shards.
pub const SHARDS: &str = "shards";
/// The script of one shard.
pub const JOB_SCRIPT: &str = "job.sh";
/// The script that starts all of them.
pub const START_SCRIPT: &str = "start.sh";

impl Jobs {
    /// The script of one shard, whose number the carrier gives.
    pub fn job_script(&self, carrier: Carrier) -> String {
        let Self {
            shards,
            slots,
            minutes,
            merge,
            ..
        } = self;
        let folder = shell_word(&self.folder);
        let mut text = "#!/bin/sh\n".to_owned();
        let (number, lines) = match carrier {
            Carrier::Slurm => ("SLURM_ARRAY_TASK_ID", self.slurm_lines()),
            Carrier::HyperQueue => ("HQ_TASK_ID", String::new()),
            Carrier::Parallel => ("PARALLEL_SEQ", String::new()),
        };
        text.push_str(&lines);
        let _ = write!(
            text,
            "# Plays one of the {shards} shards of a run: {slots} games at a time, {minutes} min at most.\n\
             # A shard that was killed goes on, and one that is played twice counts once: this may be\n\
             # started again as often as you like. The games count when they are merged:\n\
             #   {merge}\n\
             set -eu\n\
             number=${{1:-${{{number}:-}}}}\n\
             if [ -z \"$number\" ]; then echo 'usage: sh {JOB_SCRIPT} NUMBER, from 1 to {shards}' >&2; \
             exit 2; fi\n"
        );
        let command: Vec<String> = self.command.iter().map(|it| shell_word(it)).collect();
        let _ = writeln!(
            text,
            "exec {} --index \"$number\" --of {shards} --output {folder}/\"$number\".jsonl",
            command.join(" ")
        );
        text
    }

    fn slurm_lines(&self) -> String {
        let Self {
            shards,
            together,
            slots,
            minutes,
            ..
        } = self;
        let most = match together {
            0 => String::new(),
            most => format!("%{most}"),
        };
        let name: String = self
            .name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        format!(
            "# An array of jobs for Slurm. Add what your site asks for, as in --partition or --account.\n\
             # Add --exclusive for the most even times: it gives a shard a node of its own.\n\
             #SBATCH --job-name=awale-{name}\n\
             #SBATCH --array=1-{shards}{most}\n\
             #SBATCH --ntasks=1\n\
             #SBATCH --cpus-per-task={slots}\n\
             #SBATCH --time={minutes}\n\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --output=%a.log\n"
        )
    }

    /// The script that starts all shards, and writes the id of the job to a file.
    pub fn start_script(&self, carrier: Carrier) -> String {
        let Self {
            shards,
            together,
            slots,
            ..
        } = self;
        let folder = shell_word(&self.folder);
        let merge = &self.merge;
        let start = match carrier {
            Carrier::Slurm => format!(
                "job=$(sbatch --parsable {JOB_SCRIPT})\n\
                 echo \"slurm ${{job%%;*}}\" >{JOB}\n\
                 echo \"job ${{job%%;*}} of Slurm: {shards} shards; squeue shows them\"\n"
            ),
            Carrier::HyperQueue => format!(
                "# A worker of HyperQueue must run somewhere: hq worker start\n\
                 job=$(hq --output-mode quiet submit --array 1-{shards} --cpus {slots} --stdout none \
                 --stderr '%{{TASK_ID}}.log' --crash-limit 20 sh {JOB_SCRIPT})\n\
                 echo \"hyperqueue $job\" >{JOB}\n"
            ),
            Carrier::Parallel => {
                // More would take processors from each other, and time from bots.
                let fit = (self.processors / (*slots).max(1)).max(1);
                let jobs = match together {
                    0 => fit,
                    most => fit.min(*most),
                };
                format!(
                    "# A job takes {slots} processors. With --sshlogin and --workdir, which play on machines that\n\
                     # see this folder, --jobs counts the jobs on each machine.\n\
                     trap 'rm -f {JOB}' EXIT\n\
                     parallel --jobs {jobs} --will-cite --retries 3 --joblog parallel.log \
                     sh {JOB_SCRIPT} '{{}}' '2>{{}}.log' ::: $(seq {shards}) &\n\
                     echo \"parallel $!\" >{JOB}\n\
                     wait \"$!\"\n"
                )
            }
        };
        format!(
            "#!/bin/sh\n\
             # Starts the {shards} shards of a run. What is missing at the end is started again by the\n\
             # same command. Meanwhile, or then:\n\
             #   {merge}\n\
             set -eu\n\
             cd {folder}\n\
             {start}"
        )
    }
}
