// Israeli and Jalfon's ring in which tokens merge to the left and to the right.
//
// Expected: rotation and reflection are symmetry patterns. The least transducer has 5 states and is a rotation.
model {
  alphabet: t n;
  steps: I* t/n ./t I*;     // to the right, or merging there
  steps: ./t I* t/n;        // from the last to the first
  steps: I* ./t t/n I*;     // to the left, or merging there
  steps: t/n I* ./t;        // from the first to the last
  statesGuessing: 1..5;
  initial: t+;
  bad: n+;
}
