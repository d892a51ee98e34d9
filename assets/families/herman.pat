// Herman's self-stabilising ring, one process at a time. t: has a token, n: has none.
//
// Whoever has a token passes it on to the left; where a token is already, the two become one.
// Expected: rotation is a symmetry pattern. The least transducer has 5 states and is a rotation.
model {
  alphabet: t n;
  steps: t/n I* ./t;        // the first passes its token to the last
  steps: I* ./t t/n I*;     // anybody else
  statesGuessing: 1..5;
  initial: .* t .*;
  bad: n*;
}
