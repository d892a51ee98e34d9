// Israeli and Jalfon's ring exactly as Example 2 of the paper prints it. Its last expression loses both tokens at the
// ends of the word; (t/n) I* (t/t) is meant.
//
// Expected: no pattern of the library holds. No transducer with 1 to 5 states is one.
model {
  alphabet: t n;
  steps: I* t/n n/t I*;
  steps: I* t/t t/n I*;
  steps: t/n I* n/t;
  steps: I* n/t t/n I*;
  steps: n/t I* t/n;
  steps: t/n I* t/n;
  statesGuessing: 1..5;
}
