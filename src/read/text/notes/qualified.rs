//! Lines below the name of a quantity, `Latency (ms):`, which they name by its statistics alone: `95th percentile: 17.32`.

use crate::kit::fields::is_metric;
use crate::kit::figure::figure;
use crate::text::text_block::spelled;
use beyondnoise_model::metrics::words::{Quantity, Says, meaning};

/// The lines with the quantity in each name that lacks it, in the place of the line that named it.
pub(crate) fn qualified(lines: &mut [String]) {
    let mut at = 0;
    while at < lines.len() {
        let Some(quantity) = quantity(&lines[at]) else {
            at += 1;
            continue;
        };
        let below = lines[at + 1..].iter().take_while(|line| is_statistic(line, &quantity)).count();
        for line in &mut lines[at + 1..=at + below] {
            if let Some((label, value)) = line.split_once(':') {
                *line = format!("{}: {}", spelled(&whole(label, &quantity)), value.trim());
            }
        }
        if below > 0 {
            lines[at].clear();
        }
        at += below + 1;
    }
}

/// Names what the server measured of a run as that, where a program prints it in a section behind that of the client: `Server:` over
/// `Avg request latency: 41220 usec`.
pub(crate) fn name_of_server(lines: &mut [String]) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let section = |line: &str, name: &str| {
        let word = line.trim().trim_end_matches(':');
        indent(line) > 0 && line.trim().ends_with(':') && word.eq_ignore_ascii_case(name)
    };
    let clients: Vec<usize> =
        lines.iter().filter(|line| section(line, "client")).map(|line| indent(line)).collect();
    let mut inside = None;
    for line in lines {
        if section(line, "server") && clients.contains(&indent(line)) {
            inside = Some(indent(line));
        } else if inside.is_some_and(|outer| indent(line) > outer) {
            *line = format!("{}Server {}", &line[..indent(line)], line.trim_start());
        } else {
            inside = None;
        }
    }
}

/// A label without the marks of a quote and of a list.
fn bare(label: &str) -> &str {
    label.trim().trim_start_matches(['>', '-', '*', '•', '·', ' '])
}

fn whole(label: &str, quantity: &str) -> String {
    format!("{} {quantity}", bare(label))
}

/// The quantity that a line names, and nothing else.
fn quantity(line: &str) -> Option<String> {
    let name = bare(line).trim_end_matches(['*', ' ']).strip_suffix([':', '：'])?;
    let name = name.trim_end_matches(['*', ' ']);
    let says = meaning(name);
    let measured = says.quantity != Quantity::Other && says.statistic.is_none();
    (measured && says.says == Says::Measured).then(|| name.to_owned())
}

/// Whether a line gives a statistic of a quantity, and names none itself.
fn is_statistic(line: &str, quantity: &str) -> bool {
    line.split_once(':').is_some_and(|(label, value)| {
        let statistic = |name: &str| meaning(&spelled(name)).statistic;
        let whole = statistic(&whole(label, quantity));
        let (label, alone) = (bare(label), statistic(&format!("{} ", bare(label))));
        whole.is_some() && whole == alone && !is_metric(label) && figure(value, false).is_some()
    })
}
