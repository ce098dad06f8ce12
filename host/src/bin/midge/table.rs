//! Tables that fit the terminal.

use crate::screen::{Screen, Style, cut};
use unicode_width::UnicodeWidthStr;

const GAP: usize = 2;
/// No column is made narrower than this.
const NARROWEST: usize = 10;
/// No column is filled up to more than this where nothing is cut: one long cell would make every row as long.
const WIDEST: usize = 200;

/// Rows under headers. The first column holds names and is cut last: names are there to be copied.
pub struct Table {
    headers: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headers: &[&'static str]) -> Self {
        Self { headers: headers.to_vec(), rows: Vec::new() }
    }

    /// Adds a row of texts that are already harmless and in one line.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub fn render(mut self, screen: &Screen) -> String {
        self.drop_empty();
        let natural: Vec<usize> = (0..self.headers.len()).map(|at| self.widest(at)).collect();
        let widths = fit(&natural, screen.width);
        let headers = self.headers.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>();
        let cuts = screen.width.is_some();
        let mut out = line(&headers, &widths, cuts, |_, text| screen.paint(Style::Dim, text));
        for row in &self.rows {
            out += &line(row, &widths, cuts, |at, text| {
                if at == 0 { screen.paint(Style::Name, text) } else { text.into() }
            });
        }
        out
    }

    /// A column in which nothing stands takes room from the others.
    fn drop_empty(&mut self) {
        let used: Vec<bool> =
            (0..self.headers.len()).map(|at| self.rows.iter().any(|row| !row[at].is_empty())).collect();
        let keep = |at: usize| at == 0 || used[at];
        let mut at = 0..;
        self.headers.retain(|_| at.next().is_some_and(keep));
        for row in &mut self.rows {
            let mut at = 0..;
            row.retain(|_| at.next().is_some_and(keep));
        }
    }

    fn widest(&self, at: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[at].width());
        cells.chain([self.headers[at].width()]).max().unwrap_or(0)
    }
}

/// One row: every column but the last is filled up with blanks; no blanks stay at the end.
fn line(cells: &[String], widths: &[usize], cuts: bool, paint: impl Fn(usize, &str) -> String) -> String {
    let mut out = String::new();
    let mut blanks = 0;
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let cell = if cuts { cut(cell, *width) } else { cell.clone() };
        if !cell.is_empty() {
            out.push_str(&" ".repeat(blanks));
            blanks = 0;
            out.push_str(&paint(at, &cell));
        }
        blanks += width.saturating_sub(cell.width()) + GAP;
    }
    out.push('\n');
    out
}

/// The columns' widths: the widest one gives way first, until all fit.
fn fit(natural: &[usize], width: Option<usize>) -> Vec<usize> {
    let Some(width) = width else { return natural.iter().map(|n| (*n).min(WIDEST)).collect() };
    let room = width.saturating_sub(GAP * natural.len().saturating_sub(1));
    let mut widths: Vec<usize> = natural.iter().map(|n| (*n).min(room.max(NARROWEST))).collect();
    let least = |at: usize, now: usize| if at == 0 { now.min(room / 2) } else { NARROWEST };
    let least: Vec<usize> = widths.iter().enumerate().map(|(at, now)| least(at, *now)).collect();
    while widths.iter().sum::<usize>() > room {
        let gives =
            (0..widths.len()).filter(|at| widths[*at] > least[*at]).max_by_key(|at| (widths[*at], *at));
        let Some(at) = gives else { break };
        widths[at] -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["NAME", "TITLE", "WHAT IT DOES"]);
        table.row(vec!["read".into(), String::new(), "Reads the room temperature and the settings.".into()]);
        table.row(vec!["set_target".into(), String::new(), "Sets it.".into()]);
        table
    }

    #[test]
    fn columns_line_up_and_empty_ones_go() {
        let shown = table().render(&Screen::plain());
        assert_eq!(
            shown,
            "NAME        WHAT IT DOES\nread        Reads the room temperature and the settings.\nset_target  Sets it.\n"
        );
    }

    #[test]
    fn fits_the_terminal() {
        for width in [24, 30, 40, 80] {
            let shown = table().render(&Screen { width: Some(width), ..Screen::plain() });
            assert!(shown.lines().all(|line| line.width() <= width), "{width}:\n{shown}");
            assert!(shown.contains("set_target"), "{shown}");
        }
        let shown = table().render(&Screen { width: Some(30), ..Screen::plain() });
        assert!(shown.contains("read        Reads the room te…"), "{shown}");
    }

    #[test]
    fn very_long_cells_cost_no_time() {
        let widths = fit(&[12, 1_000_000, 2_000_000], Some(80));
        assert_eq!(widths.iter().sum::<usize>() + 2 * GAP, 80);
    }
}
