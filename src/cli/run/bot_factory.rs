//! The players of a real tournament: bots as processes.

use crate::bot::{BotPlayer, BotSettings, FileAccess, Launch, Limits, Restart, SandboxedBot};
use crate::isolation::Equipment;
use crate::record::Evidence;
use crate::tournament::{EntrantIndex, PlayerFactory};
use std::io;
use tokio::task::JoinSet;

/// The bots of all entrants, by their place in the plan.
#[derive(Debug)]
pub struct BotFactory {
    pub bots: Vec<(BotSettings, SandboxedBot)>,
    /// The house bot `random`.
    pub random: (BotSettings, SandboxedBot),
}

impl BotFactory {
    /// Lays out the bots' files in the sandbox, those of `random` too.
    ///
    /// # Errors
    /// A bot's files cannot be read, or there is no room for them.
    pub fn new(equipment: &Equipment, bots: &[BotSettings]) -> io::Result<Self> {
        let random = random(&bots[0])?;
        let mut cells = equipment.cells(&[bots, &[random]].concat())?;
        let random = cells.pop().expect("a cell for each bot");
        Ok(Self {
            bots: cells,
            random,
        })
    }
}

/// The house bot that whoever is examined meets; it is run as `like` is.
pub fn random(like: &BotSettings) -> io::Result<BotSettings> {
    Ok(BotSettings {
        launch: Launch {
            program: std::env::current_exe()?,
            arguments: ["bot", "random"].map(Into::into).into(),
            directory: like.launch.directory.clone(),
            environment: Vec::new(),
            surroundings: Vec::new(),
            belongings: FileAccess::default(),
        },
        restart: Restart::Never,
        limits: Limits::default(),
        ..like.clone()
    })
}

impl PlayerFactory for BotFactory {
    type Player = BotPlayer;

    fn player(&self, entrant: EntrantIndex) -> BotPlayer {
        let (settings, cell) = self.bots[entrant.index()].clone();
        BotPlayer::new(settings, cell)
    }

    fn random(&self) -> BotPlayer {
        let (settings, cell) = self.random.clone();
        BotPlayer::new(settings, cell)
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

    fn dismiss(&self, player: BotPlayer, leaving: &mut JoinSet<Option<String>>) {
        leaving.spawn(player.close());
    }
}
