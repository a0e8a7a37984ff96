//! Task tokens. Whoever has a token may answer its task, so tokens must be impossible to guess.

use super::event::TaskId;
use crate::base::{base64, hex};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The secret from which the task tokens of an execution are made.
///
/// Tokens do not depend on the execution's [`Rng`](crate::base::Rng), whose numbers appear in outputs (`States.UUID()`,
/// `$random()`) and reveal its state. A token contains its execution and task, and an HMAC-SHA-256 of them: equal keys give
/// equal tokens, and tokens reveal nothing about the key or about other tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// Returns the key of an execution whose caller gave a seed and no key: equal seeds give equal tokens.
    pub fn of_seed(seed: u64) -> TokenKey {
        TokenKey(hmac(b"stepglass: key of a seed", &seed.to_be_bytes()))
    }

    /// Parses a key from its 64 hexadecimal digits, which should be random.
    pub fn parse(text: &str) -> Option<TokenKey> {
        hex::decode(text).and_then(|bytes| bytes.try_into().ok()).map(TokenKey)
    }

    /// Returns the key's 64 hexadecimal digits.
    pub fn text(&self) -> String {
        hex::encode(&self.0)
    }

    /// Returns the key of a child execution that has an engine of its own.
    pub(super) fn of_child(&self, name: &str) -> TokenKey {
        TokenKey(hmac(&self.0, name.as_bytes()))
    }

    /// Returns the token of a task in an execution, or in one of its child executions.
    pub(super) fn token(&self, execution: &str, task: TaskId) -> Arc<str> {
        let said: Vec<u8> = task.0.to_be_bytes().into_iter().chain(execution.bytes()).collect();
        // The code comes first, so that tokens differ at the beginning, where a list has room for only a few characters.
        let mut bytes = vec![FORM];
        bytes.extend(hmac(&self.0, &said));
        bytes.extend(said);
        base64::encode_url(&bytes).into()
    }
}

/// The first byte of a token is its format. The code follows, then the data that it covers: the number of the task, its most
/// significant byte first, and the execution.
const FORM: u8 = 1;
/// The number of bytes before the task's number.
const CODED: usize = 33;
/// The number of bytes before the execution.
const HEAD: usize = CODED + 4;

/// Parses a task token into the ARN of the execution that its task belongs to and the task. For a child execution of a
/// Distributed Map it is the ARN of the execution that was started. Returns `None` for a text that no engine has made.
///
/// With it a host that was restarted finds the execution without an index of tokens. Only that execution can say whether the
/// token is valid: compare the whole token with the one from [`Engine::pending`](super::Engine::pending).
pub fn parse_token(token: &str) -> Option<(String, TaskId)> {
    let bytes = base64::decode(token);
    let (head, execution) = bytes.split_at_checked(HEAD)?;
    let task = TaskId(head.get(CODED..)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)));
    let execution = std::str::from_utf8(execution).ok()?;
    // The decoder also accepts other spellings, but a token has only one.
    let whole = head.first() == Some(&FORM) && !execution.is_empty() && base64::encode_url(&bytes) == *token;
    whole.then(|| (execution.to_string(), task))
}

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKey")
    }
}

/// HMAC-SHA-256 (RFC 2104) with a key that is no longer than a block.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let padded = |pad: u8| -> [u8; 64] { std::array::from_fn(|i| key.get(i).copied().unwrap_or(0) ^ pad) };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let code = hmac(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(hex::encode(&code), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn tokens_differ_by_key_execution_and_task() {
        let key = TokenKey::of_seed(1);
        let mut tokens = vec![key.token("a", TaskId(1)), key.token("a", TaskId(2)), key.token("b", TaskId(1))];
        tokens.push(TokenKey::of_seed(2).token("a", TaskId(1)));
        tokens.sort();
        tokens.dedup();
        assert_eq!(tokens.len(), 4);
        assert_eq!(key.token("a", TaskId(1)), TokenKey::of_seed(1).token("a", TaskId(1)));
    }

    #[test]
    fn a_token_names_its_task_and_cannot_be_forged() {
        // Even the longest ARN of AWS, in characters of four bytes, stays within the 2,048 characters of a token.
        for execution in ["arn:aws:states:us-east-1:123456789012:execution:m:é", "x", &"𝒙".repeat(256)] {
            for task in [1, 255, 65_536, u32::MAX] {
                let token = TokenKey::of_seed(3).token(execution, TaskId(task));
                assert_eq!(parse_token(&token), Some((execution.to_string(), TaskId(task))));
                assert!(token.len() <= 2048, "{}", token.len());
                assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{token}");
            }
        }
        let token = TokenKey::of_seed(3).token("arn", TaskId(1));
        let hexadecimal = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let forms =
            [format!("{token}="), format!(" {token}"), token[1..].to_string(), format!("B{}", &token[1..]), token.to_uppercase()];
        for other in forms.iter().map(String::as_str).chain(["", "AQ", "AAAA", hexadecimal]) {
            assert_eq!(parse_token(other), None, "{other}");
        }
        // A token whose data was changed is not the valid token for the new data.
        let mut bytes = base64::decode(&token);
        bytes[HEAD - 1] = 2;
        let forged = base64::encode_url(&bytes);
        assert_eq!(parse_token(&forged), Some(("arn".to_string(), TaskId(2))));
        assert_ne!(*forged, *TokenKey::of_seed(3).token("arn", TaskId(2)));
    }

    #[test]
    fn a_key_is_64_hexadecimal_digits() {
        let key = TokenKey::of_seed(7);
        assert_eq!(TokenKey::parse(&key.text()), Some(key));
        assert_eq!(TokenKey::parse("00"), None);
        assert_eq!(TokenKey::parse(&"zz".repeat(32)), None);
    }
}
