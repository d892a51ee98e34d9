//! The symmetry of a network as a document.

use num_bigint::BigUint;
use serde_json::{Value, json};

use super::text::{counted_in_groups, listed, names_sentence, orders};
use super::{GeneratorView, MissView, NetworkSymmetry, StructureGroupView};
use crate::document::{Document, Tone, sizes};
use crate::lab::examined::NamesMatter;
use crate::numbers::{counted, grouped, thousands};

/// Largest number of generators in the text.
const GENERATORS_SHOWN: usize = 12;
/// Largest number of orbits in the text.
const ORBITS_SHOWN: usize = 40;

/// The letters of an orbit, by its number: `A` to `Z`, then `AA` and so on.
#[must_use]
pub fn orbit_letters(mut number: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (number % 26) as u8));
        match number / 26 {
            0 => break,
            rest => number = rest - 1,
        }
    }
    letters.into_iter().rev().collect()
}

impl NetworkSymmetry {
    /// Everything that is known, for people and for programs. Its facts are a result in a document of the schema
    /// `orbitscope.symmetry/1`.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut document = Document::default();
        self.subject(&mut document);
        match &self.found {
            Err(why) => {
                document.section("group").labelled(
                    Tone::Open,
                    "group",
                    format!("not looked for: {why}"),
                );
                document.fact("group", Value::Null);
            }
            Ok(group) => {
                self.group(group, &mut document);
                self.orbits(group, &mut document);
                self.generators(group, &mut document);
            }
        }
        self.events(&mut document);
        document.fact("not_looked_for", self.found.as_ref().err().cloned());
        self.text_alone(&mut document);
        if let Ok(group) = &self.found {
            self.misses(group, &mut document);
            self.size(group, &mut document);
        }
        let link = |link: &super::LinkView| json!({ "components": [link.ends.0, link.ends.1], "channels": link.channels, "more": link.more });
        document
            .fact("links", self.links.iter().map(link).collect::<Vec<_>>())
            .fact("compile_seconds", self.seconds.0)
            .fact("seconds", self.seconds.1);
        document
    }

    /// The most important of it in a paragraph.
    #[must_use]
    pub fn brief(&self) -> String {
        let mut document = Document::default();
        document.say(Tone::Strong, self.heading());
        let mut say = |text: String| {
            document.deeper(1, Tone::Plain, text);
        };
        let count = counted_in_groups(self.components.len(), "component", "components");
        match &self.found {
            Err(why) => say(format!("{count}; symmetry was not looked for: {why}")),
            Ok(group) if group.is_trivial() => say(format!("{count}, no symmetry")),
            Ok(group) => {
                let moved = group.orbits.iter().filter(|orbit| orbit.len() > 1).count();
                let orbits = counted_in_groups(moved, "orbit", "orbits");
                let fixed = group.fixed().len();
                say(format!("{count}, group {}", orders(group)));
                if moved > 0 {
                    say(format!("{orbits} of several components, {fixed} fixed"));
                }
                if let Some(generator) = group.generators.first() {
                    say(self.generator_lines(generator)[0].clone());
                }
            }
        }
        say(format!("the text: {}", self.known_by_text()));
        if let Ok(group) = &self.found
            && let Some(miss) = group.misses.first()
        {
            say(format!("almost: {}", self.miss_text(miss)));
        }
        document.text()
    }

    fn heading(&self) -> String {
        match self.assertion {
            Some(number) => format!("assertion {number}: {}", self.subject),
            None => self.subject.clone(),
        }
    }

    fn subject(&self, document: &mut Document) {
        let count = thousands(self.components.len() as u128);
        let all: Vec<usize> = (0..self.components.len()).collect();
        let names = listed(self.names(&all));
        document
            .section("subject")
            .say(Tone::Strong, self.heading())
            .labelled(Tone::Plain, "components", format!("{count}: {names}"))
            .fact("index", self.assertion)
            .fact("components", self.components.clone());
        let subject = match self.assertion {
            Some(_) => "assertion",
            None => "process",
        };
        document.fact(subject, self.subject.clone());
    }

    fn events(&self, document: &mut Document) {
        let tag = match self.names_matter {
            NamesMatter::No => "free",
            NamesMatter::Tied => "tied",
            NamesMatter::Yes => "fixed",
        };
        document
            .section("events")
            .labelled(Tone::Dim, "events", names_sentence(self.names_matter))
            .fact("names_of_events", tag);
    }

    fn group(&self, group: &StructureGroupView, document: &mut Document) {
        document
            .section("group")
            .labelled(Tone::Strong, "group", orders(group))
            .fact("group.order", group.order.as_ref().map(ToString::to_string))
            .fact(
                "group.order_with_events",
                group.order_with_events.to_string(),
            )
            .fact("group.complete", group.complete)
            .fact("group.name", group.name.clone());
        if !group.complete {
            let why = "Not all of it was found with the work that was allowed.";
            document.labelled(Tone::Open, "group", why);
        }
        if group.generators.is_empty() {
            let only = "Only the permutation that moves nothing maps the network to itself.";
            document.labelled(Tone::Plain, "group", only);
        }
    }

    fn orbits(&self, group: &StructureGroupView, document: &mut Document) {
        document.section("orbits");
        let several: Vec<_> = group.orbits.iter().filter(|o| o.len() > 1).collect();
        for (number, orbit) in several.iter().take(ORBITS_SHOWN).enumerate() {
            let label = format!("orbit {}", orbit_letters(number));
            document.labelled(Tone::Orbit(number), label, listed(self.names(orbit)));
        }
        if several.len() > ORBITS_SHOWN {
            let more = (several.len() - ORBITS_SHOWN) as u64;
            let more = format!("and {}", counted(more, "more orbit"));
            document.labelled(Tone::Plain, "orbits", more);
        }
        let fixed = group.fixed();
        let names = match fixed.len() {
            all if all == self.components.len() => "all components".to_owned(),
            _ => listed(self.names(&fixed)),
        };
        if !fixed.is_empty() {
            document.labelled(Tone::Plain, "fixed", names);
        }
        document
            .fact("group.orbits", group.orbits.clone())
            .fact("group.fixed", fixed);
    }

    fn generators(&self, group: &StructureGroupView, document: &mut Document) {
        document.section("generators");
        for (at, generator) in group.generators.iter().take(GENERATORS_SHOWN).enumerate() {
            let label = format!("generator {}", at + 1);
            for line in self.generator_lines(generator) {
                document.labelled(Tone::Plain, label.clone(), line);
            }
        }
        if group.generators.len() > GENERATORS_SHOWN {
            let more = (group.generators.len() - GENERATORS_SHOWN) as u64;
            let more = format!("and {}", counted(more, "more generator"));
            document.labelled(Tone::Plain, "generators", more);
        }
        let fact = |generator: &GeneratorView| {
            let local = generator.local.as_ref();
            let local = local.map(|(component, before, after)| {
                json!({ "component": component, "before": before, "after": after })
            });
            json!({
                "components": generator.components,
                "events": generator.events,
                "event_cycles": generator.event_cycles,
                "local_states_alone": local,
            })
        };
        let facts: Vec<Value> = group.generators.iter().map(fact).collect();
        document.fact("group.generators", facts);
    }

    /// The symmetry that the text alone would have shown, and the difference.
    fn text_alone(&self, document: &mut Document) {
        let difference = self.difference();
        document
            .section("text")
            .labelled(Tone::Plain, "the text", self.known_by_text());
        if let Some(difference) = &difference {
            document.labelled(Tone::Plain, "the text", difference.as_str());
        }
        document
            .fact("text.types", sizes(&self.types))
            .fact("text.copies", sizes(&self.copies))
            .fact("text.order", self.known.to_string())
            .fact("difference", difference);
    }

    /// The datatypes and copies that the text shows to be symmetric.
    fn known_by_text(&self) -> String {
        let types = self.types.iter();
        let types = types.map(|(name, size)| format!("{name} ({size} values)"));
        let copies = self.copies.iter();
        let copies = copies.map(|(name, size)| format!("copies of {name} ({size})"));
        let all: Vec<String> = types.chain(copies).collect();
        match all.len() {
            0 => "no symmetric datatype, and no copies of a component".to_owned(),
            _ => format!("{}: order {}", all.join(", "), grouped(&self.known)),
        }
    }

    /// The symmetry that the structure shows beyond the text, in a sentence.
    fn difference(&self) -> Option<String> {
        let group = self.found.as_ref().ok()?;
        let order = group.order.as_ref()?;
        let one = BigUint::from(1u32);
        let known = &self.known;
        let sentence = if *order == one && *known == one {
            "Neither the text nor the structure tells of any."
        } else if *known == one {
            "The text alone tells of none of it."
        } else if order == known {
            "As many as the text tells."
        } else if order > known && order % known == BigUint::default() {
            let times = grouped(&(order / known));
            return Some(format!("{times} times as many as the text tells."));
        } else if order > known {
            "More than the text tells."
        } else if !group.complete {
            "Fewer than the text tells: there is more to find, but looking would have taken too long."
        } else if self.names_matter == NamesMatter::Yes {
            "Fewer than the text tells, since every event has to stay what it is here."
        } else {
            "Fewer than the text tells: several permutations of values do the same to local states, or the network \
             does not bear them out."
        };
        Some(sentence.to_owned())
    }

    fn misses(&self, group: &StructureGroupView, document: &mut Document) {
        document.section("almost");
        for miss in &group.misses {
            document.labelled(Tone::Plain, "almost", self.miss_text(miss));
        }
        let fact = |miss: &MissView| {
            json!({
                "components": miss.components,
                "reasons": miss.reasons,
                "all_else_holds": miss.all,
                "text": self.miss_text(miss),
            })
        };
        let facts: Vec<Value> = group.misses.iter().map(fact).collect();
        document.fact("group.almost", facts);
    }

    fn size(&self, group: &StructureGroupView, document: &mut Document) {
        let (vertices, edges) = group.graph;
        let mut size = format!(
            "{} and {}",
            counted_in_groups(vertices, "vertex", "vertices"),
            counted_in_groups(edges, "edge", "edges"),
        );
        let (compiling, looking) = self.seconds;
        // A shorter time is that of any other process.
        if compiling + looking >= 1.0 {
            size += &format!(", in {looking:.1} s (compiling: {compiling:.1} s)");
        }
        document
            .section("size")
            .labelled(Tone::Dim, "looked at", size)
            .fact("group.vertices", vertices)
            .fact("group.edges", edges);
    }
}
