//! DER, as far as it has to be taken apart here: one element after the other, and put together again.

/// The tag of a SEQUENCE.
pub(super) const SEQUENCE: u8 = 0x30;

/// An element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    /// Without tag and length.
    pub(super) content: &'a [u8],
    /// With them.
    pub(super) whole: &'a [u8],
}

/// The elements of some bytes, in order; ends at what is no element, with [`None`] as the last item.
pub(super) fn elements(mut bytes: &[u8]) -> Option<Vec<Element<'_>>> {
    let mut elements = Vec::new();
    while !bytes.is_empty() {
        let (element, rest) = first(bytes)?;
        elements.push(element);
        bytes = rest;
    }
    Some(elements)
}

/// The first element, and what follows it.
pub(super) fn first(bytes: &[u8]) -> Option<(Element<'_>, &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    // Tags of more than one byte occur in nothing that is read here.
    if tag & 0x1f == 0x1f {
        return None;
    }
    let (length, rest) = length(rest)?;
    let (content, rest) = rest.split_at_checked(length)?;
    let whole = bytes.get(..bytes.len() - rest.len())?;
    Some((Element { tag, content, whole }, rest))
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if first < 0x80 {
        return Some((first.into(), rest));
    }
    let count = usize::from(first & 0x7f);
    if count == 0 || count > 4 {
        return None;
    }
    let (digits, rest) = rest.split_at_checked(count)?;
    let length = digits
        .iter()
        .fold(0_usize, |length, digit| length << 8 | usize::from(*digit));
    Some((length, rest))
}

/// An element with a tag and a content.
pub(super) fn encode(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut bytes = vec![tag];
    if length < 0x80 {
        bytes.extend(u8::try_from(length));
    } else {
        let digits: Vec<u8> = length
            .to_be_bytes()
            .into_iter()
            .skip_while(|digit| *digit == 0)
            .collect();
        bytes.extend(u8::try_from(digits.len()).map(|count| 0x80 | count));
        bytes.extend(digits);
    }
    bytes.extend_from_slice(content);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_read_again_at_each_length() {
        for length in [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x1_0000] {
            let content = vec![7; length];
            let bytes = encode(SEQUENCE, &content);
            let (element, rest) = first(&bytes).unwrap();
            assert_eq!(
                (element.tag, element.content, element.whole),
                (SEQUENCE, &*content, &*bytes)
            );
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn what_is_cut_off_is_no_element() {
        let bytes = encode(SEQUENCE, &[7; 200]);
        assert!((0..bytes.len()).all(|end| first(&bytes[..end]).is_none()));
        assert_eq!(elements(&[5, 0, 5]), None);
        assert_eq!(elements(&[5, 0, 5, 0]).unwrap().len(), 2);
    }
}
