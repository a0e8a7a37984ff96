//! "Did you mean" suggestions: the nearest of the known names.

use crate::base::case;

/// Returns the known name nearest to `word`, if it is at most two edits away (and fewer than the word has letters).
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(word, &mut known.into_iter())
}

fn nearest_of<'a>(word: &str, known: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let used = letters(word);
    let word: Vec<char> = word.chars().take(81).collect();
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        // An edit removes a letter, adds one, or does both.
        if name.len().abs_diff(word.len()) > 8 || (used ^ letters(name)).count_ones() > 4 {
            continue;
        }
        let candidate: Vec<char> = name.chars().collect();
        let distance = match distance(&word, &candidate) {
            Some(distance) => distance,
            // A name in another case is one mistake, regardless of how many letters differ.
            None if same_letters(&word, &candidate) => 1,
            None => continue,
        };
        let tolerated = if word.len() < 4 { 1 } else { 2 };
        if distance > 0 && distance <= tolerated && distance < word.len() && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Which letters of English occur in a text, one bit for each.
fn letters(text: &str) -> u32 {
    text.bytes().filter(u8::is_ascii_alphabetic).fold(0, |letters, letter| letters | 1 << (letter & 31))
}

/// Whether two words are equal except for case, spaces, hyphens and underscores.
fn same_letters(a: &[char], b: &[char]) -> bool {
    let is_letter = |c: &&char| !matches!(c, ' ' | '-' | '_');
    let (mut a, mut b) = (a.iter().filter(is_letter), b.iter().filter(is_letter));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || case::lower_of(*a).eq(case::lower_of(*b)) => {}
            _ => return false,
        }
    }
}

/// Counts insertions, deletions, substitutions and swaps of neighbours between two words; `None` above 2.
fn distance(a: &[char], b: &[char]) -> Option<usize> {
    if a.len().abs_diff(b.len()) > 2 {
        return None;
    }
    let width = b.len() + 1;
    // Invariant: rows has one cell for each pair of prefixes, and i and j are lengths of prefixes.
    let mut rows = vec![0; (a.len() + 1) * width];
    let at = |i: usize, j: usize| i * width + j;
    for (j, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        rows[at(i, 0)] = i;
        let mut nearest = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[at(i - 1, j)] + 1).min(rows[at(i, j - 1)] + 1).min(rows[at(i - 1, j - 1)] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[at(i - 2, j - 2)] + 1);
            }
            rows[at(i, j)] = least;
            nearest = nearest.min(least);
        }
        // No later row can have a smaller distance.
        if nearest > 2 {
            return None;
        }
    }
    Some(rows[at(a.len(), b.len())]).filter(|&distance| distance <= 2)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggestions() {
        let check = |word, known: &[&'static str], expected| assert_eq!(nearest(word, known.iter().copied()), expected, "{word}");
        check("Shp", &["Ship", "Shop", "Other"], Some("Ship"));
        check("Nxet", &["Next", "End"], Some("Next"));
        check("INPUTPATH", &["InputPath", "OutputPath"], Some("InputPath"));
        check("Error Equals", &["ErrorEquals"], Some("ErrorEquals"));
        check("Resource", &["ResultPath"], None);
        check("a", &["b"], None);
        check("", &["b"], None);
        check("Ship", &["Ship"], None);
    }
}
