//! What is measured of one number: its variance, and how few openings make it.

/// What is known of a number, in square logits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// By the sandwich or the bootstrap, before any factor.
    pub scatter: f64,
    /// What the fit hides of the model's variance.
    pub unseen: f64,
    /// The model's variance.
    pub share: Share,
    /// `Σ s⁴ / (Σ s²)²` of what each opening moved the number by: one over how many openings make
    /// the scatter. 0 if it was not looked at.
    pub concentration: f64,
}

/// What openings add to the variance of a number if the model holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// All of it, square logits.
    pub sum: f64,
    /// The sum of squares of what each opening adds.
    pub squares: f64,
}

impl Share {
    /// The number of equally informative openings that say as much.
    pub fn openings(&self) -> f64 {
        self.sum * self.sum / self.squares
    }
}

impl Measured {
    /// Degrees of freedom if the model holds.
    pub fn freedom_by_model(&self) -> f64 {
        self.share.sum * (self.share.sum - self.unseen) / self.share.squares
    }

    /// Degrees of freedom.
    pub fn freedom(&self) -> f64 {
        let share = self.share;
        let by_model = self.freedom_by_model();
        let excess = self.concentration - share.squares / (share.sum * share.sum);
        if excess > 0.0 {
            by_model.min(2.0 / excess)
        } else {
            by_model
        }
    }
}

/// `Σ s⁴ / (Σ s²)²`; 0 if nothing moved.
pub fn concentration(squares: f64, fourths: f64) -> f64 {
    // What rounding leaves of level pairs is nothing.
    if squares > 1e-30 {
        fourths / (squares * squares)
    } else {
        0.0
    }
}
