//! The nine models of the paper's experiments and their sizes.

use crate::support::sized::{resized, values};

/// A datatype whose size is a parameter: its name, the letter of its values, and values that it always has.
pub struct Datatype(&'static str, &'static str, &'static [&'static str]);

/// A size: how many values each of the datatypes has beside those that it always has.
pub type Size = &'static [usize];

/// A model of the paper's experiments; its first assertion is the one that is measured.
pub struct Model {
    pub name: &'static str,
    text: &'static str,
    datatypes: &'static [Datatype],
    /// The types that index families of processes: the only ones that Table 2 reduces by.
    pub indexing: &'static str,
    /// Sizes that take seconds, and those that take minutes or hours.
    pub sizes: &'static [Size],
    pub large: &'static [Size],
    /// Sizes that the text of the paper names. It has lost those of some models.
    named: &'static [Size],
    beginning: Option<Beginning>,
}

/// A process that chooses how to begin, and one that begins with one of the choices. The paper's unreduced searches are
/// of scripts without the choice.
struct Beginning {
    choice: &'static str,
    chosen: fn(Size) -> String,
}

impl Model {
    /// The script at a size.
    pub fn script(&self, size: Size) -> String {
        let of = |(Datatype(name, letter, always), n): (&Datatype, &usize)| {
            let mut all: Vec<String> = always.iter().map(|&v| v.to_owned()).collect();
            all.push(values(letter, *n));
            (*name, all.join(" | "))
        };
        let datatypes: Vec<_> = self.datatypes.iter().zip(size).map(of).collect();
        resized(self.text, &datatypes)
    }

    /// The script that the unreduced search is of.
    ///
    /// # Panics
    /// If the process that chooses is not in the script.
    pub fn unreduced(&self, size: Size) -> String {
        let script = self.script(size);
        let Some(Beginning { choice, chosen }) = self.beginning else {
            return script;
        };
        assert!(script.contains(choice), "{}: {choice}", self.name);
        script.replace(choice, &chosen(size))
    }

    /// Whether both searches are of the same script.
    pub fn is_one_script(&self) -> bool {
        self.beginning.is_none()
    }

    /// The size as the paper writes it, with a mark if it is none of the paper's.
    pub fn label(&self, size: Size) -> String {
        let numbers: Vec<String> = size.iter().map(usize::to_string).collect();
        let mark = if self.named.contains(&size) { "" } else { "*" };
        format!("({}){mark}", numbers.join(", "))
    }
}

const NODES: Datatype = Datatype("NodeIDType", "N", &["Null"]);
const BETWEEN_SENTINELS: Datatype = Datatype("NodeIDType", "N", &["Head", "Tail"]);
const THREADS: Datatype = Datatype("ThreadID", "T", &[]);
const DATA: Datatype = Datatype("Data", "D", &[]);

/// The models, in the order of the paper's tables.
pub const MODELS: [Model; 9] = [
    Model {
        name: "list_stack",
        text: include_str!("../../models/list_stack.csp"),
        datatypes: &[NODES, THREADS, DATA],
        indexing: "NodeID,ThreadID",
        sizes: &[
            &[4, 3, 2],
            &[5, 3, 2],
            &[6, 4, 3],
            &[7, 4, 2],
            &[8, 4, 2],
            &[8, 4, 4],
            &[10, 4, 2],
            &[12, 4, 2],
        ],
        large: &[&[19, 4, 2]],
        named: &[
            &[6, 4, 3],
            &[7, 4, 2],
            &[8, 4, 2],
            &[8, 4, 4],
            &[10, 4, 2],
            &[12, 4, 2],
            &[19, 4, 2],
        ],
        beginning: None,
    },
    Model {
        name: "tree_broadcast",
        text: include_str!("../../models/tree_broadcast.csp"),
        datatypes: &[Datatype("NodeIDType", "N", &["Root"]), DATA],
        indexing: "NodeID",
        sizes: &[&[4, 2], &[5, 2], &[6, 2]],
        large: &[&[7, 2]],
        named: &[&[5, 2], &[6, 2]],
        beginning: None,
    },
    Model {
        name: "philosophers",
        text: include_str!("../../models/philosophers.csp"),
        datatypes: &[Datatype("Identity", "I", &[])],
        indexing: "Identity",
        sizes: &[&[6], &[7], &[8]],
        large: &[&[9], &[10], &[11], &[12]],
        named: &[&[12]],
        beginning: Some(Beginning {
            choice: "Constructor [| {|seat, start|} |] Phils",
            chosen: seated,
        }),
    },
    Model {
        name: "lock_free_queue",
        text: include_str!("../../models/lock_free_queue.csp"),
        datatypes: &[NODES, THREADS, DATA],
        indexing: "NodeID,ThreadID",
        sizes: &[&[3, 2, 2], &[4, 2, 2], &[5, 2, 2], &[5, 2, 3], &[6, 2, 2]],
        large: &[&[4, 3, 3], &[7, 2, 2], &[5, 3, 3], &[6, 3, 2], &[11, 2, 2]],
        named: &[
            &[4, 3, 3],
            &[5, 2, 3],
            &[5, 3, 3],
            &[6, 2, 2],
            &[6, 3, 2],
            &[7, 2, 2],
            &[11, 2, 2],
        ],
        beginning: Some(Beginning {
            choice: "|~| n : NodeID @ |~| d : Data @ construct.n.d -> STOP",
            chosen: |_| "construct.N0.D0 -> STOP".to_owned(),
        }),
    },
    Model {
        name: "coarse_list_set",
        text: include_str!("../../models/coarse_list_set.csp"),
        datatypes: &[BETWEEN_SENTINELS, THREADS],
        indexing: "NodeID,ThreadID",
        sizes: &[&[3, 2], &[3, 3], &[4, 2], &[5, 2]],
        large: &[&[4, 3], &[5, 3], &[6, 3], &[7, 3]],
        named: &[&[4, 3], &[5, 3], &[6, 3], &[7, 3]],
        beginning: None,
    },
    Model {
        name: "fine_list_set",
        text: include_str!("../../models/fine_list_set.csp"),
        datatypes: &[BETWEEN_SENTINELS, THREADS],
        indexing: "NodeID,ThreadID",
        sizes: &[&[2, 3], &[3, 2], &[4, 2], &[3, 3]],
        large: &[&[4, 3], &[5, 3], &[6, 3]],
        named: &[&[3, 3], &[4, 3], &[5, 3], &[6, 3]],
        beginning: None,
    },
    Model {
        name: "array_queue",
        text: include_str!("../../models/array_queue.csp"),
        datatypes: &[
            THREADS,
            DATA,
            Datatype("RefNumber", "R", &[]),
            Datatype("CellNumber", "S", &[]),
        ],
        indexing: "ThreadID",
        sizes: &[&[2, 1, 3, 2], &[2, 2, 4, 2]],
        large: &[&[3, 2, 6, 3]],
        named: &[&[2, 2, 4, 2], &[3, 2, 6, 3]],
        beginning: Some(Beginning {
            choice: "|~| r : RefNumber @ |~| s : CellNumber @ construct.r.s -> STOP",
            chosen: |_| "construct.R0.S0 -> STOP".to_owned(),
        }),
    },
    Model {
        name: "peterson",
        text: include_str!("../../models/peterson.csp"),
        datatypes: &[Datatype("ProcessID", "P", &[])],
        indexing: "ProcessID",
        sizes: &[&[3], &[4], &[5], &[6], &[7]],
        large: &[&[8]],
        named: &[],
        beginning: None,
    },
    Model {
        name: "database",
        text: include_str!("../../models/database.csp"),
        datatypes: &[Datatype("Manager", "M", &[])],
        indexing: "Manager",
        sizes: &[&[4], &[6], &[8], &[10]],
        large: &[&[12], &[14]],
        named: &[],
        beginning: None,
    },
];

/// The philosophers around a table with fixed places.
fn seated(size: Size) -> String {
    let n = size[0];
    let one = |i| format!("Dining(I{i}, I{})", (i + 1) % n);
    let all: Vec<String> = (0..n).map(one).collect();
    all.join(" ||| ")
}
