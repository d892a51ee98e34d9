//! Groups that act on words: wreath products of symmetric groups in their product action.
//!
//! The words of length d over q letters, with an edge between two that differ at one place, are the Hamming
//! graph H(d, q); for two letters it is the hypercube of dimension d. Its automorphisms permute the letters at
//! each place, independently, and the places: they are the wreath product of the symmetric groups on q and on
//! d points, and there are (q!)^d · d! of them (Brouwer, Cohen and Neumaier, *Distance-Regular Graphs*, Sec.
//! 9.2). So a group that preserves such a graph and has this order is the whole automorphism group.

use num_bigint::BigUint;

use super::Poll;
use super::bounds::factorial;
use super::chain::StabiliserChain;
use super::orbits::PointOrbits;
use super::permutation::PointPermutation;
use crate::source::diagnostic::Result;

/// Whether a transitive group on `0..degree` of this order is the full automorphism group of a Hamming graph on its
/// points. Returns the number of letters and the length of the words (at least two each).
///
/// # Errors
/// Any error of `poll`.
pub(super) fn hamming_action(
    degree: u32,
    generators: &[PointPermutation],
    order: &BigUint,
    poll: Poll<'_>,
) -> Result<Option<(u32, u32)>> {
    for (letters, places) in powers(degree) {
        let whole = factorial(letters as usize).pow(places) * factorial(places as usize);
        if whole != *order {
            continue;
        }
        // An edge leads from a point to an orbit of its stabiliser.
        let chain = StabiliserChain::new(degree, generators, &[0], Some(order), poll)?;
        let Some(chain) = chain else {
            return Ok(None);
        };
        let stabiliser = chain.generators(chain.preferred_levels());
        for orbit in PointOrbits::of(degree, &stabiliser).orbits() {
            let has_size = orbit.len() as u32 == places * (letters - 1);
            if has_size && is_hamming(&neighbours(generators, &orbit, degree), letters, places) {
                return Ok(Some((letters, places)));
            }
        }
    }
    Ok(None)
}

/// All ways to write a number as a power with an exponent of two and more.
fn powers(number: u32) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for exponent in 2..=number.max(1).ilog2() {
        let root = (2..).find(|root: &u64| root.pow(exponent) >= u64::from(number));
        if let Some(root) = root.filter(|root| root.pow(exponent) == u64::from(number)) {
            found.push((root as u32, exponent));
        }
    }
    found
}

/// The neighbours of each point, ascending, given those of point 0.
fn neighbours(generators: &[PointPermutation], of_first: &[u32], degree: u32) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new(); degree as usize];
    if let Some(first) = all.first_mut() {
        *first = of_first.to_vec();
    }
    let mut open = vec![0u32];
    while let Some(point) = open.pop() {
        for generator in generators {
            let to = generator.apply(point);
            if all[to as usize].is_empty() {
                let own = all[point as usize].iter();
                let mut image: Vec<u32> = own.map(|n| generator.apply(*n)).collect();
                image.sort_unstable();
                all[to as usize] = image;
                open.push(to);
            }
        }
    }
    all
}

/// Whether the points can be labelled with words such that exactly those that differ at one place are neighbours.
fn is_hamming(neighbours: &[Vec<u32>], letters: u32, places: u32) -> bool {
    let related = |a: u32, b: u32| neighbours[a as usize].binary_search(&b).is_ok();
    let mut words: Vec<Vec<u32>> = vec![vec![0; places as usize]; neighbours.len()];
    let mut distance = vec![u32::MAX; neighbours.len()];
    distance[0] = 0;
    // The neighbours of the first point: those that differ from it at one place are neighbours of one another.
    let mut cliques: Vec<Vec<u32>> = Vec::new();
    for point in &neighbours[0] {
        distance[*point as usize] = 1;
        match cliques.iter_mut().find(|clique| related(clique[0], *point)) {
            Some(clique) => clique.push(*point),
            None => cliques.push(vec![*point]),
        }
    }
    if cliques.len() != places as usize {
        return false;
    }
    for (place, clique) in cliques.iter().enumerate() {
        for (letter, point) in (1u32..).zip(clique) {
            words[*point as usize][place] = letter;
        }
    }
    // Further away, a word gets the letters of its neighbours that are one step nearer.
    let mut layer = neighbours[0].clone();
    for far in 2..=places {
        let mut next = Vec::new();
        for near in layer {
            for point in &neighbours[near as usize] {
                let known = &mut distance[*point as usize];
                if *known == u32::MAX {
                    *known = far;
                    next.push(*point);
                }
                if *known == far {
                    let word = words[near as usize].clone();
                    for (own, letter) in words[*point as usize].iter_mut().zip(word) {
                        *own = letter.max(*own);
                    }
                }
            }
        }
        layer = next;
    }
    // The labelling is verified.
    let differs_once = |a: &[u32], b: &[u32]| a.iter().zip(b).filter(|(a, b)| a != b).count() == 1;
    let all_told = neighbours.iter().enumerate().all(|(at, own)| {
        own.len() as u32 == places * (letters - 1)
            && own
                .iter()
                .all(|n| differs_once(&words[at], &words[*n as usize]))
    });
    let in_range = words.iter().flatten().all(|letter| *letter < letters);
    words.sort_unstable();
    words.dedup();
    all_told && in_range && words.len() == neighbours.len()
}
