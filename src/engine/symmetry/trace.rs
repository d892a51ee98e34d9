//! The trace of the component-ordering algorithm, as plain data: the record that an observer keeps.
//!
//! Components are named by their index in the state vector, blocks by their index in the ordered
//! partition at that moment, variables by their index within a component state of that block.

/// An ordered partition: blocks of component indices.
pub type BlockList = Vec<Vec<usize>>;

/// All steps of one computation of a representative, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepTrace {
    /// The distinguished variables of each component state, the elements of sets in the order in which
    /// the state holds them.
    pub variables: Vec<Vec<Variable>>,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Final order of the components (Def. 36).
    pub order: Vec<usize>,
    /// One ordering a type (Def. 38).
    pub type_orders: Vec<TypeOrder>,
}

/// A distinguished variable of a component state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the script, as `me`; in brackets if it is a label of the component that the
    /// state no longer shows.
    pub name: String,
    /// The symmetric type (index) of its value.
    pub kind: usize,
    /// The value, as `N3`.
    pub value: String,
    /// Equal for the elements of one set: their order means nothing, and they count together.
    pub group: usize,
    /// Whether it names the component: the same value throughout the component's life.
    pub identity: bool,
}

/// One step of Defs. 36, 38 or 40.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Step 1: by control state and values of other types.
    Initial {
        /// The partition that step 2 begins with.
        after: BlockList,
        /// The common key of the members of each block, in words.
        keys: Vec<String>,
    },
    /// Step 2, one round: the n-values were computed.
    Count {
        /// From 1; counts rounds over the whole computation.
        round: usize,
        /// The partition that was counted against.
        before: BlockList,
        /// One table for each block with more than one member: block index and table.
        tables: Vec<(usize, NTable)>,
        /// The values of the variables of each component, the elements of sets in the order of their own
        /// counts.
        values: Vec<Vec<String>>,
    },
    /// Step 2: some blocks were split by their n-values.
    Split {
        /// The round, as in the preceding [`Step::Count`].
        round: usize,
        /// The partition that was counted against.
        before: BlockList,
        /// The same with the parts of each split block in its place.
        after: BlockList,
        /// The blocks that were split, by index in `before`.
        splits: Vec<BlockSplit>,
    },
    /// Step 2: nothing was split.
    FixedPoint {
        /// The round that split nothing, counted as in [`Step::Count`].
        round: usize,
        /// The input of step 3, or the result if all blocks are singletons.
        partition: BlockList,
    },
    /// Step 3: a block was split arbitrarily.
    Choice {
        /// Block index in `before`.
        block: usize,
        /// The member put first.
        picked: usize,
        /// Whether the block is known to be fully symmetric (Def. 49), so that the choice is harmless.
        fully_symmetric: bool,
        /// The partition that step 2 left.
        before: BlockList,
        /// The same, but for the block that was split.
        after: BlockList,
    },
    /// All blocks are singletons: the components are ordered.
    Ordered,
    /// Tied values, which stand in the same places side by side in sets: the order of their names is arbitrary.
    Tie {
        /// The values, in the order in which they are named.
        values: Vec<String>,
        /// A component whose state holds them.
        component: usize,
        /// The variable that holds them there.
        variable: usize,
        /// Whether they stand alone as elements: exchanging them leaves the state as it is.
        harmless: bool,
    },
    /// Def. 38: the values of each type, in the order in which they appear.
    Types,
    /// Def. 40: the n-th value of that order goes to the n-th value of the type.
    Generated,
}

/// The n-values of the members of one block (Def. 36, step 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NTable {
    /// Meaning of each number.
    pub columns: Vec<Column>,
    /// Component and its numbers, in block order.
    pub rows: Vec<(usize, Vec<u32>)>,
}

/// `n_{i,j,k}`: the `(i, k)` edges into block `j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Variable of the state itself.
    pub i: usize,
    /// Block index in the partition that is counted against.
    pub j: usize,
    /// Variable of the states of that block; of the elements of a set, which count together, the first.
    pub k: usize,
}

/// The split of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockSplit {
    /// Index in the partition before.
    pub block: usize,
    /// The parts in their new order.
    pub groups: Vec<SplitGroup>,
    /// Index in the partition after, of the first of the parts; the others follow it.
    pub first_block_after: usize,
}

/// One part of a split block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitGroup {
    /// Component indices; their n-values are equal.
    pub members: Vec<usize>,
    /// The first column (index in the table) in which this group differs from the one before it.
    pub first_difference: Option<usize>,
}

/// The ordering of one type (Def. 38).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeOrder {
    /// The type's name.
    pub name: String,
    /// All its values in the order found.
    pub values: Vec<String>,
    /// Number of values that occur in the state; the order of the rest is arbitrary.
    pub seen: usize,
    /// Where each of those appears first: component and variable.
    pub places: Vec<(usize, usize)>,
}
