//! How a class is graded, as JSON: items of points as in a configuration.

use crate::record::{Grading, PointsItem};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A [`Grading`].
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct GradingForm {
    yardsticks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    points: Vec<ItemForm>,
}

/// A [`PointsItem`].
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
struct ItemForm(#[serde(with = "PointsItemForm")] PointsItem);

#[derive(Deserialize, Serialize)]
#[serde(untagged, deny_unknown_fields, remote = "PointsItem")]
enum PointsItemForm {
    Check {
        check: f64,
    },
    Beats {
        beats: String,
        share: f64,
        points: f64,
    },
    Faults {
        faults: u32,
        points: f64,
    },
}

/// Writes the grading of a run, if it has one.
///
/// # Errors
/// Those of the writer.
#[expect(clippy::ref_option, reason = "serde passes fields by reference")]
pub fn serialize<S: Serializer>(grading: &Option<Grading>, to: S) -> Result<S::Ok, S::Error> {
    let form = grading.as_ref().map(|grading| GradingForm {
        yardsticks: grading.yardsticks.clone(),
        points: grading.points.iter().cloned().map(ItemForm).collect(),
    });
    form.serialize(to)
}

/// Reads it.
///
/// # Errors
/// It is not written like this.
pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Grading>, D::Error> {
    let form = Option::<GradingForm>::deserialize(from)?;
    Ok(form.map(|form| Grading {
        yardsticks: form.yardsticks,
        points: form.points.into_iter().map(|item| item.0).collect(),
    }))
}
