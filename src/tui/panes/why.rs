//! Why this representative: the whole computation in a few lines.

use super::Content;
use crate::animate::model::RepView;
use crate::animate::summary;
use crate::app::App;
use crate::theme::Role;

/// Builds the pane: headings on the left, and the explanations beside them.
#[must_use]
pub fn build(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Why this representative?");
    if let Some(rep) = of_structure(app) {
        let document = summary::of_structure(rep);
        content.push_parts(app.theme, document.parts(&["summary"]), columns);
        return content;
    }
    let explanation = match app.explained() {
        Some(Ok(explanation)) => explanation,
        Some(Err(failure)) => {
            content.push_text(app.theme, Role::Dim, &failure.summary, columns);
            return content;
        }
        None => {
            let text = missing(app);
            content.push_text(app.theme, Role::Dim, &text, columns);
            return content;
        }
    };
    let unique = &explanation.representative.uniqueness;
    // That it is the only one is said beside it.
    if !unique.is_certain() {
        unique.badge().clone_into(&mut content.right);
    }
    let document = summary::summary(explanation);
    content.push_parts(app.theme, document.parts(&["summary"]), columns);
    content
}

/// The representative of the state, where it was found in the structure of the network: nothing is explained
/// step by step then.
fn of_structure(app: &App) -> Option<&RepView> {
    let view = app.session.as_ref()?.view()?;
    let rep = view.representative.as_ref()?;
    rep.is_of_structure().then_some(rep)
}

/// Why there is no explanation.
#[must_use]
pub fn missing(app: &App) -> String {
    let session = app.session.as_ref();
    match session.map(|s| s.fetched()) {
        Some(Some(Ok(view))) if view.representative.is_none() => {
            format!("no representative: {}", view.no_representative)
        }
        Some(Some(Err(_))) => "this state could not be evaluated".to_string(),
        Some(_) => "computing ...".to_string(),
        None => String::new(),
    }
}
