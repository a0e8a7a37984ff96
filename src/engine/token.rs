//! Task tokens: whoever has one may answer its task, so nobody can work one out.

use super::event::TaskId;
use crate::base::hex;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The secret that the task tokens of an execution are made with.
///
/// Tokens stand apart from the execution's [`Rng`](crate::base::Rng), whose numbers appear in outputs (`States.UUID()`,
/// `$random()`) and lead back to its state. A token is an HMAC-SHA-256 of the execution's ARN and the task's number: equal
/// keys give equal tokens, and tokens give nothing away of the key or of other tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    /// The key of an execution whose caller gave a seed and no key: equal seeds give equal tokens.
    pub fn of_seed(seed: u64) -> TokenKey {
        TokenKey(hmac(b"stepglass: key of a seed", &seed.to_be_bytes()))
    }

    /// A key from its 64 hexadecimal digits, which should be random.
    pub fn parse(text: &str) -> Option<TokenKey> {
        hex::decode(text).and_then(|bytes| bytes.try_into().ok()).map(TokenKey)
    }

    /// Its 64 hexadecimal digits.
    pub fn text(&self) -> String {
        hex::encode(&self.0)
    }

    /// The token of a task.
    pub(super) fn token(&self, execution: &str, task: TaskId) -> Arc<str> {
        hex::encode(&hmac(&self.0, format!("{} {execution}", task.0).as_bytes())).into()
    }
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
    fn a_key_is_64_hexadecimal_digits() {
        let key = TokenKey::of_seed(7);
        assert_eq!(TokenKey::parse(&key.text()), Some(key));
        assert_eq!(TokenKey::parse("00"), None);
        assert_eq!(TokenKey::parse(&"zz".repeat(32)), None);
    }
}
