//! Representatives held to the raw system.

use orbitscope::animate::model::{RepView, StateView};

use super::{Held, Truth, texts_of};
use crate::oracle::Oracle;

impl Truth {
    /// That the representative is of the orbit, and that its components are the images that are said.
    pub(super) fn compare_representative(&mut self, process: &str, view: &StateView) -> Held {
        let Some(rep) = &view.representative else {
            return Ok(());
        };
        let texts = texts_of(&view.components);
        let chosen = texts_of(&rep.components);
        self.note(rep.id, &chosen)?;
        if let Some(oracle) = self.known(process)
            && oracle.is_in_orbit(&texts, &chosen) == Some(false)
        {
            return Err(format!("{chosen:?} is not of the orbit of {texts:?}"));
        }
        for (at, text) in chosen.iter().enumerate() {
            let source = rep.source.get(at).copied();
            let source = source.filter(|from| *from < texts.len());
            let source = source.ok_or("a component without a source")?;
            let from = &texts[source];
            if rep.is_of_structure() {
                let oracle = self.known(process).ok_or("no raw system")?;
                compare_moved(oracle, rep, (source, from), (at, text))?;
                continue;
            }
            let moved = rep.permutation.iter().fold(words(from), |words, of| {
                let to = |word: String| {
                    let found = of.map.iter().find(|(a, _)| *a == word);
                    found.map_or(word, |(_, b)| b.clone())
                };
                words.into_iter().map(to).collect()
            });
            let (mut moved, mut is) = (moved, words(text));
            // Sets are written in their own order.
            moved.sort_unstable();
            is.sort_unstable();
            if moved != is {
                return Err(format!("{from} is not moved to {text} by what is said"));
            }
        }
        Ok(())
    }
}

/// That a component and its local state become what is said, where the symmetry is that of the structure.
fn compare_moved(
    oracle: &mut Oracle,
    rep: &RepView,
    (source, from): (usize, &str),
    (at, text): (usize, &str),
) -> Held {
    if oracle.can_become((source, from), (at, text)) == Some(false) {
        return Err(format!(
            "component {source} in {from} cannot become component {at} in {text}"
        ));
    }
    let map = &rep
        .permutation
        .first()
        .ok_or("nothing is said to move")?
        .map;
    let (named, image) = (map.get(source), map.get(at));
    match named
        .zip(image)
        .is_some_and(|((_, to), (name, _))| to == name)
    {
        true => Ok(()),
        false => Err(format!("{map:?} does not take component {source} to {at}")),
    }
}

/// Names and numbers, apart.
fn words(text: &str) -> Vec<String> {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
    let parts = text.split(|c| !inner(c)).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}
