//! Retry loops on read-only tables: each attempt may miss an entry, which is filled in before the next.

use super::ids::{FormatId, LocalId, Miss};
use super::network::Network;
use super::shared::Machine;
use crate::source::diagnostic::Result;

/// Local states whose rules are listed ahead, at most.
const LISTED_AHEAD_MAX: usize = 1 << 16;
/// Name of the work of [`Machine::list_ahead`], for display.
pub const LISTING_AHEAD: &str = "listing the rules of components";
/// Local states between two checks of the limits.
const POLL_EVERY: usize = 256;

/// Repeats an attempt on read-only tables until it succeeds, filling in what it missed. All
/// readers of the tables other than searches work in this way.
///
/// # Errors
/// The error of filling in: an evaluation error, or that a limit is reached. `fill` has to check the limits,
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
    /// Repeats an attempt until the tables hold all that it needs ([`until_complete`]).
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

    /// Fills in a missing entry of the tables.
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
        // New local states may have new shapes.
        self.rank_shapes()?;
        self.eval.check_step()
    }

    /// Lists the rules of all local states of the first format, where each component was explored completely, unless
    /// there are too many. Otherwise work on many states at a time would restart with each missing entry.
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
