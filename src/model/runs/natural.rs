//! Natural order: `run-2` before `run-10`.

/// A key that sorts `run-2` before `run-10`.
pub fn natural(text: &str) -> Vec<(u8, String)> {
    let mut parts: Vec<(u8, String)> = Vec::new();
    for c in text.chars() {
        let kind = u8::from(!c.is_ascii_digit());
        match parts.last_mut() {
            Some((last, part)) if *last == kind => part.push(c),
            _ => parts.push((kind, c.to_string())),
        }
    }
    for (kind, part) in &mut parts {
        if *kind == 0 {
            let digits = part.trim_start_matches('0');
            *part = format!("{digits:0>20}");
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_sort_by_size() {
        assert!(natural("run-2.json") < natural("run-10.json"));
    }
}
