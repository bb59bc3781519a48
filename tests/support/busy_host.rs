//! The one rule for games that a busy host disturbed, in tests that measure the host: such a game
//! is played again, as in a tournament. Any other void is judged like any other ending.

use awale::record::GameEnding;

/// Whether the host was too busy for a game.
pub fn is_disturbed(ending: &GameEnding) -> bool {
    let GameEnding::Void(void) = ending else {
        return false;
    };
    // A box is made before the bot's program is started in it.
    ["the host was late", "the host had not made a bot's box"]
        .iter()
        .any(|cause| void.cause.starts_with(cause))
}
