// Gries's coffee can (Example 3 of the paper): x black and y white beans in a word 1^x 0^a 3^y 2^b, with 0 and 2 for
// the room that is left. Two beans are taken out at a time; if they are of one colour, a black one is put in, else the
// white one. Words have at least two places for black beans.
//
// Expected: with the words that are forced here the least transducer has 5 states, and maps what has an odd number of
// white beans to (0, 1) and the rest to (2, 0). So two configurations are left of each size of the buffers.
model {
  alphabet: 1 0 3 2;
  configurations: (1 1+ 0* | 1 0+ | 0 0+) 3* 2*;
  steps: 1/1+ 1/0 0/0* 3/3* 2/2*;                 // two black ones: (x, y) to (x-1, y)
  steps: 1/1* 0/1 0/0* 3/3* 3/2 3/2 2/2*;         // two white ones: to (x+1, y-2)
  steps: 1/1* 1/0 0/0* 3/3+ 2/2*;                 // one of each: to (x-1, y)
  steps: 1/1+ 0/0* 3/3+ 2/2*;                     // nothing happens, but at (1, 0), where the game is over
  steps: 0/0+ 3/3* 2/2*;
  steps: 1/1 1/1+ 0/0* 2/2*;
  statesGuessing: 1..5;
  outputBoundedLetters: 1, 3;
  impossible pairs: (0,2), (0,3), (1,2), (1,3), (2,0), (2,1), (3,0), (3,1);
  off: parikh, permutative, injectiveoutput, outputUniversal;
  forcedSymmetryInstances:
    (0 0 2 2, 1 1 2 2), (1 0 3 2, 0 0 3 2), (1 1 3 2, 0 0 3 2),
    (0 0 3 3, 1 1 2 2), (1 0 3 3, 1 1 2 2), (1 1 3 3, 1 1 2 2);
}
