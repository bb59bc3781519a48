//! The players of a real tournament: bots as processes.

use crate::bot::{
    BotPlayer, BotSettings, FileAccess, Launch, Limits, OWN_PROGRAM, PostGameLog, Restart,
    SandboxedBot,
};
use crate::isolation::Equipment;
use crate::record::{Evidence, Fault};
use crate::tournament::{EntrantIndex, PlayerFactory};
use std::io;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// A bot whose files are in the sandbox.
pub type PlacedBot = (BotSettings, SandboxedBot);

/// The bots of all entrants, by their index in the plan; none of an entrant that cannot play.
#[derive(Debug)]
pub struct BotFactory {
    bots: Vec<Option<PlacedBot>>,
    /// The house bot `random`.
    random: PlacedBot,
    /// Where what bots write after their games goes, if that is kept.
    pub post_game_logs: Option<Sender<PostGameLog>>,
}

impl BotFactory {
    /// Places the files of `random`, which has the settings of `like`, beside these bots.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn new(
        equipment: &Equipment,
        bots: Vec<Option<PlacedBot>>,
        like: &BotSettings,
    ) -> io::Result<Self> {
        let random = random(like);
        let sandboxed_bot = equipment.sandboxed_bot(&random)?;
        Ok(Self {
            bots,
            random: (random, sandboxed_bot),
            post_game_logs: None,
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
