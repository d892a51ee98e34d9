//! The drawn part of a neighbourhood: boxes, unfolded boxes, and the edges between them.

use super::app::App;
use super::graphing::{Chosen, Unfolding};
use super::sketch::{Sketch, sketch};
use crate::animate::model::{ErrorText, EventKind, Neighbourhood, NeighbourhoodRequest, StateId};
use crate::animate::neighbourhood::{NeighbourBox, NeighbourEdge, NeighbourStep, OrbitMember};
use crate::report::graph::layout::rows;
use crate::source::hash::{IndexMap, Map, Set};

/// Largest number of boxes drawn.
pub const DRAWN_MAX: usize = 60;
/// Largest number of states drawn of an unfolded box.
pub const MEMBERS_DRAWN_MAX: usize = 24;

/// Something that is drawn as a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An orbit, or in the graph of all states a state: its number in the neighbourhood.
    Place(usize),
    /// A state of the unfolded box: the number of that box, and its own.
    Member(usize, usize),
}

/// An edge that is drawn: all that leads from one item to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// The item where it begins.
    pub from: usize,
    /// The item that it leads to.
    pub to: usize,
    /// The number of transitions that it represents.
    pub count: usize,
    /// The edges of the neighbourhood that it is made of, by number.
    pub of: Vec<usize>,
}

/// The picture of a neighbourhood.
#[derive(Clone, Debug)]
pub struct GraphPicture<'a> {
    /// The neighbourhood.
    pub around: &'a Neighbourhood,
    /// The box that is taken apart.
    pub unfolding: Option<&'a Unfolding>,
    /// The drawn boxes.
    pub items: Vec<Item>,
    /// By row, from left to right.
    pub rows: Vec<Vec<usize>>,
    /// The row of each item.
    row_of: Vec<usize>,
    /// The edges between items.
    pub edges: Vec<DrawnEdge>,
    /// The number of boxes that the filter leaves out.
    pub filtered: usize,
    /// The number of boxes that are left out for lack of room.
    pub undrawn: usize,
}

/// The request for the neighbourhood of the present state.
#[must_use]
pub fn wanted(app: &App) -> Option<NeighbourhoodRequest> {
    let session = app.session.as_ref()?;
    let state = session.current();
    let history = &session.history;
    let path = history.path();
    let before = path.iter().rev().skip(1).take(app.graph.radius);
    let mut before: Vec<StateId> = before.map(|id| history.node(*id).state).collect();
    before.reverse();
    Some(NeighbourhoodRequest {
        state,
        before,
        radius: app.graph.radius,
        full: app.graph.full,
        path: app.graph.path.clone(),
    })
}

/// The engine's answer on the present state.
#[must_use]
pub fn neighbourhood(app: &App) -> Option<&Result<std::rc::Rc<Neighbourhood>, ErrorText>> {
    app.graph.around(&wanted(app)?)
}

/// The picture, if its data are known.
#[must_use]
pub fn picture(app: &App) -> Option<GraphPicture<'_>> {
    let around = neighbourhood(app)?.as_ref().ok()?;
    let (shown, filtered) = matching(app, around);
    let undrawn = shown.len().saturating_sub(DRAWN_MAX);
    let unfolding = app.graph.unfolding.as_ref().filter(|_| !app.graph.full);
    let mut items = Vec::new();
    for at in shown.into_iter().take(DRAWN_MAX) {
        let apart = unfolding.filter(|u| u.orbit == around.boxes[at].orbit);
        match apart.map_or(0, |u| u.shown(MEMBERS_DRAWN_MAX)) {
            0 => items.push(Item::Place(at)),
            count => items.extend((0..count).map(|member| Item::Member(at, member))),
        }
    }
    let mut picture = GraphPicture {
        around,
        unfolding,
        items,
        rows: Vec::new(),
        row_of: Vec::new(),
        edges: Vec::new(),
        filtered,
        undrawn,
    };
    picture.connect();
    picture.row_of = picture.layers();
    let ends = picture.edges.iter().map(|edge| (edge.from, edge.to));
    picture.rows = rows(&picture.row_of, ends, |item| match picture.items[item] {
        Item::Place(at) | Item::Member(at, _) => at,
    });
    Some(picture)
}

/// The boxes that pass the filter with those that lead to them, and the number of the others.
fn matching(app: &App, around: &Neighbourhood) -> (Vec<usize>, usize) {
    let all = 0..around.boxes.len();
    if app.graph.filter.trim().is_empty() {
        return (all.collect(), 0);
    }
    let needle = Needle::new(&app.graph.filter);
    let mut kept: Set<usize> = (0..=around.current).collect();
    for at in all.clone() {
        if !needle.finds(around, at) {
            continue;
        }
        let mut up = Some(at);
        while let Some(at) = up.filter(|at| kept.insert(*at)) {
            up = around.boxes[at].way.as_ref().map(|(from, _)| *from);
        }
    }
    let shown: Vec<usize> = all.filter(|at| kept.contains(at)).collect();
    let left = around.boxes.len() - shown.len();
    (shown, left)
}

/// The text that a filter searches for, and where.
struct Needle {
    event: bool,
    component: bool,
    state: bool,
    /// The texts between stars, in small letters.
    parts: Vec<String>,
}

impl Needle {
    fn new(filter: &str) -> Self {
        let filter = filter.trim().to_lowercase();
        let (word, rest) = filter.split_once(' ').unwrap_or(("", &filter));
        let (event, component, state, text) = match word {
            "event" => (true, false, false, rest),
            "comp" | "component" => (false, true, false, rest),
            "state" => (false, false, true, rest),
            _ => (true, true, true, filter.as_str()),
        };
        let parts = text.trim().split('*').map(str::to_owned).collect();
        Self {
            event,
            component,
            state,
            parts,
        }
    }

    fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let mut rest = text.as_str();
        for part in &self.parts {
            match rest.find(part.as_str()) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        true
    }

    fn finds(&self, around: &Neighbourhood, at: usize) -> bool {
        let place = &around.boxes[at];
        let by_event = || {
            let mut edges = around.arriving(at).chain(around.leaving(at));
            edges.any(|edge| {
                let silent = edge.kind == EventKind::Tau && self.is_in("tau");
                silent || edge.steps.iter().any(|step| self.is_in(&step.event))
            })
        };
        let mut components = place.components.iter();
        (self.component && components.clone().any(|c| self.is_in(&c.label())))
            || (self.state && components.any(|c| self.is_in(&c.text)))
            || (self.event && by_event())
    }
}

impl<'a> GraphPicture<'a> {
    /// The box of the neighbourhood that an item is, or is a state of.
    #[must_use]
    pub fn place(&self, item: usize) -> &'a NeighbourBox {
        let (Item::Place(at) | Item::Member(at, _)) = self.items[item];
        &self.around.boxes[at]
    }

    /// The state of an item that is one of a box taken apart.
    #[must_use]
    pub fn member(&self, item: usize) -> Option<&'a OrbitMember> {
        match self.items.get(item)? {
            Item::Place(_) => None,
            Item::Member(_, member) => match self.unfolding?.members.as_ref()? {
                Ok(orbit) => orbit.members.get(*member),
                Err(_) => None,
            },
        }
    }

    /// The key by which an item is found again.
    #[must_use]
    pub fn chosen_by(&self, app: &App, item: usize) -> Chosen {
        match self.member(item) {
            Some(member) => Chosen::Member(member.state),
            None => Chosen::Place(app.graph.key(self.place(item))),
        }
    }

    /// The item that keys act on: the chosen one, or the present state.
    #[must_use]
    pub fn selected(&self, app: &App) -> usize {
        let items = 0..self.items.len();
        let is_chosen = |item: &usize| match (app.graph.chosen, self.items[*item]) {
            // An unfolded box is represented by the state that was reached.
            (Some(Chosen::Place(key)), Item::Place(_) | Item::Member(_, 0)) => {
                app.graph.key(self.place(*item)) == key
            }
            (Some(Chosen::Member(state)), Item::Member(..)) => self
                .member(*item)
                .is_some_and(|member| member.state == state),
            _ => false,
        };
        let is_current = |item: &usize| match self.items[*item] {
            Item::Place(at) => at == self.around.current,
            Item::Member(at, 0) => at == self.around.current,
            Item::Member(..) => false,
        };
        let found = items.clone().find(is_chosen);
        found
            .or_else(|| items.clone().find(is_current))
            .unwrap_or(0)
    }

    /// The item of a box where its edges begin: of an unfolded one, the state that was reached.
    fn origin(&self, at: usize) -> Option<usize> {
        self.items.iter().position(|item| match *item {
            Item::Place(place) => place == at,
            // That state is the first of its orbit.
            Item::Member(place, member) => place == at && member == 0,
        })
    }

    fn connect(&mut self) {
        // The item of each box, and those of the states of one that is taken apart: there may be very many edges.
        let mut places: Map<usize, usize> = Map::default();
        let mut states: Map<(usize, StateId), usize> = Map::default();
        for item in 0..self.items.len() {
            match self.items[item] {
                Item::Place(at) => {
                    places.insert(at, item);
                }
                Item::Member(at, _) => {
                    let member = self.member(item).map(|m| m.state);
                    states.extend(member.map(|state| ((at, state), item)));
                }
            }
        }
        let mut found: IndexMap<(usize, usize), DrawnEdge> = IndexMap::default();
        for (number, edge) in self.around.edges.iter().enumerate() {
            let Some(from) = self.origin(edge.from) else {
                continue;
            };
            for step in &edge.steps {
                let whole = places.get(&edge.to);
                let Some(to) = whole.or_else(|| states.get(&(edge.to, step.target))) else {
                    continue;
                };
                let to = *to;
                let drawn = found.entry((from, to)).or_insert_with(|| DrawnEdge {
                    from,
                    to,
                    count: 0,
                    of: Vec::new(),
                });
                drawn.count += 1;
                if drawn.of.last() != Some(&number) {
                    drawn.of.push(number);
                }
            }
        }
        self.edges = found.into_values().collect();
    }

    /// The row of each item: layers without items are left out.
    fn layers(&self) -> Vec<usize> {
        let layer = |item: usize| self.place(item).layer;
        let mut used: Vec<usize> = (0..self.items.len()).map(layer).collect();
        let layers = used.clone();
        used.sort_unstable();
        used.dedup();
        let row = |layer: &usize| used.binary_search(layer).unwrap_or(0);
        layers.iter().map(row).collect()
    }

    /// The row of an item.
    #[must_use]
    pub fn row(&self, item: usize) -> usize {
        self.row_of.get(item).copied().unwrap_or(0)
    }

    /// The edges that lead to an item from the row above, and those that are drawn elsewhere.
    pub fn from_above(&self, to: usize) -> impl Iterator<Item = &DrawnEdge> {
        let row = self.row(to);
        let edges = self.edges.iter().filter(move |edge| edge.to == to);
        edges.filter(move |edge| self.row(edge.from) + 1 == row)
    }

    /// Boxes and the lines between them on a sheet: `sizes` are the columns and the lines of text of the boxes of each
    /// row, and `labels` is how many rows a label may take.
    #[must_use]
    pub fn sketch(&self, sizes: &[(usize, usize)], labels: usize) -> Sketch {
        let down = self.edges.iter();
        let down = down.filter(|edge| self.row(edge.from) + 1 == self.row(edge.to));
        let down: Vec<(usize, usize)> = down.map(|edge| (edge.from, edge.to)).collect();
        let wanted = |item: usize| self.from_above(item).count().min(labels);
        sketch(&self.rows, &down, wanted, sizes)
    }
}

/// The way from the present state to a selected one.
pub enum GraphWay<'a> {
    /// The present state itself.
    Here,
    /// The person came through it.
    Back(StateId),
    /// These transitions lead there.
    Along(Vec<&'a NeighbourStep>),
}

/// The way from the present state to an item, if a transition of the picture leads to it.
#[must_use]
pub fn way<'a>(picture: &GraphPicture<'a>, item: usize) -> Option<GraphWay<'a>> {
    let around = picture.around;
    let (at, member) = match *picture.items.get(item)? {
        Item::Place(at) => (at, None),
        Item::Member(at, _) => (at, picture.member(item).map(|m| m.state)),
    };
    let place = &around.boxes[at];
    // The state by which the box was reached, unless another one of it is meant.
    let Some(member) = member.filter(|state| *state != place.state) else {
        if at == around.current {
            return Some(GraphWay::Here);
        }
        return match place.way {
            None => Some(GraphWay::Back(place.state)),
            Some(_) => around.steps_to(at).map(GraphWay::Along),
        };
    };
    let leads = |edge: &&NeighbourEdge| {
        let mut steps = edge.steps.iter();
        steps.any(|step| step.target == member) && around.steps_to(edge.from).is_some()
    };
    let edge = around.arriving(at).find(leads)?;
    let mut steps = around.steps_to(edge.from)?;
    steps.push(edge.steps.iter().find(|step| step.target == member)?);
    Some(GraphWay::Along(steps))
}

/// Whether a transition of the picture, or the history, leads to the state of an item.
#[must_use]
pub fn is_reached(picture: &GraphPicture<'_>, item: usize) -> bool {
    way(picture, item).is_some()
}
