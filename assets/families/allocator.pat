// A resource and its clients (Example 1 of the paper). The first letter is the allocator, all others are clients.
// i: idle, r: requests the resource, c: critical (of the allocator: the resource is given away).
//
// Expected: the clients' rotation and the exchange of the first two clients are symmetry patterns; rotation of all
// leaves the configurations. With the words of length 4 that are forced here the least transducer has 11 states and
// is the clients' rotation. "The first is c exactly if one of the others is" is an invariant with 4 states.
model {
  alphabet: i r c;
  configurations: [i c] .*;
  steps request: I+ i/r I*;
  steps grant: i/c I* r/c I*;
  steps release: c/i I* c/i I*;
  statesGuessing: 1..11;
  forcedSymmetryGenerators: (4, (1 2 3));
  initial: i+;
  bad: . .* c .* c .*;
}
