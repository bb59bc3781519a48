//! The players of a real tournament: bots as processes, and how many of them a slot keeps.

use crate::bot::{
    BotPlayer, BotSettings, FileAccess, Launch, Limits, OWN_PROGRAM, PostGameLog, Restart,
    SandboxedBot,
};
use crate::config::{Logs, Resolved};
use crate::isolation::Equipment;
use crate::procfs::machine_memory_bytes;
use crate::record::{Evidence, Fault};
use crate::tournament::{EntrantIndex, KeepLimits, PlayerFactory};
use rustix::process::{Resource, getrlimit};
use std::io;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The part of the machine's memory that the kept processes of all slots may hold.
const MEMORY_SHARE: u64 = 4;
/// Descriptors for a process that is kept: its pipes, its status channel, its pidfd, the files of
/// its control group and those that show how busy its cores are.
const PER_PROCESS: u64 = 12;
/// Descriptors for everything else.
const OTHERS: u64 = 256;

/// A bot whose files are in the sandbox.
pub type PlacedBot = (BotSettings, SandboxedBot);

/// The bots of all entrants, by their index in the plan; none of an entrant that cannot play.
#[derive(Debug)]
pub struct BotFactory {
    bots: Vec<Option<PlacedBot>>,
    /// The house bot `random`.
    random: PlacedBot,
    /// Where what bots write after their games goes, if that is kept.
    post_game_logs: Option<Sender<PostGameLog>>,
    keeps_transcripts: bool,
}

impl BotFactory {
    /// Places the files of `random` beside these bots. What bots write after their games goes to
    /// `post_game_logs`.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn new(
        equipment: &Equipment,
        bots: Vec<Option<PlacedBot>>,
        resolved: &Resolved,
        post_game_logs: Option<Sender<PostGameLog>>,
    ) -> io::Result<Self> {
        let random = random(&resolved.entrants[0].bot);
        let sandboxed_bot = equipment.sandboxed_bot(&random)?;
        Ok(Self {
            bots,
            random: (random, sandboxed_bot),
            post_game_logs,
            keeps_transcripts: resolved.typed.tournament.logs == Logs::Transcript,
        })
    }
}

/// The house bot that an examined entrant meets, with the settings of `like`.
pub fn random(like: &BotSettings) -> BotSettings {
    BotSettings {
        launch: Launch {
            program: OWN_PROGRAM.into(),
            arguments: ["bot", "random"].map(Into::into).into(),
            directory: like.launch.directory.clone(),
            environment: Vec::new(),
            host_environment: Vec::new(),
            file_access: FileAccess::default(),
        },
        restart: Restart::Never,
        limits: Limits::default(),
        build_warning: None,
        ..like.clone()
    }
}

impl BotFactory {
    /// Places in the plan of entrants that were slow to quit after their last game, and how.
    pub fn slow_ends(&self) -> impl Iterator<Item = (usize, Fault)> {
        let bots = self.bots.iter().enumerate();
        bots.filter_map(|(place, bot)| Some((place, bot.as_ref()?.1.take_slow_end()?)))
    }

    /// A player whose post-game logs are not kept.
    fn without_post_game_log(&self, entrant: EntrantIndex) -> BotPlayer {
        let bot = self.bots[entrant.index()].clone();
        let (settings, sandboxed_bot) = bot.expect("only entrants with a bot play");
        BotPlayer::new(settings, sandboxed_bot)
    }
}

impl PlayerFactory for BotFactory {
    type Player = BotPlayer;

    fn player(&self, entrant: EntrantIndex) -> BotPlayer {
        let player = self.without_post_game_log(entrant);
        match &self.post_game_logs {
            Some(to) => player.with_post_game_logs(to.clone()),
            None => player,
        }
    }

    fn candidate(&self, entrant: EntrantIndex) -> BotPlayer {
        self.without_post_game_log(entrant).examined()
    }

    fn random(&self) -> BotPlayer {
        let (settings, sandboxed_bot) = self.random.clone();
        BotPlayer::new(settings, sandboxed_bot)
    }

    fn take_log(&self, player: &mut BotPlayer) -> Vec<u8> {
        player.take_log()
    }

    fn take_evidence(&self, player: &mut BotPlayer) -> Evidence {
        player.take_evidence()
    }

    fn keeps_transcripts(&self) -> bool {
        self.keeps_transcripts
    }

    fn remains(&self, player: &mut BotPlayer) -> Option<String> {
        player.take_remains()
    }

    fn park(&self, player: &mut BotPlayer) -> bool {
        player.park()
    }

    async fn try_starts(
        &self,
        entrant: EntrantIndex,
        processes: usize,
        after: Duration,
    ) -> Result<(), String> {
        sleep(after).await;
        let mut players = Vec::new();
        let mut started = Ok(());
        while started.is_ok() && players.len() < processes {
            let mut player = self.without_post_game_log(entrant);
            started = player.try_start().await;
            players.push(player);
        }
        for player in players {
            player.close().await;
        }
        started
    }

    fn has_process(&self, player: &BotPlayer) -> bool {
        player.has_process()
    }

    fn held_bytes(&self, player: &BotPlayer) -> u64 {
        player.held_bytes()
    }

    fn dismiss(&self, player: BotPlayer, leaving: &mut JoinSet<Option<String>>) {
        leaving.spawn(player.close());
    }
}

/// What each slot keeps, and a sentence if that is less than was wanted.
pub fn keep_limits(resolved: &Resolved) -> (KeepLimits, Option<String>) {
    let slots = u64::from(resolved.settings.slots).max(1);
    let entrants = resolved.entrants.len() as u64;
    let wanted = u64::from(resolved.typed.tournament.processes_kept).min(entrants);
    // A bot that nothing stops would compute while others play.
    let wanted = if resolved.typed.isolation.freeze {
        wanted
    } else {
        0
    };
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let by_files = files.saturating_sub(OTHERS) / (slots * PER_PROCESS);
    let [memory, processes] = resolved.left_for_kept();
    let most = resolved.entrants.iter().map(|it| it.bot.limits.processes);
    let each = u64::from(most.max().unwrap_or(1)).max(1);
    let by_processes = processes.map_or(u64::MAX, |left| 2 + left / slots / each);
    let kept = wanted.min(by_files).min(by_processes);
    let share = machine_memory_bytes().unwrap_or(u64::MAX) / MEMORY_SHARE;
    let limits = KeepLimits {
        players: usize::try_from(kept).unwrap_or(usize::MAX),
        memory_bytes: share.min(memory.unwrap_or(u64::MAX)) / slots,
    };
    let reason = if by_files <= by_processes {
        format!("this program may have only {files} open files; raise its limit (`ulimit -n`)")
    } else {
        format!(
            "a control group around this program leaves them {} processes and threads, of which \
             each bot may have {each} (`processes` in [limits]); give it more",
            processes.unwrap_or_default()
        )
    };
    let warning = (kept < wanted).then(|| {
        format!(
            "each slot keeps {kept} processes of bots instead of {wanted}, because {reason}, or \
             set `processes-kept` in [tournament]"
        )
    });
    (limits, warning)
}
