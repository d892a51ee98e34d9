//! Conversion of an explored graph to words.

use std::sync::Arc;

use super::{
    CoverView, EdgeView, GraphPart, GraphView, GraphWatch, ImageView, MovedView, VertexView,
};
use crate::check::system::System;
use crate::lab::explore::{Exploration, GraphKind, StateGraph};
use crate::lab::images::{ImageOf, MovedComponents};
use crate::machine::{EventId, FormatId, LocalId, Machine};
use crate::plans;
use crate::script::load::Loaded;
use crate::source::Budget;
use crate::source::hash::Map;
use crate::value::Atom;
use crate::words::{self, OMEGA, WordCache};

/// Interned names. Pictures have thousands of vertices and few different words, which they share.
struct Names<'a> {
    system: &'a mut System,
    words: WordCache,
    labels: Map<FormatId, Arc<[String]>>,
    locals: Map<LocalId, Arc<str>>,
    events: Map<EventId, Arc<str>>,
    images: Map<ImageOf, Arc<ImageView>>,
    types: Vec<Arc<str>>,
}

/// A picture of an explored graph, made within limits.
#[must_use]
pub fn made(
    process: &str,
    kind: GraphKind,
    explored: Exploration,
    loaded: &Loaded,
    budget: &Budget,
) -> GraphView {
    let watch = GraphWatch::new(budget);
    let Exploration {
        mut system,
        reduction,
        trusting,
        instead,
        quotient,
        full,
        covering,
    } = explored;
    let types = type_names(&system.machine);
    let mut names = Names {
        system: &mut system,
        words: WordCache::default(),
        labels: Map::default(),
        locals: Map::default(),
        events: Map::default(),
        images: Map::default(),
        types,
    };
    let covering = watch.each(&covering).map(|cover| CoverView {
        orbit: cover.orbit,
        image: (*names.image(&cover.image)).clone(),
    });
    let covering = covering.collect();
    GraphView {
        process: process.to_owned(),
        kind,
        used: reduction.as_ref().map(plans::summary),
        plan: plans::plan(trusting, instead.as_deref(), loaded),
        quotient: quotient.map(|graph| names.part(&graph, &watch)),
        full: full.map(|graph| names.part(&graph, &watch)),
        covering,
        watch,
    }
}

fn type_names(machine: &Machine) -> Vec<Arc<str>> {
    let atoms = machine.atoms();
    let name = |kind| Arc::from(atoms.name(kind as u8));
    (0..atoms.kinds()).map(name).collect()
}

impl Names<'_> {
    fn part(&mut self, graph: &StateGraph, watch: &GraphWatch) -> GraphPart {
        let mut vertices = Vec::with_capacity(graph.states.len());
        let both = graph.states.iter().zip(&graph.vertices);
        for ((format, locals), known) in watch.each(both) {
            let texts: Vec<Arc<str>> = locals.iter().map(|local| self.local(*local)).collect();
            let ends = known.expanded && known.transitions == 0;
            // Marked as in the animator: where all parts have terminated but not yet the whole, ✓ is still to come.
            let terminated = ends && !texts.is_empty() && texts.iter().all(|t| **t == *OMEGA);
            vertices.push(VertexView {
                depth: known.depth,
                labels: self.labels(*format),
                texts,
                orbit: known.orbit.clone(),
                deadlocked: ends && !terminated,
                terminated,
                expanded: known.expanded,
                transitions: known.transitions,
                outside: known.outside,
            });
        }
        let edges = watch.each(&graph.edges).map(|edge| EdgeView {
            from: edge.from,
            to: edge.to,
            kind: words::kind(edge.event),
            event: self.event(edge.shown),
            multiplicity: edge.multiplicity,
            image: edge.image.as_ref().map(|image| self.image(image)),
        });
        GraphPart {
            edges: edges.collect(),
            vertices,
            cut: graph.cut,
        }
    }

    fn labels(&mut self, format: FormatId) -> Arc<[String]> {
        if let Some(known) = self.labels.get(&format) {
            return Arc::clone(known);
        }
        let System { machine, network } = &mut *self.system;
        let labels = self.words.labels(machine, network, format).into_iter();
        let labels: Arc<[String]> = labels.map(String::from).collect();
        self.labels.insert(format, Arc::clone(&labels));
        labels
    }

    fn local(&mut self, local: LocalId) -> Arc<str> {
        let machine = &mut self.system.machine;
        let text = self.locals.entry(local);
        Arc::clone(text.or_insert_with(|| machine.show_local(local).into()))
    }

    fn event(&mut self, event: EventId) -> Arc<str> {
        let machine = &self.system.machine;
        let text = self.events.entry(event);
        Arc::clone(text.or_insert_with(|| words::shown(machine, event).as_str().into()))
    }

    /// In the labels of the only format that such a network has.
    fn moved(&mut self, moved: &MovedComponents) -> MovedView {
        let labels = self.labels(FormatId(0));
        let mut seen = vec![false; moved.to.len()];
        let mut cycles = String::new();
        for first in 0..moved.to.len() {
            let mut cycle = Vec::new();
            let mut at = first;
            while !std::mem::replace(&mut seen[at], true) {
                cycle.push(labels[at].as_str());
                at = usize::from(moved.to[at]);
            }
            if cycle.len() > 1 {
                cycles.push_str(&format!("({})", cycle.join(" ")));
            }
        }
        let inside = moved.inside.iter();
        MovedView {
            cycles,
            inside: inside.map(|c| labels[usize::from(*c)].clone()).collect(),
        }
    }

    fn image(&mut self, image: &ImageOf) -> Arc<ImageView> {
        if let Some(known) = self.images.get(image) {
            return Arc::clone(known);
        }
        let made = Arc::new(self.new_image(image));
        self.images.insert(image.clone(), Arc::clone(&made));
        made
    }

    fn new_image(&mut self, image: &ImageOf) -> ImageView {
        let components = image.components.as_ref().map(|moved| self.moved(moved));
        let machine = &self.system.machine;
        let name = |atom: Atom| machine.atom_name(atom);
        let cycles = self.types.iter().enumerate().map(|(kind, named)| {
            let cycles = image.permutation.cycles(machine.atoms(), kind, &name);
            (Arc::clone(named), cycles)
        });
        ImageView {
            cycles: cycles.collect(),
            exchanges: image.exchanges,
            components,
        }
    }
}
