//! Messages of the protocol: a tag, a time, a payload.

use super::ProgramError;
use crate::output::escaped;

/// The version of the protocol.
pub const VERSION: f64 = 1.0;

/// Bytes before the payload: four of the tag, four of the length, eight of the time.
pub const HEADER: usize = 16;

/// One message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Four letters that say what it is.
    pub tag: [u8; 4],
    /// CPU time in s that the sender has spent on the solution, without waiting and pipes.
    pub cpu_s: f64,
    /// Numbers as IEEE doubles, the lowest byte first, or a text in UTF-8.
    pub payload: Vec<u8>,
}

impl Frame {
    /// Tag, length of the payload and time of a header.
    pub fn header(bytes: &[u8; HEADER]) -> ([u8; 4], usize, f64) {
        let [a, b, c, d, e, f, g, h, time @ ..] = *bytes;
        let length = u32::from_le_bytes([e, f, g, h]);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        ([a, b, c, d], length, f64::from_le_bytes(time))
    }

    /// Appends the message to `bytes`.
    ///
    /// # Errors
    /// The payload is longer than the length can say.
    pub fn write(
        tag: [u8; 4],
        cpu_s: f64,
        payload: &Payload,
        bytes: &mut Vec<u8>,
    ) -> Result<(), ProgramError> {
        let length = match payload {
            Payload::Text(text) => text.len(),
            Payload::Numbers(numbers) => 8 * numbers.len(),
        };
        let length = u32::try_from(length)
            .map_err(|_| ProgramError::NotServed(format!("an answer would have {length} bytes")))?;
        bytes.extend(tag);
        bytes.extend(length.to_le_bytes());
        bytes.extend(cpu_s.to_le_bytes());
        match payload {
            Payload::Text(text) => bytes.extend(text.as_bytes()),
            Payload::Numbers(numbers) => {
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        Ok(())
    }

    /// The tag in words.
    pub fn name(&self) -> String {
        self.tag.escape_ascii().to_string()
    }

    /// The payload as numbers, exactly so many.
    ///
    /// # Errors
    /// There are more or fewer.
    pub fn numbers(&self, count: usize, into: &mut Vec<f64>) -> Result<(), ProgramError> {
        if self.payload.len() != 8 * count {
            return Err(ProgramError::Nonsense(format!(
                "`{}` comes with {} bytes instead of {count} numbers",
                self.name(),
                self.payload.len()
            )));
        }
        into.clear();
        let (numbers, _) = self.payload.as_chunks::<8>();
        into.extend(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)));
        Ok(())
    }

    /// The payload as a text; what is no UTF-8 is replaced, control characters are escaped.
    pub fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.payload);
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
        escaped(text).into_owned()
    }
}

/// What a message carries.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// Words.
    Text(&'a str),
    /// Numbers.
    Numbers(&'a [f64]),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back() -> Result<(), ProgramError> {
        let mut bytes = Vec::new();
        let sent = [1.5, -0.0, f64::MIN_POSITIVE];
        Frame::write(*b"rhs ", 0.25, &Payload::Numbers(&sent), &mut bytes)?;
        let (header, payload) = bytes.split_first_chunk().expect("a header");
        let (tag, length, cpu_s) = Frame::header(header);
        assert_eq!((tag, length, cpu_s), (*b"rhs ", 24, 0.25));
        let frame = Frame {
            tag,
            cpu_s,
            payload: payload.to_vec(),
        };
        let mut numbers = Vec::new();
        frame.numbers(3, &mut numbers)?;
        // Negative zero equals zero: bits do not.
        let bits = |numbers: &[f64]| {
            numbers
                .iter()
                .map(|number| number.to_bits())
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(&numbers), bits(&sent));
        let error = frame.numbers(2, &mut numbers).expect_err("three numbers");
        assert!(error.to_string().contains("`rhs ` comes with 24 bytes"));
        Ok(())
    }
}
