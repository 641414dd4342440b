------------------------------- MODULE Rules --------------------------------
(* What the specifications share: rules that can be left out, limits that can*)
(* be switched on, and what may happen so often.                             *)
EXTENDS Integers, FiniteSets, Sequences

CONSTANTS
  Mistake,    \* the rule that is left out; or "none"
  NotCovered  \* the limits of docs/guarantees.md that are switched on

Made(mistake) == Mistake = mistake
Happens(limit) == limit \in NotCovered
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

(* One less of what may still happen, a variable.                            *)
Spend(left, what) == left[what] > 0 /\ left' = [left EXCEPT ![what] = @ - 1]

=============================================================================
