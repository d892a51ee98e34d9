//! Work with tables that are only read meanwhile, and filled in between two attempts.

use super::ids::{FormatId, LocalId, Miss};
use super::network::Network;
use super::shared::Machine;
use crate::source::diagnostic::Result;

/// Local states whose rules are listed ahead at most.
const LISTED_AHEAD_MAX: usize = 1 << 16;
/// What [`Machine::list_ahead`] does, for people.
pub const LISTING_AHEAD: &str = "listing the rules of components";
/// Local states between two looks at the limits.
const POLL_EVERY: usize = 256;

/// Tries something on tables that are only read meanwhile; fills in what it missed, and tries again. This is
/// how everybody works with tables who does not search.
///
/// # Errors
/// What filling in reports: an evaluation error, or that a limit is reached. It has to look at the limits,
/// since an attempt may miss something again and again.
pub fn until_complete<T, R, M>(
    tables: &mut T,
    mut attempt: impl FnMut(&T) -> std::result::Result<R, M>,
    mut fill_in: impl FnMut(&mut T, M) -> Result<()>,
) -> Result<R> {
    loop {
        match attempt(tables) {
            Ok(done) => return Ok(done),
            Err(miss) => fill_in(tables, miss)?,
        }
    }
}

impl Machine {
    /// Runs something on the tables, filling in what it misses until it succeeds ([`until_complete`]).
    ///
    /// # Errors
    /// As [`Machine::resolve`].
    pub fn complete<R>(
        &mut self,
        network: &mut Network,
        mut attempt: impl FnMut(&Self, &Network) -> std::result::Result<R, Miss>,
    ) -> Result<R> {
        until_complete(
            &mut (self, network),
            |(machine, network)| attempt(machine, network),
            |(machine, network), miss| {
                machine.eval.check_time()?;
                machine.resolve(network, &miss)
            },
        )
    }

    /// Fills in what the tables did not hold.
    ///
    /// # Errors
    /// An evaluation error of the component concerned, or a limit.
    pub fn resolve(&mut self, network: &mut Network, miss: &Miss) -> Result<()> {
        match miss {
            Miss::Image(shape, atoms) => {
                self.intern_image(*shape, atoms);
            }
            Miss::Fire(format, component, local) => {
                network.build_fires(self, *format, *component as usize, *local)?;
            }
            Miss::Change(format, component, local) => {
                network.decide_change(self, *format, *component as usize, *local)?;
            }
            Miss::Turn(format, rule) => network.decide_turn(self, *format, *rule)?,
        }
        // Whatever was interned may have a new shape.
        self.rank_shapes()?;
        self.eval.check_step()
    }

    /// Lists the rules of all local states of the first format, where each component was explored to the end, unless
    /// they are too many. What goes through many states at a time would begin anew with each that was not listed.
    ///
    /// # Errors
    /// As [`Machine::resolve`].
    pub fn list_ahead(&mut self, network: &mut Network) -> Result<()> {
        let reach = network.first().reach();
        let all: usize = reach.iter().map(|reach| reach.locals.len()).sum();
        if all > LISTED_AHEAD_MAX || !reach.iter().all(|reach| reach.complete) {
            return Ok(());
        }
        let reached = (0..).zip(reach).flat_map(|(component, reach)| {
            let locals = reach.locals.iter();
            locals.map(move |local| (component, *local))
        });
        let missing = |(component, local): &(usize, LocalId)| {
            let listed = network.first().rules().listed(*component, *local);
            listed.is_none()
        };
        let missing: Vec<(usize, LocalId)> = reached.filter(missing).collect();
        for (number, (component, local)) in missing.into_iter().enumerate() {
            if number.is_multiple_of(POLL_EVERY) {
                self.eval.check_time()?;
            }
            network.build_fires(self, FormatId(0), component, local)?;
        }
        self.rank_shapes()?;
        Ok(())
    }
}
