// Herman's ring as in 1990: everybody moves at once. A process whose bit is that of its left neighbour (it has a
// token) takes any bit, all others take that of the neighbour.
//
// The neighbour of the first process is the last one, whose bit is guessed: z0 and z1. What was read last is a or b.
// Expected: rotation is a symmetry pattern. The least transducer has 5 states and is a rotation.
model {
  alphabet: 0 1;
  systemTransitions {
    init: start;
    start -> z0; start -> z1;
    z0 -> z0a 0/0; z0 -> z0a 0/1; z0 -> z0b 1/0;
    z0a -> z0a 0/0; z0a -> z0a 0/1; z0a -> z0b 1/0;
    z0b -> z0a 0/1; z0b -> z0b 1/0; z0b -> z0b 1/1;
    z1 -> z1a 0/1; z1 -> z1b 1/0; z1 -> z1b 1/1;
    z1a -> z1a 0/0; z1a -> z1a 0/1; z1a -> z1b 1/0;
    z1b -> z1a 0/1; z1b -> z1b 1/0; z1b -> z1b 1/1;
    accepting: z0a, z1b;
  }
  statesGuessing: 1..5;
}
