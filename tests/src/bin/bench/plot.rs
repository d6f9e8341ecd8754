//! Figures as pictures: a line through points, in SVG, with axes that begin at nothing.

use std::{fmt::Write as _, fs, path::PathBuf};

use espejote_tests::built;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 20.0;

/// One line.
pub struct Plot {
    /// The name of the file, without its ending.
    pub file: &'static str,
    /// What is shown.
    pub title: &'static str,
    /// What goes to the right.
    pub across: &'static str,
    /// What goes up.
    pub up: &'static str,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The line that should not be crossed, by the same points.
    pub limit: Vec<(f64, f64)>,
}

impl Plot {
    /// Writes the picture, and says where.
    pub fn write(&self) -> PathBuf {
        let path = built::target().join(format!("{}.svg", self.file));
        fs::write(&path, self.svg()).expect("write a picture");
        path
    }

    fn svg(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        text(&mut svg, (middle, 20.0), "middle", self.title);
        text(&mut svg, (middle, HEIGHT - 10.0), "middle", self.across);
        text(&mut svg, (LEFT, TOP - 8.0), "end", self.up);
        self.ticks(&mut svg);
        self.line(&mut svg, &self.limit, "stroke=\"#c33\" stroke-dasharray=\"6 4\"");
        self.line(&mut svg, &self.points, "stroke=\"#15a\" stroke-width=\"2\"");
        for &point in &self.points {
            let (x, y) = self.place(point);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"#15a\"/>");
        }
        svg + "</svg>\n"
    }

    fn ticks(&self, svg: &mut String) {
        let (right, up) = self.extent();
        for part in 0..=4 {
            let share = f64::from(part) / 4.0;
            let (x, y) = self.place((right * share, up * share));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>",
                WIDTH - RIGHT
            );
            text(svg, (LEFT - 6.0, y + 4.0), "end", &short(up * share));
            text(svg, (x, HEIGHT - BOTTOM + 16.0), "middle", &short(right * share));
        }
    }

    fn line(&self, svg: &mut String, points: &[(f64, f64)], style: &str) {
        let places: Vec<String> = points
            .iter()
            .map(|&point| self.place(point))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" {style}/>",
            places.join(" ")
        );
    }

    /// The largest of both axes.
    fn extent(&self) -> (f64, f64) {
        let all = || self.points.iter().chain(&self.limit);
        let right = all().map(|point| point.0).fold(1.0, f64::max);
        let up = all().map(|point| point.1).fold(1.0, f64::max);
        (right, up * 1.1)
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (right, up) = self.extent();
        (
            LEFT + x / right * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - y / up * (HEIGHT - BOTTOM - TOP),
        )
    }
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

fn short(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n => format!("{n:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_between_the_axes() {
        let plot = Plot {
            file: "none",
            title: "t",
            across: "a",
            up: "u",
            points: vec![(0.0, 0.0), (10.0, 5.0)],
            limit: vec![(10.0, 8.0)],
        };
        assert_eq!(plot.place((0.0, 0.0)), (LEFT, HEIGHT - BOTTOM));
        let (x, y) = plot.place((10.0, 5.0));
        assert!(x <= WIDTH - RIGHT && y > TOP && y < HEIGHT - BOTTOM);
        assert!(plot.svg().contains("<polyline"));
    }
}
