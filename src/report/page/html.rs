//! A page as one file for a browser: no network, no scripts of others, and readable without any script.

use std::fmt::Write;

use super::{PageForm, PagePart, SharedPage, tags};
use crate::graph::xml::XmlText;

/// The looks of a page.
const STYLE: &str = include_str!("page.css");
/// The script that shows one step at a time.
const SCRIPT: &str = include_str!("page.js");
/// The content security policy of a page: no text in it can make a browser load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Writes a page as a file for a browser.
#[must_use]
pub fn html(page: &SharedPage) -> String {
    let title = XmlText(&page.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"Orbitscope\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1></header>\n<main>\n"
    );
    parts(&page.parts, 2, &mut out);
    if !page.steps.is_empty() {
        steps(page, &mut out);
    }
    let _ = write!(
        out,
        "</main>\n<footer><p>Made by Orbitscope {}.</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

fn parts(parts: &[PagePart], level: usize, out: &mut String) {
    for part in parts.iter().filter(|part| part.forms.has(PageForm::Html)) {
        out.push_str("<section>\n");
        if !part.heading.is_empty() {
            let heading = XmlText(&part.heading);
            let _ = writeln!(out, "<h{level}>{heading}</h{level}>");
        }
        tags::document(&part.document, &part.heading, out);
        if let Some((drawing, svg)) = part.drawing.as_ref().and_then(|d| Some((d, d.svg()?))) {
            let caption = XmlText(&drawing.caption);
            let _ = writeln!(
                out,
                "<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>"
            );
        }
        out.push_str("</section>\n");
    }
}

/// Writes the list of steps, and all of them below one another; the script shows one at a time.
fn steps(page: &SharedPage, out: &mut String) {
    out.push_str(
        "<section class=\"run\">\n<h2 id=\"steps\">Steps</h2>\n\
         <div class=\"controls\" hidden>\n\
         <div role=\"group\" aria-label=\"Go through the steps\">\n\
         <button type=\"button\" data-go=\"first\">First</button>\n\
         <button type=\"button\" data-go=\"previous\">Previous</button>\n\
         <button type=\"button\" data-go=\"next\">Next</button>\n\
         <button type=\"button\" data-go=\"last\">Last</button>\n\
         <button type=\"button\" data-go=\"all\" aria-pressed=\"false\">All steps at once</button>\n\
         </div>\n<p id=\"now\" role=\"status\" aria-live=\"polite\"></p>\n\
         <p class=\"dim\">The left and right arrow keys go through the steps, too.</p>\n</div>\n\
         <div class=\"columns\">\n<nav aria-label=\"All steps\">\n<ol start=\"0\">\n",
    );
    for (at, step) in page.steps.iter().enumerate() {
        let (event, with) = (XmlText(&step.event), step.with.join(", "));
        let _ = write!(out, "<li><a href=\"#step-{at}\">{event}</a>");
        if !with.is_empty() {
            let _ = write!(out, " <span class=\"dim\">{}</span>", XmlText(&with));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n</nav>\n<div class=\"states\">\n");
    for (at, step) in page.steps.iter().enumerate() {
        let heading = page.step_heading(at);
        let heading = XmlText(&heading);
        let _ = writeln!(
            out,
            "<article class=\"step\" id=\"step-{at}\" aria-labelledby=\"title-{at}\">\n\
             <h3 id=\"title-{at}\">{heading}</h3>"
        );
        parts(&step.parts, 4, out);
        out.push_str("</article>\n");
    }
    out.push_str("</div>\n</div>\n</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours of the light and of the dark scheme, by name.
    fn schemes() -> Vec<Vec<(&'static str, f64)>> {
        let schemes = STYLE.split("--back:").skip(1);
        let scheme = |text: &'static str| {
            let block = text.split('}').next().unwrap_or_default();
            let pairs = block.split("--").filter_map(|pair| pair.split_once(": #"));
            let named = pairs.map(|(name, value)| (name, luminance(&value[..6])));
            let back = text
                .split_once('#')
                .map(|(_, value)| luminance(&value[..6]));
            back.map(|back| ("back", back))
                .into_iter()
                .chain(named)
                .collect()
        };
        schemes.map(scheme).collect()
    }

    /// The relative luminance of a colour, as the guidelines for accessibility define it.
    fn luminance(hex: &str) -> f64 {
        let part = |at: usize| {
            let level = u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            let level = f64::from(level) / 255.0;
            match level <= 0.04045 {
                true => level / 12.92,
                false => ((level + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    }

    #[test]
    fn words_stand_out_from_what_is_behind_them() {
        let schemes = schemes();
        assert_eq!(schemes.len(), 2);
        for scheme in schemes {
            let colour = |name: &str| scheme.iter().find(|(n, _)| *n == name).unwrap().1;
            let contrast = |a: &str, b: &str| {
                let (a, b) = (colour(a), colour(b));
                (a.max(b) + 0.05) / (a.min(b) + 0.05)
            };
            for words in ["text", "dim", "link", "good", "bad", "open"] {
                for behind in ["back", "panel", "changed"] {
                    let found = contrast(words, behind);
                    assert!(found >= 4.5, "{words} on {behind}: {found}");
                }
            }
            assert!(contrast("off", "on") >= 4.5);
            // Lines and frames of buttons.
            assert!(contrast("line", "back") >= 3.0 && contrast("line", "panel") >= 3.0);
        }
    }
}
