//! The players of a real tournament: bots as processes.

use crate::bot::{
    Afterword, BotPlayer, BotSettings, FileAccess, Launch, Limits, OWN_PROGRAM, Restart,
    SandboxedBot,
};
use crate::isolation::Equipment;
use crate::record::Evidence;
use crate::tournament::{EntrantIndex, PlayerFactory};
use std::io;
use std::sync::mpsc::Sender;
use tokio::task::JoinSet;

/// The bots of all entrants, by their index in the plan.
#[derive(Debug)]
pub struct BotFactory {
    pub bots: Vec<(BotSettings, SandboxedBot)>,
    /// The house bot `random`.
    pub random: (BotSettings, SandboxedBot),
    /// Where what bots write after their games goes, if that is kept.
    pub afterwords: Option<Sender<Afterword>>,
}

impl BotFactory {
    /// Places the bots' files in the sandbox, including those of `random`.
    ///
    /// # Errors
    /// A bot's files cannot be read, or there is no room for them.
    pub fn new(equipment: &Equipment, bots: &[BotSettings]) -> io::Result<Self> {
        let random = random(&bots[0]);
        let mut sandboxed_bots = equipment.sandboxed_bots(&[bots, &[random]].concat())?;
        let random = sandboxed_bots.pop().expect("a sandboxed_bot for each bot");
        Ok(Self {
            bots: sandboxed_bots,
            random,
            afterwords: None,
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
    /// A player whose afterwords are not kept.
    fn unheard(&self, entrant: EntrantIndex) -> BotPlayer {
        let (settings, sandboxed_bot) = self.bots[entrant.index()].clone();
        BotPlayer::new(settings, sandboxed_bot)
    }
}

impl PlayerFactory for BotFactory {
    type Player = BotPlayer;

    fn player(&self, entrant: EntrantIndex) -> BotPlayer {
        let player = self.unheard(entrant);
        match &self.afterwords {
            Some(to) => player.with_afterwords(to.clone()),
            None => player,
        }
    }

    fn candidate(&self, entrant: EntrantIndex) -> BotPlayer {
        self.unheard(entrant).examined()
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

    fn rest(&self, player: &mut BotPlayer) -> bool {
        player.rest()
    }

    async fn try_start(&self, entrant: EntrantIndex) -> Result<(), String> {
        self.unheard(entrant).try_start().await
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
