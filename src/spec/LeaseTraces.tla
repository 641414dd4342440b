---------------------------- MODULE LeaseTraces ----------------------------
(* What real processes and a real Redis did to one key, judged as behaviours *)
(* of the part of Leases that can be seen from outside: the register of the  *)
(* copies and the journal in Redis, an insert that begins and is acknowledged*)
(* and the answers of checks. Validation of traces in this way: Howard and   *)
(* others, "Validating Traces of Distributed Programs Against TLA+           *)
(* Specifications", 2024; CCF's "Smart Casual Verification", 2024.           *)
(*                                                                           *)
(* The fault runs record them (Traces of src/it/faults): what Redis does, by *)
(* MONITOR in the order in which it did it; what callers do, by the clock of *)
(* the same machine. Something that a caller sees has a begin and an end and *)
(* may have happened anywhere between. So an answer "absent" stands at its   *)
(* begin, an acknowledgement at its end, and which of the journal's entries  *)
(* between is the one of the insert is left open.                            *)
(*                                                                           *)
(* Many traces are judged in one run: each is an initial state. TLC prints   *)
(* the number of each that has a behaviour to its end.                       *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANT Traces   \* of each its events: sequences that begin with a kind and a moment (us)

VARIABLES
  trace,         \* the number of the trace
  next,          \* the number of its next event
  register,      \* the copies in the register: <<copy, until>>, the end of the lease
  entry,         \* the journal entry of the insert, 0 for none yet
  waiting,       \* <<copy, until>>: who had no entry at that time
  acknowledged   \* whether callers may rely on the key

vars == <<trace, next, register, entry, waiting, acknowledged>>

Init ==
  /\ trace \in DOMAIN TLCGet(1) /\ next = 1
  /\ register = {} /\ waiting = {} /\ entry = 0 /\ acknowledged = FALSE

(* Kept as a value: TLC would make it again in each state.                   *)
ASSUME TLCSet(1, Traces)
Events == TLCGet(1)[trace]
Event == Events[next]
Is(kind) == next <= Len(Events) /\ Event[1] = kind /\ next' = next + 1
Without(copies, copy) == {c \in copies : c[1] # copy}

(* Leases!PollExecuted, follow.lua: <<"copy", moment, copy, position, lease>>*)
(* A lease that a copy takes after the entry comes with the entry.           *)
Registered ==
  /\ Is("copy")
  /\ register' = Without(register, Event[3]) \cup {<<Event[3], Event[2] + Event[5]>>}
  /\ waiting' = IF entry # 0 /\ Event[4] >= entry THEN Without(waiting, Event[3]) ELSE waiting
  /\ UNCHANGED <<trace, entry, acknowledged>>

(* Leases!StrayPollExecuted, Left: <<"gone", moment, copy>>. It has hidden   *)
(* its bits before, or its lease has run out.                                *)
Gone ==
  /\ Is("gone")
  /\ register' = Without(register, Event[3])
  /\ waiting' = Without(waiting, Event[3])
  /\ UNCHANGED <<trace, entry, acknowledged>>

(* Leases!Notice: <<"lost", moment>>. No copy is on the register any more;   *)
(* what an add then waits for is no shorter.                                 *)
Lost ==
  /\ Is("lost")
  /\ register' = {}
  /\ UNCHANGED <<trace, entry, waiting, acknowledged>>

(* Leases!Execute, add.lua: <<"entry", moment, position, own copy>>; an entry*)
(* of this insert or of another.                                             *)
Executed ==
  /\ Is("entry")
  /\ \/ entry = 0 /\ entry' = Event[3] /\ waiting' = Without(register, Event[4])
     \/ UNCHANGED <<entry, waiting>>
  /\ UNCHANGED <<trace, register, acknowledged>>

(* Leases!Ends: <<"acknowledged", moment>>. Every copy reports the entry, or *)
(* its lease has run out.                                                    *)
Acknowledged ==
  /\ Is("acknowledged")
  /\ entry # 0 /\ \A c \in waiting : c[2] <= Event[2]
  /\ acknowledged' = TRUE
  /\ UNCHANGED <<trace, register, entry, waiting>>

(* A row from the beginning.                                                 *)
Present ==
  /\ Is("row")
  /\ acknowledged' = TRUE
  /\ UNCHANGED <<trace, register, entry, waiting>>

(* Leases!ReadClocks: <<"absent", moment, shop>>; promise 1.                 *)
Denied ==
  /\ Is("absent") /\ ~acknowledged
  /\ UNCHANGED <<trace, register, entry, waiting, acknowledged>>

(* <<"present", …>>, <<"unknown", …>>, <<"refused", …>>: never wrong.        *)
Other ==
  /\ Is("present") \/ Is("unknown") \/ Is("refused")
  /\ UNCHANGED <<trace, register, entry, waiting, acknowledged>>

End ==
  /\ next = Len(Events) + 1
  /\ PrintT(<<"accepted", trace>>)
  /\ next' = next + 1
  /\ UNCHANGED <<trace, register, entry, waiting, acknowledged>>

Spec ==
  Init /\ [][Registered \/ Gone \/ Lost \/ Executed \/ Acknowledged \/ Present \/ Denied \/ Other
             \/ End]_vars

=============================================================================
