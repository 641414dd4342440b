------------------------------ MODULE Leases -------------------------------
(* Copies of a filter that answer "absent" by themselves, for one partition. *)
(*                                                                           *)
(* A copy loads an image, then polls the journal. A poll that Redis runs     *)
(* enters the copy in a register with the position that it has applied, and  *)
(* gives it a lease if its page reaches the end. An add is acknowledged once *)
(* every copy in the register reports it, or has been waited for so long that*)
(* its lease has run out. So do swaps of generations and moves of the hash   *)
(* scheme. docs/guarantees.md, "Copies that hold a lease".                   *)
(*                                                                           *)
(* One process writes, or two; the tasks of each run side by side. A message *)
(* is sent by one step, executed by another and answered by a third,         *)
(* wherever something can come between that matters; a process that is       *)
(* stopped is one whose next step comes late. Time is in ticks; what was is  *)
(* known by its age. Classes and scripts in comments are below               *)
(* io.bloomguard.redis.internal.                                             *)
EXTENDS Rules

CONSTANTS
  Tasks,       \* what the writing process does: 0, 1, 2: adds this key; Swap; Move
  Lengths,     \* for each copy, the length of its lease
  Margin,      \* what a lease is shorter, and a wait longer
  Page,        \* the most entries of a page
  InWriter,    \* whether copy 1 is one of the first writing process
  Elsewhere,   \* the tasks that a second process does
  LateWriter,  \* whether the writing processes are to start yet
  ImagesDiffer,\* whether each generation has a key, of its own number, that the other lacks
  Events,      \* what happens to Redis, in this order and at any time
  Slow,        \* how often one copy's clocks do not tick, and
  Fast,        \*   how often those of the writing process and of Redis tick twice
  Suspensions, \* how often a machine is suspended, which stops its monotonic clock
  SetBacks,    \* how often a wall clock is set back
  Timeouts,    \* how many polls are given up that Redis may run all the same
  Trims,       \* how often the journal is trimmed
  Jumps,       \* how often Redis' clock ends a doubt at once
  Messages     \* how many adds the copies are told of by a message

Mistakes == {
  "LEASE_FROM_ANSWER", "CLOCKS_BEFORE_BITS", "LEASE_AFTER_BITS", "GIVEN_UP_NOT_SEEN",
  "REPORTED_BEFORE_APPLIED", "ADD_WITHOUT_ENTRY_DOES_NOT_WAIT", "REGISTERED_AFTER_PAGE",
  "LOOK_BEFORE_ADD", "STRUCK_WHILE_POLLING", "ABSENCE_ELSEWHERE_BELIEVED", "REGISTER_LOST_ALONE",
  "OWN_LENGTH_WAITED", "LEASE_KEPT_OVER_SWAP", "LEASE_KEPT_OVER_RELOAD",
  "LEASE_KEPT_OVER_RECONNECT", "LEASE_KEPT_OVER_MOVE", "ANY_CLOSING_COUNTS", "SWAP_DOES_NOT_WAIT",
  "SWAP_DOES_NOT_WAIT_FOR_OWN_COPY", "NO_WAIT_IN_DOUBT", "NO_WAIT_AT_NEW_SERVER",
  "NO_WAIT_AFTER_DOUBT", "NO_MARGIN", "LEASE_OF_MOST_WITHOUT_MARGIN", "WALL_CLOCK_NOT_ASKED",
  "MONOTONIC_CLOCK_NOT_ASKED", "INCOMPLETE_PAGE_RENEWS", "NONE_REPORTED_UNDER_LEASE",
  "LEASE_WITHOUT_REGISTRATION", "OVERTAKEN_POLL_COUNTS", "NEWS_AFTER_GAP",
  "NEWS_OF_ANOTHER_SCHEME", "REPORT_RENEWS", "OWN_COPY_NOT_TOLD",
  "ANY_COPY_TAKEN_FOR_OWN" }

Limits == {"SPLIT_BRAIN"}   \* a copy may still reach a master that was cut off

ASSUME Mistake \in Mistakes \cup {"none"} /\ NotCovered \subseteq Limits

VARIABLES
  redis,    \* what clients reach
  server,   \* on which server
  other,    \* what the other server has: the replica, or the master before
  writer,   \* what a writing process knows: its server, the latest losses, for how long both
  promised, \* the keys that nobody may deny: acknowledged, or of a generation reported to serve
  copy, task,
  ask,      \* a check by a copy that is under way
  denied,   \* the promised keys that such a check denied
  left      \* what may still happen

vars == <<redis, server, other, writer, promised, copy, task, ask, denied, left>>

Copies == 1..Len(Lengths)
Ids == 1..Len(Tasks)
Most == 3     \* what an add waits where the register proves nothing; no lease is longer, no doubt shorter
Swap == 10
Move == 11
OneAdd == <<0>>
OneCopy == <<2>>
NoEvents == <<>>
Less == IF Made("NO_MARGIN") THEN 0 ELSE Margin
(* A lease and its margin are no longer than the fixed most.                 *)
Length(c) == Lengths[c] + (IF Made("LEASE_OF_MOST_WITHOUT_MARGIN") THEN Less ELSE 0)
New == [mono |-> 0, wall |-> 0]      \* an age by both clocks of a process

NoPoll == [state |-> "none", none |-> FALSE, sent |-> New, page |-> {}, end |-> 0,
           complete |-> FALSE, verdict |-> "follows"]
NoNews == [key |-> -1, end |-> 0, epoch |-> 0, scheme |-> 0]
NoImage == [state |-> "none", scheme |-> 0, generation |-> 0, epoch |-> 0, position |-> 0, keys |-> {}]
NoTask == [state |-> "idle", listed |-> {}, full |-> FALSE, most |-> 0, waited |-> 0, losses |-> 0,
           scheme |-> 0, generation |-> 0, need |-> 0, closing |-> 0, early |-> FALSE, unseen |-> {}]
NoAsk == [state |-> "none", copy |-> 0, lease |-> New, givenUp |-> FALSE, bits |-> {}]
Absent == [in |-> FALSE, generation |-> 0, position |-> 0, seen |-> {}]
NoCopies == [c \in Copies |-> Absent]
(* The server and losses under which the content is complete; whether it is  *)
(* trusted, or for how long in doubt; the closing under which a scheme takes *)
(* no copies; images, journal, register.                                     *)
Partition == [home |-> 1, losses |-> 1, trusted |-> TRUE, doubted |-> 0, scheme |-> 1,
              generation |-> 1, closing |-> 0, images |-> <<{}, {}>>, journal |-> <<>>, first |-> 0,
              register |-> NoCopies]

End(r) == Len(r.journal)
Adds(t) == Tasks[t] \in {0, 1, 2}
By(t) == IF t \in Elsewhere THEN 2 ELSE 1   \* the process of a task
Writers == {By(t) : t \in Ids}
Active(c) == ~copy[c].suspended
Reached(c) == Active(c) /\ copy[c].connection = server

-----------------------------------------------------------------------------
(* Time.                                                                     *)

Older(age, c) ==
  [mono |-> Min(Length(c), age.mono + (IF copy[c].suspended THEN 0 ELSE 1)),
   wall |-> Min(Length(c), age.wall + 1)]

HoldsFor(c, lease) ==
  LET length == Length(c) - Less IN
  /\ lease.mono < length \/ Made("MONOTONIC_CLOCK_NOT_ASKED")
  /\ (lease.wall >= 0 /\ lease.wall < length) \/ Made("WALL_CLOCK_NOT_ASKED")

(* partition.Clocks, PartitionReplica                                        *)
Holds(c) == copy[c].shown /\ HoldsFor(c, copy[c].lease)

Tick(slow, fast) ==
  LET aged == [c \in Copies |-> IF c = slow THEN copy[c] ELSE [copy[c] EXCEPT
                !.lease = IF copy[c].shown THEN Older(@, c) ELSE @,
                !.poll.sent = IF copy[c].poll.state # "none" THEN Older(@, c) ELSE @]]
      asked == IF ask.state = "none" \/ ask.copy = slow THEN ask
               ELSE [ask EXCEPT !.lease = Older(@, ask.copy)]
      hopeless == /\ asked.state # "none" /\ left.setBacks = 0
                  /\ Mistake \notin {"CLOCKS_BEFORE_BITS", "LEASE_AFTER_BITS"}
                  /\ ~HoldsFor(asked.copy, asked.lease)
      passed == IF fast THEN 2 ELSE 1
  IN /\ slow # 0 => (left.slow > 0 /\ Active(slow))
     /\ fast => left.fast > 0
     /\ copy' = aged
     /\ ask' = IF hopeless THEN NoAsk ELSE asked
     /\ left' = [left EXCEPT !.slow = IF slow = 0 THEN @ ELSE @ - 1,
                             !.fast = IF fast THEN @ - 1 ELSE @]
     /\ writer' = [p \in Writers |-> [writer[p] EXCEPT !.known = Min(Most, @ + passed)]]
     /\ task' = [t \in Ids |-> IF task[t].state # "waiting" THEN task[t]
                  ELSE [task[t] EXCEPT !.waited = Min(task[t].most, @ + passed)]]
     /\ redis' = IF redis.trusted THEN redis ELSE [redis EXCEPT !.doubted = Min(Most, @ + 1)]
     /\ UNCHANGED <<server, other, promised, denied>>

Suspend(c) ==
  /\ Active(c) /\ Spend(left, "suspensions")
  /\ copy' = [copy EXCEPT ![c].suspended = TRUE]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied>>

Resume(c) ==
  /\ ~Active(c)
  /\ copy' = [copy EXCEPT ![c].suspended = FALSE]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

SetBack(c) ==
  /\ Spend(left, "setBacks")
  /\ copy' = [copy EXCEPT ![c].lease.wall = @ - 1, ![c].poll.sent.wall = @ - 1]
  /\ ask' = IF ask.copy = c THEN [ask EXCEPT !.lease.wall = @ - 1] ELSE ask
  /\ UNCHANGED <<redis, server, other, writer, promised, task, denied>>

-----------------------------------------------------------------------------
(* A check by a copy: the lease, the bits, the clocks, and whether the bits  *)
(* were given up. replica.ReplicaFollower                                    *)

ReadLease(c) ==
  /\ Active(c) /\ ask.state = "none" /\ Holds(c) /\ ~Made("LEASE_AFTER_BITS")
  /\ ask' = [NoAsk EXCEPT !.state = "lease", !.copy = c, !.lease = copy[c].lease]
  /\ UNCHANGED <<redis, server, other, writer, promised, copy, task, denied, left>>

(* Only a check that meets bits without a promised key matters.              *)
ReadBits(c) ==
  LET begun == ask.state = "lease" /\ ask.copy = c
      first == Made("LEASE_AFTER_BITS") /\ ask.state = "none" /\ copy[c].shown
      lacking == promised \ (IF ask.givenUp THEN ask.bits ELSE copy[c].bits)
  IN /\ Active(c) /\ (begun \/ first) /\ lacking # {}
     /\ ask' = [ask EXCEPT !.state = "bits", !.copy = c, !.bits = lacking]
     /\ denied' = IF Made("CLOCKS_BEFORE_BITS") THEN lacking ELSE denied
     /\ UNCHANGED <<redis, server, other, writer, promised, copy, task, left>>

ReadClocks(c) ==
  LET lease == IF Made("LEASE_AFTER_BITS") THEN copy[c].lease ELSE ask.lease IN
  /\ Active(c) /\ ask.state = "bits" /\ ask.copy = c
  /\ denied' = IF (ask.givenUp \/ copy[c].shown) /\ HoldsFor(c, lease) THEN ask.bits ELSE denied
  /\ ask' = NoAsk
  /\ UNCHANGED <<redis, server, other, writer, promised, copy, task, left>>

(* Hides the bits from every check, those under way too.                     *)
Hidden(k) == [k EXCEPT !.shown = FALSE, !.own = FALSE, !.bits = {}, !.lease = New]
AskWithout(c) ==
  IF ask.copy # c \/ ~copy[c].shown THEN ask
  ELSE IF ~Made("GIVEN_UP_NOT_SEEN") THEN NoAsk
  ELSE IF ask.givenUp THEN ask
  ELSE [ask EXCEPT !.givenUp = TRUE, !.bits = IF ask.state = "bits" THEN @ ELSE copy[c].bits]

(* Follows no image any more; what is shown is another matter.               *)
Forgetting(k) == [k EXCEPT !.image = NoImage, !.behind = FALSE, !.own = FALSE, !.heard = FALSE]

-----------------------------------------------------------------------------
(* A script that changes the partition begins with it: partition.lua.        *)

Lost(r, knows) == r.home # server \/ r.losses < knows
NextLosses ==
  LET known == {redis.losses, other.losses} \cup {copy[c].knows : c \in Copies}
                 \cup {writer[p].knows : p \in Writers}
  IN 1 + (CHOOSE l \in known : \A m \in known : l >= m)
Notice(r, knows) ==
  IF ~Lost(r, knows) THEN r
  ELSE [r EXCEPT !.losses = NextLosses, !.home = server, !.trusted = FALSE, !.doubted = 0,
         !.closing = 0, !.register = NoCopies]
Entered(r, c, generation, position) ==
  [r EXCEPT !.register[c] =
    [in |-> TRUE, generation |-> generation, position |-> position, seen |-> {}]]
Left(r, c) == [r EXCEPT !.register[c] = Absent]

-----------------------------------------------------------------------------
(* A copy: replica.ReplicaLoad, ReplicaSync.                                 *)

ConnectCopy(c) ==
  LET k == [copy[c] EXCEPT !.connection = server, !.poll = NoPoll, !.stray = FALSE,
             !.overtaken = FALSE]
      keeps == Made("LEASE_KEPT_OVER_RECONNECT")
  IN /\ Active(c) /\ copy[c].connection # server
     /\ copy' = [copy EXCEPT ![c] = IF keeps THEN k ELSE Forgetting(Hidden(k))]
     /\ ask' = IF keeps THEN ask ELSE AskWithout(c)
     /\ UNCHANGED <<redis, server, other, writer, promised, task, denied, left>>

CopyHeartbeat(c) ==
  LET r == Notice(redis, copy[c].knows) IN
  /\ Reached(c) /\ (Lost(redis, copy[c].knows) \/ copy[c].knows < redis.losses)
  /\ redis' = r
  /\ copy' = [copy EXCEPT ![c].knows = r.losses]
  /\ UNCHANGED <<server, other, writer, promised, task, ask, denied, left>>

BeginLoad(c) ==
  /\ Reached(c) /\ copy[c].image.state = "none"
  /\ redis.trusted /\ ~Lost(redis, copy[c].knows) /\ redis.closing = 0
  /\ copy' = [copy EXCEPT ![c].knows = redis.losses,
       ![c].image = [state |-> "loading", scheme |-> redis.scheme, generation |-> redis.generation,
         epoch |-> redis.losses, position |-> End(redis), keys |-> {}]]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

EndLoad(c) ==
  /\ Reached(c) /\ copy[c].image.state = "loading"
  /\ copy' = [copy EXCEPT ![c].image.state = "loaded",
       ![c].image.keys = redis.images[copy[c].image.generation]]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

SendPoll(c) ==
  /\ Reached(c) /\ copy[c].image.state = "loaded" /\ copy[c].poll.state = "none"
  /\ copy' = [copy EXCEPT ![c].poll.state = "sent", ![c].poll.none = copy[c].behind,
       ![c].heard = FALSE]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

(* Whether the copy still follows what Redis has.                            *)
Verdict(r, k) ==
  CASE ~r.trusted \/ (r.losses # k.image.epoch /\ ~Made("LEASE_KEPT_OVER_RECONNECT")) -> "doubt"
    [] r.scheme # k.image.scheme \/ r.closing # 0 -> "moved"
    [] r.generation # k.image.generation -> "swapped"
    [] k.image.position < r.first -> "trimmed"
    [] OTHER -> "follows"

Registered(r, c, k) ==
  IF k.poll.none THEN Left(r, c) ELSE Entered(r, c, k.image.generation, k.image.position)

(* follow.lua: the page and the register in one script.                      *)
PollExecuted(c) ==
  LET k == copy[c]
      r == Notice(redis, k.knows)
      verdict == Verdict(r, k)
      end == Max(k.image.position, Min(End(r), k.image.position + Page))
      page == {r.journal[e] : e \in (k.image.position + 1)..end}
      later == Made("REGISTERED_AFTER_PAGE")
  IN /\ Reached(c) /\ k.poll.state = "sent"
     /\ copy' = [copy EXCEPT ![c].overtaken = k.stray,
          ![c].poll = IF verdict # "follows" THEN [@ EXCEPT !.state = "answered", !.verdict = verdict]
            ELSE [@ EXCEPT !.state = IF later THEN "read" ELSE "answered",
              !.page = page, !.end = end, !.complete = end >= End(r)]]
     /\ redis' = IF verdict # "follows" \/ later THEN r ELSE Registered(r, c, k)
     /\ UNCHANGED <<server, other, writer, promised, task, ask, denied, left>>

RegisterLater(c) ==
  /\ Reached(c) /\ copy[c].poll.state = "read"
  /\ redis' = Registered(redis, c, copy[c])
  /\ copy' = [copy EXCEPT ![c].poll.state = "answered"]
  /\ UNCHANGED <<server, other, writer, promised, task, ask, denied, left>>

(* Applies a page; shows the bits under a lease from the sending of the poll.*)
TakePage(c) ==
  LET k == copy[c]
      follows == k.poll.verdict = "follows"
      keys == k.image.keys \cup k.poll.page
      applied == [k EXCEPT !.image.keys = keys, !.image.position = k.poll.end,
                   !.behind = ~k.poll.complete, !.bits = IF k.own THEN keys ELSE @]
      whole == k.poll.complete \/ Made("INCOMPLETE_PAGE_RENEWS")
      entered == ~k.poll.none \/ Made("LEASE_WITHOUT_REGISTRATION")
      shown == [applied EXCEPT !.shown = TRUE, !.own = TRUE, !.bits = keys,
                 !.lease = IF Made("LEASE_FROM_ANSWER") THEN New ELSE k.poll.sent]
      keeps == \/ Made("LEASE_KEPT_OVER_SWAP") /\ k.poll.verdict = "swapped"
               \/ Made("LEASE_KEPT_OVER_RELOAD") /\ k.poll.verdict = "trimmed"
      \* the next poll takes the copy off the register: no lease may be left by then
      hides == IF follows THEN ~whole /\ ~Made("NONE_REPORTED_UNDER_LEASE")
               ELSE ~keeps /\ ~Made("LEASE_KEPT_OVER_RECONNECT")
      after == CASE follows /\ whole /\ entered -> shown
                 [] follows /\ hides -> Hidden(applied)
                 [] follows /\ ~hides -> applied
                 [] ~follows /\ Made("LEASE_KEPT_OVER_RECONNECT") -> k
                 [] OTHER -> Forgetting(IF hides THEN Hidden(k) ELSE k)
  IN /\ Active(c) /\ k.poll.state = "answered"
     /\ copy' = [copy EXCEPT ![c] = [after EXCEPT !.poll = NoPoll]]
     /\ ask' = IF hides THEN AskWithout(c) ELSE ask
     /\ UNCHANGED <<redis, server, other, writer, promised, task, denied, left>>

(* By mistake: a position is reported as soon as the page is there.          *)
ReportUnapplied(c) ==
  /\ Made("REPORTED_BEFORE_APPLIED") /\ Reached(c)
  /\ copy[c].poll.state = "answered" /\ copy[c].poll.verdict = "follows"
  /\ redis' = Entered(redis, c, copy[c].image.generation, copy[c].poll.end)
  /\ UNCHANGED <<server, other, writer, promised, copy, task, ask, denied, left>>

(* An entry that a message tells of, if it continues the copy's position.    *)
(* replica.JournalNews                                                       *)
Hear(c) ==
  LET k == copy[c]
      news == k.news
      next == k.image.position = news.end - 1
      gap == Made("NEWS_AFTER_GAP") /\ k.image.position < news.end
      same == (k.image.epoch = news.epoch /\ k.image.scheme = news.scheme)
              \/ Made("NEWS_OF_ANOTHER_SCHEME")
      keys == k.image.keys \cup {news.key}
      takes == k.image.state = "loaded" /\ (next \/ gap) /\ same
  IN /\ Active(c) /\ news.end # 0 /\ k.poll.state = "none"
     /\ copy' = [copy EXCEPT ![c] =
          IF ~takes THEN [k EXCEPT !.news = NoNews]
          ELSE [k EXCEPT !.news = NoNews, !.image.keys = keys, !.image.position = news.end,
                 !.heard = k.own, !.bits = IF k.own THEN keys ELSE @]]
     /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

(* Moves the registered position forward, without a lease. report.lua        *)
Report(c) ==
  LET k == copy[c]
      counts == /\ redis.register[c].in /\ redis.register[c].generation = k.image.generation
                /\ redis.generation = k.image.generation /\ ~Lost(redis, k.knows)
                /\ redis.trusted /\ redis.losses = k.image.epoch /\ redis.closing = 0
  IN /\ Reached(c) /\ k.heard /\ k.poll.state = "none"
     /\ redis' = IF counts THEN Entered(redis, c, k.image.generation, k.image.position) ELSE redis
     /\ copy' = [copy EXCEPT ![c].heard = FALSE,
          ![c].lease = IF counts /\ Made("REPORT_RENEWS") THEN New ELSE @]
     /\ UNCHANGED <<server, other, writer, promised, task, ask, denied, left>>

(* A poll on a connection that was given up, which Redis may run late. What  *)
(* it says of a position does no harm; that it reports none may.             *)
GiveUpPoll(c) ==
  /\ Active(c) /\ copy[c].poll.state = "sent" /\ copy[c].poll.none /\ Spend(left, "timeouts")
  /\ copy' = [copy EXCEPT ![c].poll = NoPoll, ![c].stray = TRUE]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied>>

StrayPollExecuted(c) ==
  /\ Reached(c) /\ copy[c].stray
  /\ redis' = IF copy[c].overtaken /\ ~Made("OVERTAKEN_POLL_COUNTS") THEN redis ELSE Left(redis, c)
  /\ copy' = [copy EXCEPT ![c].stray = FALSE, ![c].overtaken = FALSE]
  /\ UNCHANGED <<server, other, writer, promised, task, ask, denied, left>>

(* Not covered: a master that was cut off answers a poll; it has no new adds.*)
DeposedAnswers(c) ==
  /\ Happens("SPLIT_BRAIN") /\ Active(c) /\ copy[c].connection # server /\ copy[c].shown
  /\ copy' = [copy EXCEPT ![c].lease = New]
  /\ UNCHANGED <<redis, server, other, writer, promised, task, ask, denied, left>>

-----------------------------------------------------------------------------
(* A writing process: partition.PartitionWriter, CopyWait, CopyRegister.   *)

Connect(p) ==
  /\ writer[p].connection # server
  /\ writer' = [writer EXCEPT ![p].connection = server, ![p].known = 0]
  /\ UNCHANGED <<redis, server, other, promised, copy, task, ask, denied, left>>

(* It notes losses that are new to it.                                       *)
Learned(p, losses) ==
  IF writer[p].knows >= losses THEN writer
  ELSE [writer EXCEPT ![p].knows = losses, ![p].known = IF Made("NO_WAIT_AFTER_DOUBT") THEN @ ELSE 0]

Heartbeat(p) ==
  LET w == writer[p]
      r == Notice(redis, w.knows)
  IN
  /\ w.connection = server /\ (Lost(redis, w.knows) \/ w.knows < redis.losses)
  /\ redis' = r /\ writer' = Learned(p, r.losses)
  /\ UNCHANGED <<server, other, promised, copy, task, ask, denied, left>>

WithKey(r, key) ==
  [r EXCEPT !.images = <<@[1] \cup {key}, @[2] \cup {key}>>, !.journal = Append(@, key)]

(* Another task has added the key just before, under the same losses.        *)
AddedBefore(t, r) ==
  r.trusted /\ \E u \in 1..(t - 1) : Tasks[u] = Tasks[t] /\ task[u].state # "idle"

Reports(r, c, k) ==
  r.register[c].generation = k.generation /\ r.register[c].position >= k.need /\ r.closing = 0

(* add.lua, publish.lua, rollback.lua, close.lua: the script tells, too, which*)
(* copies are behind, and so for how long they may deny at most.             *)
Execute(t) ==
  LET noticed == Notice(redis, writer[By(t)].knows)
      swaps == Tasks[t] = Swap
      moves == Tasks[t] = Move
      appends == Adds(t) /\ ~AddedBefore(t, noticed)
      r == CASE swaps -> [noticed EXCEPT !.generation = 3 - @]
             [] moves -> [noticed EXCEPT !.closing = IF @ = 0 THEN t ELSE @]
             [] appends -> WithKey(noticed, Tasks[t])
             [] OTHER -> noticed
      k == [NoTask EXCEPT !.state = "executed", !.losses = r.losses, !.scheme = r.scheme,
             !.generation = r.generation, !.need = End(r), !.full = ~r.trusted,
             !.closing = IF moves THEN r.closing ELSE 0]
      told == InWriter /\ (By(t) = 1 \/ Made("ANY_COPY_TAKEN_FOR_OWN")) /\ (Adds(t) \/ Made("SWAP_DOES_NOT_WAIT_FOR_OWN_COPY"))
      behind == {c \in Copies : r.register[c].in /\ ~Reports(r, c, k) /\ ~(told /\ c = 1)}
      longest == IF Made("OWN_LENGTH_WAITED") THEN Length(1)
                 ELSE IF behind = {} THEN 0
                 ELSE LET l == {Length(c) : c \in behind} IN CHOOSE m \in l : \A n \in l : m >= n
      listed == IF \/ Made("ADD_WITHOUT_ENTRY_DOES_NOT_WAIT") /\ AddedBefore(t, r)
                   \/ Made("SWAP_DOES_NOT_WAIT") /\ swaps
                THEN {}
                ELSE behind \ task[t].unseen
      news == left.messages > 0 /\ appends /\ r.trusted
  IN /\ writer[By(t)].connection = server /\ task[t].state = "idle"
     /\ swaps /\ t > 1 => task[t - 1].state = "done"   \* a swap back comes after the swap
     /\ (swaps \/ moves) => noticed.trusted
     /\ redis' = [r EXCEPT !.register = [c \in Copies |->
          IF c \in behind THEN [@[c] EXCEPT !.seen = @ \cup {t}] ELSE @[c]]]
     /\ promised' = IF swaps THEN promised \ {noticed.generation} ELSE promised
     /\ task' = [task EXCEPT ![t] = [k EXCEPT !.listed = listed, !.most = Min(longest + Less, Most)]]
     /\ left' = [left EXCEPT !.messages = IF news THEN @ - 1 ELSE @]
     /\ copy' = IF ~news THEN copy ELSE [c \in Copies |-> [copy[c] EXCEPT
          !.news = [key |-> Tasks[t], end |-> End(r), epoch |-> r.losses, scheme |-> r.scheme]]]
     /\ UNCHANGED <<server, other, writer, ask, denied>>

(* Acknowledges an add, reports a swap, moves the scheme.                    *)
Ends(t, late) ==
  LET k == task[t]
      closed == \/ k.closing # 0 /\ redis.closing = k.closing
                \/ Made("ANY_CLOSING_COUNTS") /\ redis.closing # 0
      moved == Tasks[t] = Move /\ closed /\ redis.trusted /\ redis.losses = k.losses
  IN /\ promised' = CASE Adds(t) -> promised \cup {Tasks[t]}
                      [] Tasks[t] = Swap /\ redis.generation = k.generation ->
                           promised \cup {k.generation}
                      [] OTHER -> promised
     /\ redis' = IF ~moved THEN redis
                 ELSE [redis EXCEPT !.scheme = @ + 1, !.closing = 0, !.register = NoCopies,
                        !.journal = <<>>, !.first = 0]
     /\ task' = [task EXCEPT ![t] = [NoTask EXCEPT
          !.state = "done", !.losses = k.losses, !.listed = IF Tasks[t] = Move THEN {} ELSE late]]

(* From here on the process waits; in full if it has known server and losses *)
(* for too short. Its own copy has the key before that.                      *)
Answer(t) ==
  LET k == task[t]
      w == Learned(By(t), k.losses)
      met == w[By(t)].known < Most /\ Mistake \notin {"NO_WAIT_AT_NEW_SERVER", "NO_WAIT_IN_DOUBT"}
      full == met \/ (k.full /\ ~Made("NO_WAIT_IN_DOUBT"))
      tells == InWriter /\ By(t) = 1 /\ Adds(t) /\ ~Made("OWN_COPY_NOT_TOLD")
      k1 == copy[1]
  IN /\ k.state = "executed"
     /\ writer' = w
     /\ copy' = IF ~tells THEN copy ELSE [copy EXCEPT
          ![1].bits = IF k1.shown THEN @ \cup {Tasks[t]} ELSE @,
          ![1].image.keys = IF k1.image.state = "loaded" THEN @ \cup {Tasks[t]} ELSE @]
     /\ IF full \/ k.listed # {}
        THEN /\ task' = [task EXCEPT ![t].state = "waiting", ![t].full = full,
                          ![t].most = IF full THEN Most ELSE @]
             /\ UNCHANGED <<redis, promised>>
        ELSE Ends(t, {})
     /\ UNCHANGED <<server, other, ask, denied, left>>

(* look.lua, after the script's answer.                                      *)
Look(t) ==
  LET k == task[t]
      same == /\ redis.home = server /\ redis.trusted /\ redis.losses = k.losses
              /\ redis.scheme = k.scheme
      Missing(c) == ~redis.register[c].in /\ (same \/ Made("ABSENCE_ELSEWHERE_BELIEVED"))
      Reported(c) == redis.register[c].in /\ same /\ Reports(redis, c, k)
      behind == {c \in k.listed : ~Missing(c) /\ ~Reported(c)}
  IN /\ k.state = "waiting" /\ ~k.full /\ writer[By(t)].connection = server /\ behind # k.listed
     /\ IF behind = {} THEN Ends(t, {})
        ELSE task' = [task EXCEPT ![t].listed = behind] /\ UNCHANGED <<redis, promised>>
     /\ UNCHANGED <<server, other, writer, copy, ask, denied, left>>

WaitEnds(t) ==
  LET k == task[t] IN
  /\ k.state = "waiting"
  /\ k.waited >= k.most \/ (Made("LEASE_KEPT_OVER_MOVE") /\ Tasks[t] = Move)
  /\ Ends(t, IF k.full THEN {} ELSE k.listed)
  /\ UNCHANGED <<server, other, writer, copy, ask, denied, left>>

(* Takes the copies off that let the wait pass, unless they have polled since*)
(* its script. strike.lua                                                    *)
Strike(t) ==
  /\ task[t].state = "done" /\ task[t].listed # {} /\ writer[By(t)].connection = server
  /\ redis' = [redis EXCEPT !.register = [c \in Copies |->
       IF c \in task[t].listed /\ (t \in @[c].seen \/ Made("STRUCK_WHILE_POLLING"))
       THEN Absent ELSE @[c]]]
  /\ task' = [task EXCEPT ![t].listed = {}]
  /\ UNCHANGED <<server, other, writer, promised, copy, ask, denied, left>>

(* By mistake: a look from before the script.                                *)
LookEarly(t) ==
  /\ Made("LOOK_BEFORE_ADD") /\ task[t].state = "idle" /\ ~task[t].early
  /\ task' = [task EXCEPT ![t].early = TRUE, ![t].unseen = {c \in Copies : ~redis.register[c].in}]
  /\ UNCHANGED <<redis, server, other, writer, promised, copy, ask, denied, left>>

-----------------------------------------------------------------------------
(* Redis. A doubt ends once its time is over and the process has added again.*)

RECURSIVE AddedAgain(_, _)
AddedAgain(r, t) ==
  IF t > Len(Tasks) THEN r
  ELSE AddedAgain(IF Adds(t) /\ task[t].state # "idle" /\ Tasks[t] \notin redis.images[redis.generation]
                  THEN WithKey(r, Tasks[t]) ELSE r, t + 1)

Settle ==
  /\ ~redis.trusted /\ redis.home = server /\ redis.doubted = Most
  /\ \A p \in Writers : writer[p].knows \in {0, redis.losses}
  /\ redis' = [AddedAgain(redis, 1) EXCEPT !.trusted = TRUE, !.doubted = 0]
  /\ UNCHANGED <<server, other, writer, promised, copy, task, ask, denied, left>>

Trim ==
  /\ Spend(left, "trims") /\ redis.first # End(redis)
  /\ redis' = [redis EXCEPT !.first = End(redis)]
  /\ UNCHANGED <<server, other, writer, promised, copy, task, ask, denied>>

Jump ==
  /\ Spend(left, "jumps") /\ ~redis.trusted /\ redis.doubted < Most
  /\ redis' = [redis EXCEPT !.doubted = Most]
  /\ UNCHANGED <<server, other, writer, promised, copy, task, ask, denied>>

InContact(connection, knows) ==
  connection = server /\ redis.home = server /\ knows = redis.losses

Event ==
  LET event == Head(left.events)
      takesOver == event \in {"failover", "failback"}
  IN /\ left.events # <<>>
     /\ event = "reopened" => redis.closing # 0
     \* a failback takes longer than a second: whatever runs is in contact in between
     /\ event = "failback" =>
          /\ \A p \in Writers : writer[p].connection = 0 \/ InContact(writer[p].connection, writer[p].knows)
          /\ InContact(copy[1].connection, copy[1].knows)
     /\ left' = [left EXCEPT !.events = Tail(@)]
     /\ server' = IF takesOver THEN 3 - server ELSE server
     /\ other' = IF event = "backup" THEN redis
                 ELSE IF ~takesOver THEN other
                 ELSE IF Len(left.events) > 1 THEN redis ELSE Partition
     /\ redis' = CASE takesOver -> other
                   [] event = "reopened" -> [redis EXCEPT !.closing = 0]
                   \* the head tells how many copies the register has, so the next script finds the loss
                   [] event = "drop register" -> [redis EXCEPT !.register = NoCopies,
                        !.home = IF Made("REGISTER_LOST_ALONE") THEN server ELSE 0]
                   [] OTHER -> redis
     /\ UNCHANGED <<writer, promised, copy, task, ask, denied>>

-----------------------------------------------------------------------------

Init ==
  LET start == IF ImagesDiffer THEN [Partition EXCEPT !.images = <<{1}, {2}>>] ELSE Partition IN
  /\ redis = start /\ other = start /\ server = 1
  /\ writer = [p \in Writers |-> IF LateWriter THEN [connection |-> 0, knows |-> 0, known |-> 0]
                                ELSE [connection |-> 1, knows |-> 1, known |-> Most]]
  /\ promised = start.images[1] /\ denied = {} /\ ask = NoAsk
  /\ copy = [c \in Copies |-> [connection |-> 1, knows |-> 1, image |-> NoImage, behind |-> FALSE,
       shown |-> FALSE, bits |-> {}, lease |-> New, own |-> FALSE, poll |-> NoPoll,
       stray |-> FALSE, overtaken |-> FALSE, suspended |-> FALSE, news |-> NoNews, heard |-> FALSE]]
  /\ task = [t \in Ids |-> NoTask]
  /\ left = [events |-> Events, slow |-> Slow, fast |-> Fast, suspensions |-> Suspensions,
       setBacks |-> SetBacks, timeouts |-> Timeouts, trims |-> Trims, jumps |-> Jumps,
       messages |-> Messages]

(* What live processes do to continue.                                       *)
Onward ==
  \/ Settle \/ \E p \in Writers : Connect(p) \/ Heartbeat(p)
  \/ \E t \in Ids : Answer(t) \/ Look(t) \/ WaitEnds(t) \/ Strike(t)
  \/ \E c \in Copies :
       \/ ConnectCopy(c) \/ CopyHeartbeat(c) \/ BeginLoad(c) \/ EndLoad(c) \/ SendPoll(c)
       \/ PollExecuted(c) \/ RegisterLater(c) \/ TakePage(c) \/ Hear(c) \/ Report(c) \/ Resume(c)

Next ==
  \/ Tick(0, FALSE) \/ Tick(0, TRUE) \/ Onward \/ Trim \/ Jump \/ Event
  \/ \E t \in Ids : Execute(t) \/ LookEarly(t)
  \/ \E c \in Copies :
       \/ Tick(c, FALSE) \/ Suspend(c) \/ SetBack(c) \/ GiveUpPoll(c) \/ StrayPollExecuted(c)
       \/ ReadLease(c) \/ ReadBits(c) \/ ReadClocks(c) \/ ReportUnapplied(c) \/ DeposedAnswers(c)

(* Time passes, and the writing process is not stopped for ever.            *)
Fair == /\ WF_vars(Tick(0, FALSE))
        /\ \A t \in Ids : WF_vars(Answer(t)) /\ WF_vars(WaitEnds(t))

Spec == Init /\ [][Next]_vars /\ Fair

(* 1: no copy answers that a key is absent that was promised before it read  *)
(* its bits.                                                                 *)
NoWrongRejection == denied = {}

(* 2 and 9: what waits does so for no longer than the most,                  *)
NoEndlessWait ==
  \A t \in Ids : task[t].waited <= task[t].most /\ task[t].most <= Most

(* and what Redis has is acknowledged, whatever copies do.                   *)
Acknowledged == \A t \in Ids : task[t].state = "executed" ~> task[t].state = "done"

=============================================================================
