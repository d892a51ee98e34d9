// A token that moves to the right in a line, and stays at its end.
//
// Expected: no pattern of the library holds. No transducer with 1 to 5 states is one.
model {
  alphabet: t n;
  steps: I* t/n n/t I*;
  statesGuessing: 1..5;
  initial: t n*;
  bad: .* t .* t .*;
}
