// Israeli and Jalfon's ring. t: has a token, n: has none.
//
// A token moves to either neighbour. If that one moves to the left and meets a token, the two become one; the step
// that merges to the right is left out here (israeli_jalfon_both.pat has it).
// Expected: rotation is a symmetry pattern, reflection is none. The least transducer has 5 states and is a rotation.
model {
  alphabet: t n;
  steps: I* t/n n/t I*;     // to the right
  steps: n/t I* t/n;        // from the last to the first
  steps: I* ./t t/n I*;     // to the left, or merging there
  steps: t/n I* ./t;        // from the first to the last
  statesGuessing: 1..5;
  initial: t+;
  bad: n+;
}
