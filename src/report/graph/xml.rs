//! Text in XML.

use std::fmt;

use crate::source::visible_line;

/// Text between tags or in an attribute. Control characters become visible escapes first: XML 1.0 allows most of
/// them not even as a reference.
pub struct XmlText<'a>(pub &'a str);

impl fmt::Display for XmlText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in visible_line(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&apos;")?,
                // These two are harmless for terminals and forbidden all the same.
                '\u{fffe}' | '\u{ffff}' => write!(f, "{}", c.escape_unicode())?,
                c => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_written_out() {
        let text = XmlText("a<b> & \"c\" 'd'\u{1}\u{1b}\n\u{85}\u{fffe}é").to_string();
        let expected =
            "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;\\u{1}\\u{1b}\\n\\u{85}\\u{fffe}é";
        assert_eq!(text, expected);
    }
}
