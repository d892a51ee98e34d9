// Dining philosophers. 0: thinks, 1: has the right fork, 2: has both and eats, 3: has put back the right one.
//
// Expected: rotation is a symmetry pattern, neither exchanges nor reflection are. With the words of length 3 that are
// forced here the least transducer has 17 states and is a rotation. That no 2 stands behind a 1 or a 2 is an invariant
// with 3 states; so no two neighbours within the word eat.
model {
  alphabet: 0 1 2 3;
  steps: I* 0/1 [0/0 1/1] I*;       // the right neighbour does not have the fork between the two
  steps: [0/0 1/1] I* 0/1;          // that of the last is the first
  steps: I* [0/0 3/3] 1/2 I*;       // nor the left one
  steps: 1/2 I* [0/0 3/3];          // that of the first is the last
  steps: I* [2/3 3/0] I*;           // one fork is put back, then the other
  statesGuessing: 14..17;
  forcedSymmetryGenerators: (3, (0 1 2));
  initial: 0+;
  bad: .* 2 2 .*;
}
