//! Lines of the configuration are shown on terminals and in the journal; the secrets in them are not.
//!
//! Works on the text, so that it also holds where the file cannot be understood or a key is misspelt.

const SECRETIVE: [&str; 5] = ["pas", "secret", "url", "token", "key"];
/// They say where a secret lies, not what it is.
const POINTING: [&str; 2] = ["-file", "-credential"];

/// Of the same length, so that places in the one are places in the other.
pub fn secrets(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let assigned = line.match_indices('=').find(|(at, _)| line.get(..*at).is_some_and(is_secretive));
    let Some((at, _)) = assigned else { return line.to_owned() };
    let (open, secret) = line.split_at(at + 1);
    let stars = |c: char| if "\"' \t\r\n".contains(c) { c.to_string() } else { "*".repeat(c.len_utf8()) };
    open.to_owned() + &secret.chars().map(stars).collect::<String>()
}

/// Whether the key at the end is that of a secret.
fn is_secretive(before: &str) -> bool {
    let key = before.trim_end().trim_end_matches(['"', '\'']).to_lowercase();
    let key = key.rsplit(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').next().unwrap_or_default();
    SECRETIVE.iter().any(|word| key.contains(word)) && !POINTING.iter().any(|end| key.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_however_they_are_written() {
        for text in [
            "password = \"hunter2\"",
            "\tpasword='hunter2\r\n",
            "mail = { to = \"a@b\", \"password\" = \"hunter2\" }",
            "mail.password = \"hunter2\" # hunter2",
            "URL = \"https://x/hunter2=hunter2\"\nurl = hunter2",
        ] {
            let shown = secrets(text);
            assert!(!shown.contains("hunter2") && shown.len() == text.len(), "{shown}");
        }
        assert_eq!(secrets("password = \"pä\"\n"), "password = \"***\"\n");
    }

    #[test]
    fn everything_else_is_shown() {
        for text in
            ["password-file = \"/a=b\"\n[mail]\n", "to = \"url\" # password", "password-credential = \"x\"", "=", ""]
        {
            assert_eq!(secrets(text), text);
        }
    }
}
