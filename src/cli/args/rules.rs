//! Rules on a command line.

use clap::Args;

/// Rules on a command line.
#[derive(Args, Debug)]
pub struct RuleArguments {
    /// Rule set: awale, abapa, classique, commun, simple, abidjan, junior, awari
    #[arg(long, value_name = "PRESET", default_value = "awale")]
    pub rules: String,
    /// Override one field of the rules, as in --set grand-slam=capture (repeatable)
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub sets: Vec<String>,
}
