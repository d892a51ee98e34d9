// A token that goes around to the right. t: has it, n: has it not.
//
// Expected: rotation is a symmetry pattern, reflection is none. The least transducer has 5 states and is a rotation.
// "Exactly one t" is an invariant with 3 states.
model {
  alphabet: t n;
  steps: I* t/n n/t I*;
  steps: n/t I* t/n;
  statesGuessing: 1..5;
  initial: t n*;
  bad: .* t .* t .*;
}
