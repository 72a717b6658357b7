//! Files with a row per configuration: the columns in which rows differ name the variants, or the headings
//! above tables that are otherwise alike.

use std::collections::{BTreeMap, BTreeSet};

/// A name for each row from the settings in which rows differ: `n_threads=8 flash_attn=1`; empty if all are alike. A
/// row is the names and values of its settings.
pub(crate) fn names(rows: &[Vec<(String, String)>]) -> Vec<String> {
    let value = |row: &[(String, String)], name: &str| {
        row.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut keys: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !keys.contains(&name.as_str()) {
            keys.push(name);
        }
    }
    keys.retain(|key| rows.iter().map(|row| value(row, key)).collect::<BTreeSet<_>>().len() > 1);
    let name = |row: &Vec<(String, String)>| {
        let parts = keys.iter().filter_map(|key| Some(format!("{key}={}", value(row, key)?)));
        parts.collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(name).collect()
}

/// Whether headings name the variants: one thing occurs under several headings. Each thing comes with the heading above
/// it.
pub(crate) fn recurs<T: Ord>(things: impl IntoIterator<Item = (T, String)>) -> bool {
    let mut headings: BTreeMap<T, String> = BTreeMap::new();
    things.into_iter().any(|(thing, heading)| {
        let first = headings.entry(thing).or_insert_with(|| heading.clone());
        *first != heading
    })
}

#[cfg(test)]
mod tests {
    use super::{names, recurs};

    #[test]
    fn headings_over_different_things_name_no_variants() {
        let of = |things: &[(u8, &str)]| {
            recurs(things.iter().map(|(thing, heading)| (*thing, (*heading).to_owned())))
        };
        assert!(of(&[(1, "before"), (2, "before"), (1, "after")]));
        assert!(of(&[(1, ""), (1, "after")]));
        assert!(!of(&[(1, "small"), (1, "small"), (2, "large")]));
    }

    #[test]
    fn only_what_differs_is_named() {
        let row = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let rows = [row(&[("a", "1"), ("b", "x")]), row(&[("a", "1"), ("b", "y")])];
        assert_eq!(names(&rows), ["b=x", "b=y"]);
        assert_eq!(names(&rows[..1]), [""]);
    }
}
