// Readers and a writer. i: idle, r: reads, w: writes. Any number read, or one writes.
//
// Expected: every pattern of the library holds. The least transducer has 5 states. "No r after a w" is an invariant
// with 3 states.
model {
  alphabet: i r w;
  steps: [i/i r/r]* [i/r r/i] [i/i r/r]*;
  steps: i/i* [i/w w/i] i/i*;
  statesGuessing: 1..5;
  initial: i*;
  bad: .* w .* r .*;
}
