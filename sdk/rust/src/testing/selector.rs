//! Label selectors, written as for `kubectl -l`.

/// Requirements that all have to hold.
#[derive(Debug)]
pub(super) struct Selector(Vec<Requirement>);

#[derive(Debug)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug)]
enum Test {
    Exists,
    Missing,
    In(Vec<String>),
    NotIn(Vec<String>),
}

impl Selector {
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |part: &str| format!("invalid label selector {text:?}: {part:?} is no requirement");
        let mut requirements = Vec::new();
        for part in parts(text) {
            let part = part.trim();
            if part.is_empty() && text.trim().is_empty() {
                continue;
            }
            requirements.push(requirement(part).ok_or_else(|| wrong(part))?);
        }
        Ok(Self(requirements))
    }

    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|Requirement { key, test }| {
            let value = label(key);
            let listed =
                |values: &[String]| value.is_some_and(|value| values.iter().any(|listed| listed == value));
            match test {
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::In(values) => listed(values),
                Test::NotIn(values) => !listed(values),
            }
        })
    }
}

/// Split at commas outside of parentheses.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

fn requirement(part: &str) -> Option<Requirement> {
    if let Some(key) = part.strip_prefix('!') {
        return made(key, Test::Missing);
    }
    for (operator, negated) in [("!=", true), ("==", false), ("=", false)] {
        if let Some((key, value)) = part.split_once(operator) {
            let values = vec![word(value.trim(), true)?];
            return made(
                key,
                if negated {
                    Test::NotIn(values)
                } else {
                    Test::In(values)
                },
            );
        }
    }
    match part.split_once(char::is_whitespace) {
        None => made(part, Test::Exists),
        Some((key, rest)) => {
            let rest = rest.trim_start();
            match rest.strip_prefix("notin") {
                Some(values) => made(key, Test::NotIn(list(values)?)),
                None => made(key, Test::In(list(rest.strip_prefix("in")?)?)),
            }
        }
    }
}

fn made(key: &str, test: Test) -> Option<Requirement> {
    let key = word(key.trim(), false)?;
    Some(Requirement { key, test })
}

fn list(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    inner.split(',').map(|value| word(value.trim(), true)).collect()
}

fn word(text: &str, may_be_empty: bool) -> Option<String> {
    let of_word = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let whole = text.chars().all(of_word) && (may_be_empty || !text.is_empty());
    whole.then(|| text.to_owned())
}
