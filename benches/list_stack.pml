/* The list stack for Spin, with its specification inside: `by_hand.rs` runs it. */
#define N 5
/* Threads, nodes and data are numbers from 1; a node without a datum is free. */
byte top, lock;
byte datum[N+1], nxt[N+1];
/* What was pushed and not popped yet, the last first. */
byte s[N], ln;
proctype Thread(byte me) {
  byte d, t, x;
start:
  if
  :: d = 1; goto push_
  :: d = 2; goto push_
  :: goto pop_
  fi;
push_:
  atomic { lock == 0 -> lock = me };
  t = top;
  if
  :: d_step { datum[1] == 0 -> datum[1] = d; nxt[1] = t; t = 0; x = 1 }
  :: d_step { datum[2] == 0 -> datum[2] = d; nxt[2] = t; t = 0; x = 2 }
  :: d_step { datum[3] == 0 -> datum[3] = d; nxt[3] = t; t = 0; x = 3 }
  :: d_step { datum[4] == 0 -> datum[4] = d; nxt[4] = t; t = 0; x = 4 }
  :: d_step { datum[5] == 0 -> datum[5] = d; nxt[5] = t; t = 0; x = 5 }
  fi;
  d_step { top = x; x = 0 };
  d_step { assert(ln < N); s[4]=s[3]; s[3]=s[2]; s[2]=s[1]; s[1]=s[0]; s[0]=d; ln++; d = 0 };
  d_step { lock = 0 };
  goto start;
pop_:
  atomic { lock == 0 -> lock = me };
  if
  :: d_step { top == 0 -> skip }; 
     d_step { assert(ln == 0) };
  :: d_step { top != 0 -> t = top };
     x = nxt[t];
     d_step { top = x; x = 0 };
     d = datum[t];
     d_step { assert(ln > 0 && s[0] == d); s[0]=s[1]; s[1]=s[2]; s[2]=s[3]; s[3]=s[4]; s[4]=0; ln--; d = 0 };
     d_step { datum[t] = 0; nxt[t] = 0; t = 0 };
  fi;
  d_step { lock = 0 };
  goto start;
}
init { atomic { run Thread(1); run Thread(2); run Thread(3) } }
