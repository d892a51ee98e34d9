//! Names: their definitions and places.

use std::rc::Rc;

use lsp_types::SemanticTokenType;

use crate::script::core::{ChannelId, CtorId, GlobalId, GlobalKind, Script, TypeId};
use crate::script::index::{Definition, Index};
use crate::source::hash::Map;

/// Kinds of tokens; their numbers are places in this list.
pub(super) const TOKENS: [SemanticTokenType; 7] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::EVENT,
    SemanticTokenType::PARAMETER,
];
/// The kind of keywords.
pub(super) const KEYWORD: u32 = 0;

/// The name of something as it is written where it is defined.
pub(super) fn simple(script: &Script, definition: Definition) -> &str {
    let whole = match definition {
        Definition::Global(g) => &*script.globals[g.0 as usize].name,
        Definition::Type(t) => &*script.types[t.0 as usize].name,
        Definition::Ctor(c) => &*script.ctors[c.0 as usize].name,
        Definition::Channel(c) => &*script.channels[c.0 as usize].name,
        Definition::Local(l) => &*script.locals[l.0 as usize],
        Definition::Builtin(b) => b.name(),
    };
    // Inside its module a name is written without the module.
    whole.rsplit("::").next().unwrap_or(whole)
}

/// Definitions of the top level that the text writes.
pub(super) fn top(script: &Script) -> impl Iterator<Item = Definition> + '_ {
    let globals = script.globals.iter().enumerate();
    let written = globals.filter(|(_, g)| !g.made);
    let globals = written.map(|(n, _)| Definition::Global(GlobalId(n as u32)));
    let types = (0..script.types.len()).map(|n| Definition::Type(TypeId(n as u32)));
    let ctors = (0..script.ctors.len()).map(|n| Definition::Ctor(CtorId(n as u32)));
    let channels = (0..script.channels.len()).map(|n| Definition::Channel(ChannelId(n as u32)));
    globals.chain(types).chain(ctors).chain(channels)
}

/// The definition of each name of the top level, if there is only one in the text: those of several instances of a module
/// count as the first.
pub(super) fn by_name(script: &Script, index: &Index) -> Map<Rc<str>, Option<Definition>> {
    let mut found: Map<Rc<str>, Option<Definition>> = Map::default();
    for definition in top(script) {
        let name = simple(script, definition);
        match found.get_mut(name) {
            Some(taken) => {
                let place = |one| index.place(script, one);
                *taken = taken.filter(|first| place(*first) == place(definition));
            }
            None => {
                found.insert(name.into(), Some(definition));
            }
        }
    }
    found
}

/// The kind of a name, and whether it is built in, as the protocol numbers them.
pub(super) fn token(script: &Script, definition: Definition) -> (u32, u32) {
    match definition {
        Definition::Global(g) => match script.globals[g.0 as usize].kind {
            GlobalKind::Function(_) => (1, 0),
            GlobalKind::Nametype(_) => (3, 0),
            _ => (2, 0),
        },
        Definition::Type(_) => (3, 0),
        Definition::Ctor(_) => (4, 0),
        Definition::Channel(_) => (5, 0),
        Definition::Local(_) => (6, 0),
        Definition::Builtin(_) => (1, 1),
    }
}
