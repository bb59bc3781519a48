//! How values went, as a picture that every browser shows: one panel for each of them.

use std::fmt::Write as _;

/// Pixels.
const WIDTH: f64 = 720.0;
const PANEL: f64 = 120.0;
const MARGIN: f64 = 40.0;

/// One value over time.
pub struct PlottedPath<'a> {
    /// Its name: letters, digits, - and _.
    pub name: &'a str,
    /// The bounds of the panel.
    pub range: [f64; 2],
    /// The values, from that before the first step on.
    pub values: Vec<f64>,
    /// The last one for people.
    pub last: String,
}

/// The picture, an SVG file. `steps` is the number of steps that the whole path has.
pub fn path_plot(paths: &[PlottedPath<'_>], steps: u32) -> String {
    let height = PANEL * paths.len() as f64 + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for (number, path) in paths.iter().enumerate() {
        let (top, bottom) = (
            PANEL * number as f64 + MARGIN,
            PANEL * (number as f64 + 1.0),
        );
        let [low, high] = path.range;
        let across =
            |step: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * step as f64 / f64::from(steps.max(1));
        let up = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);
        let points = path.values.iter().enumerate();
        let points = points.map(|(step, value)| format!("{:.1},{:.1}", across(step), up(*value)));
        let points: Vec<String> = points.collect();
        let (right, name, last) = (WIDTH - MARGIN, path.name, &path.last);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{:.1}\" font-weight=\"bold\">{name} = {last}</text>\n\
             <g fill=\"#555\" text-anchor=\"end\"><text x=\"{:.1}\" y=\"{top:.1}\">{high}</text>\
             <text x=\"{:.1}\" y=\"{bottom:.1}\">{low}</text></g>\n\
             <path d=\"M{MARGIN},{top:.1}V{bottom:.1}H{right}\" fill=\"none\" stroke=\"#999\"/>\n\
             <polyline points=\"{}\" fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\"/>\n",
            top - 12.0,
            MARGIN - 4.0,
            MARGIN - 4.0,
            points.join(" ")
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_two_steps_worked_out_by_hand() {
        let path = PlottedPath {
            name: "weight",
            range: [0.0, 10.0],
            values: vec![5.0, 10.0, 0.0],
            last: "0".to_owned(),
        };
        let svg = path_plot(&[path], 4);
        // From 40 to 680 across in four steps; 10 is at the height of 40 and 0 at that of 120.
        assert!(
            svg.contains("points=\"40.0,80.0 200.0,40.0 360.0,120.0\""),
            "{svg}"
        );
        assert!(svg.contains(">weight = 0</text>"), "{svg}");
    }
}
