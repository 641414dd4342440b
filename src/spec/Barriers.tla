------------------------------ MODULE Barriers ------------------------------
(***************************************************************************)
(* One key: its row in the database, its entry in the value cache (a value *)
(* or a null entry), the lease of the load that may fill it, the barriers  *)
(* of the writes that change the row, and the note of the last write.      *)
(*                                                                         *)
(* Promises of docs/guarantees.md that are invariants here:                *)
(*   2  AddBeforeCommit                                                    *)
(*   4  OneLoad, NoLoadBesideEntry, NoOldAnswer, NoUncommittedAnswer       *)
(*   5  NoStaleEntry                                                       *)
(*                                                                         *)
(* Each action is atomic because it is one Lua script, one command of      *)
(* Redis or one step of the database. Scripts are those of                 *)
(* redis/internal/cache; classes are those of guard/internal.              *)
(* LocalValueCache does on the heap what the scripts do in Redis.          *)
(*                                                                         *)
(* Rows have no contents here. A version of the row is the number of       *)
(* commits before it; version 0 is "no row", and an entry with it is the   *)
(* null entry. So a stale null and a stale value are the same thing: an    *)
(* entry of another version than the row's.                                *)
(*                                                                         *)
(* Time has no numbers. What ends by its time to live ends at any moment   *)
(* at which the lifetimes of CacheSettings allow it: a lease always, a     *)
(* barrier (ten minutes) of a dead writer alone and after any lease that   *)
(* was held when it was raised, a note (ten minutes) at any time, but then *)
(* every view that is older than the note is known to be old.              *)
(*                                                                         *)
(* Left out: the bound on null entries (nulls.lua counts, it decides       *)
(* nothing else), refreshes of values that are due, and loads while Redis  *)
(* is out of reach, which store nothing.                                   *)
(***************************************************************************)
EXTENDS Rules

CONSTANTS
  Here, There,   \* the loads of one process and of another: a call each
  Snapshots,     \* those whose caller is in a transaction with a snapshot, or in a session
  Inside,        \* of these, those in the transaction of a write, whose row they read
  Writers,       \* writes that are announced: @BloomPut, @BloomKey, @BloomEvict, beginWrites
  Others,        \* writes of other programs, which a feed of changes tells
  None           \* a model value

Loads == Here \cup There
Process(l) == IF l \in Here THEN "here" ELSE "there"
(* Above every version: the row of a write that has yet to commit.         *)
Uncommitted == Cardinality(Writers \cup Others) + 1

Mistakes == {
  "LEASE_TAKEN_OVER", "SILENCE_TAKEN_FOR_LEASE", "ANY_LEASE_RELEASED", "NO_SECOND_LOOK",
  "VIEW_NOT_COMPARED", "OPEN_WRITE_NOT_ASKED_FOR", "AGE_OF_VIEW_NOT_BOUNDED", "ASKED_BEFORE_LEASE",
  "FLIGHT_ENDS_AFTER_STORE", "REVOKED_LOAD_SHARED", "PRIVATE_LOAD_SHARED",
  "STORED_WITHOUT_LEASE", "STORED_UNDER_BARRIER",
  "RAISED_AFTER_COMMIT", "ENTRY_LEFT_AT_BEGIN", "FAILED_ADD_PASSED", "ADDED_AFTER_COMMIT",
  "LIFTED_BEFORE_COMMIT", "UNKNOWN_END_LIFTS", "LEASE_LEFT_AT_END", "ONE_BARRIER_FOR_ALL",
  "NO_NOTE", "DROPPED_BEFORE_NOTE" }

Limits == {
  "FAILOVER",         \* Redis falls back to what its replica has
  "CLOCK_JUMP",       \* the wall clock of Redis jumps ahead
  "LAGGING_REPLICA",  \* a load reads a replica of the database
  "HIDDEN_VIEW",      \* a snapshot that no session of Spring shows
  "UNKNOWN_AGE",      \* a transaction of unknown age that outlives the note of a write
  "SLOW_STATEMENT",   \* a statement that takes longer than bloomguard.writes.timeout
  "IN_DOUBT",         \* a crash before a commit that the database completes after the barrier
  "UNANNOUNCED",      \* a write that nothing announces
  "LIFT_LOST" }       \* Redis is out of reach at the end of a write, which returns all the same

ASSUME /\ Mistake \in Mistakes \cup {"none"}
       /\ NotCovered \subseteq Limits /\ Snapshots \subseteq Loads /\ Inside \subseteq Snapshots

VARIABLES
  row,     \* commits: the writes that have committed, in order; the row's version is their number
           \* added: the writes whose key is in the filter
           \* acknowledged: the version of writes that have returned, which callers must see
  redis,   \* entry: <digest>:value, the version that it was loaded from; None for no entry
           \* lease: <digest>:lease, the load whose token it has
           \* barrier: <digest>:barrier, the writes whose tokens it has
           \* note: <digest>:written, the tick of the last end of a write; 0 for none
  tick,    \* counts the ends of writes
  backup,  \* what a replica of Redis has
  flight,  \* of each process the load that others may join: SingleFlight
  load,    \* at: the next step of a load
           \* view: the version that its snapshot shows, since: the tick at which that began
           \* aged: whether the snapshot is known to be older than ten minutes
           \* came: the version that its caller must see at least
           \* mayMiss: whether it may miss a write that has ended: KeyLoad.outdated
           \* got: the version that it has read, or was answered
           \* leader: the load whose landing a follower waits for
           \* shared: whether others may have its landing: Landing.shareable
           \* lost: whether a write has revoked its lease, or that has ended by itself
  write    \* the next step of a write

vars == <<row, redis, tick, backup, flight, load, write>>

Version == Len(row.commits)
Committed(w) == \E i \in 1..Version : row.commits[i] = w
NoRedis == [entry |-> None, lease |-> None, barrier |-> {}, note |-> 0]
NoLoad == [at |-> "idle", view |-> 0, since |-> 0, aged |-> FALSE, came |-> 0, mayMiss |-> FALSE,
           got |-> None, leader |-> None, shared |-> FALSE, lost |-> FALSE]

Init ==
  /\ row = [commits |-> <<>>, added |-> {}, acknowledged |-> 0]
  /\ redis = NoRedis /\ backup = NoRedis /\ tick = 0
  /\ flight = [p \in {"here", "there"} |-> None]
  /\ load = [l \in Loads |-> NoLoad]
  /\ write = [w \in Writers \cup Others |-> "idle"]

-----------------------------------------------------------------------------
(* Loads: KeyLoad and CacheLoads, whose methods the comments name.         *)

At(l, step) == load[l].at = step
Becomes(l, new) == load' = [load EXCEPT ![l] = new]
Go(l, step) == Becomes(l, [load[l] EXCEPT !.at = step])
Answered(l, version) == [load[l] EXCEPT !.at = "done", !.got = version]
Landed(l, version, others) == [Answered(l, version) EXCEPT !.shared = others]
EndFlight(l) == flight' = [p \in DOMAIN flight |-> IF flight[p] = l THEN None ELSE flight[p]]

OfLoad == UNCHANGED <<row, tick, backup, write>>   \* what no load changes
Alone == OfLoad /\ UNCHANGED <<redis, flight>>

\* ReadView.of: the caller's transaction or session begins, before the call.
OpenView(l) ==
  /\ At(l, "idle") /\ l \in Snapshots
  /\ Becomes(l, [load[l] EXCEPT !.at = "open", !.view = Version, !.since = tick])
  /\ Alone

Call(l) ==
  /\ At(l, IF l \in Snapshots THEN "open" ELSE "idle")
  /\ Becomes(l, [load[l] EXCEPT !.at = "look", !.came = row.acknowledged])
  /\ Alone

\* look, RedisValueCache.lookup (GET).
Look(l) ==
  /\ At(l, "look")
  /\ IF redis.entry # None THEN Becomes(l, Answered(l, redis.entry)) ELSE Go(l, "join")
  /\ Alone

\* join, SingleFlight.joinOrStart: leads the flight of its process, or waits for it.
Join(l) ==
  /\ At(l, "join")
  /\ LET p == Process(l) IN
     IF flight[p] = None
     THEN flight' = [flight EXCEPT ![p] = l] /\ Go(l, "lease")
     ELSE flight' = flight /\ Becomes(l, [load[l] EXCEPT !.at = "follow", !.leader = flight[p]])
  /\ OfLoad /\ UNCHANGED redis

\* landed: the answer of the leader, unless that cannot be shared, or the leader has died.
Follow(l) ==
  /\ At(l, "follow")
  /\ LET theirs == load[load[l].leader] IN
     /\ theirs.at \in {"done", "dead"}
     /\ IF theirs.at = "done" /\ theirs.shared
        THEN Becomes(l, Answered(l, theirs.got)) ELSE Go(l, "join")
  /\ Alone

\* acquire, RedisValueCache.tryLease (SET NX PX). A load that gets no reply asks again.
TakeLease(l) ==
  /\ At(l, "lease")
  /\ \/ /\ redis.lease = None \/ Made("LEASE_TAKEN_OVER")
        /\ redis' = [redis EXCEPT !.lease = l]
     \/ /\ redis.lease # None /\ Made("SILENCE_TAKEN_FOR_LEASE")
        /\ redis' = redis
  /\ Go(l, "second look")
  /\ OfLoad /\ UNCHANGED flight

\* lookAgain without the lease: another process has stored meanwhile.
Meanwhile(l) ==
  /\ At(l, "lease") /\ redis.entry # None
  /\ EndFlight(l) /\ Becomes(l, Landed(l, redis.entry, TRUE))
  /\ OfLoad /\ UNCHANGED redis

\* release.lua: deletes the lease if that still has the load's token.
Release(l) ==
  redis' = IF redis.lease = l \/ Made("ANY_LEASE_RELEASED")
           THEN [redis EXCEPT !.lease = None] ELSE redis

\* lookAgain under the lease: its previous holder may have stored between the miss and now.
SecondLook(l) ==
  /\ At(l, "second look")
  /\ IF redis.entry # None /\ ~Made("NO_SECOND_LOOK")
     THEN Release(l) /\ EndFlight(l) /\ Becomes(l, Landed(l, redis.entry, TRUE))
     ELSE Go(l, "ask") /\ UNCHANGED <<redis, flight>>
  /\ OfLoad

\* ReadView.mayLack, with the answer of since_write.lua.
MayLack(l) ==
  /\ l \in Snapshots /\ ~Happens("HIDDEN_VIEW") /\ ~Made("VIEW_NOT_COMPARED")
  /\ \/ redis.barrier # {} /\ ~Made("OPEN_WRITE_NOT_ASKED_FOR")
     \/ redis.note > load[l].since
     \/ load[l].aged /\ ~Happens("UNKNOWN_AGE") /\ ~Made("AGE_OF_VIEW_NOT_BOUNDED")

\* mayMiss, called once the lease is held: a write that ends later revokes it.
AskForWrites(l) ==
  /\ At(l, IF Made("ASKED_BEFORE_LEASE") THEN "lease" ELSE "ask")
  /\ Becomes(l, [load[l] EXCEPT !.mayMiss = MayLack(l),
                                !.at = IF @ = "ask" THEN "load" ELSE "asked"])
  /\ Alone

\* The order of the mistake: the lease after the question.
TakeLeaseLate(l) ==
  /\ At(l, "asked") /\ redis.lease = None
  /\ redis' = [redis EXCEPT !.lease = l]
  /\ Go(l, "load")
  /\ OfLoad /\ UNCHANGED flight

\* load: reads the row, or what the snapshot or the write around the call has of it.
Read(l) ==
  /\ At(l, "load")
  /\ \E v \in 0..Version \cup {Uncommitted} :
       /\ \/ v = (IF l \in Snapshots THEN load[l].view ELSE Version)
          \/ v <= Version /\ Happens("LAGGING_REPLICA")
          \/ v = Uncommitted /\ l \in Inside /\ \E w \in Writers : write[w] = "write"
       /\ Becomes(l, [load[l] EXCEPT !.at = "loaded", !.got = v])
  /\ Alone

\* loaded: the flight takes no further callers from here on.
Loaded(l) ==
  /\ At(l, "loaded")
  /\ IF Made("FLIGHT_ENDS_AFTER_STORE") THEN flight' = flight ELSE EndFlight(l)
  /\ Go(l, "store")
  /\ OfLoad /\ UNCHANGED redis

Land(l, others) ==
  Becomes(l, [Landed(l, load[l].got, others) EXCEPT
              !.at = IF Made("FLIGHT_ENDS_AFTER_STORE") THEN "stored" ELSE "done"])

\* store.lua: revoked, refused or stored. A load that may miss a write only releases (release.lua).
Store(l) ==
  /\ At(l, "store")
  /\ LET held == redis.lease = l \/ Made("STORED_WITHOUT_LEASE")
         open == redis.barrier # {} /\ ~Made("STORED_UNDER_BARRIER")
     IN
     CASE load[l].mayMiss -> Release(l) /\ Land(l, Made("PRIVATE_LOAD_SHARED"))
       [] ~load[l].mayMiss /\ ~held -> redis' = redis /\ Land(l, Made("REVOKED_LOAD_SHARED"))
       [] ~load[l].mayMiss /\ held ->
            /\ redis' = [redis EXCEPT !.lease = IF @ = l THEN None ELSE @,
                                      !.entry = IF open THEN None ELSE load[l].got]
            /\ Land(l, TRUE)
  /\ OfLoad /\ UNCHANGED flight

\* The flight of the mistake ends only now.
LandLate(l) == At(l, "stored") /\ EndFlight(l) /\ Go(l, "done") /\ OfLoad /\ UNCHANGED redis

-----------------------------------------------------------------------------
(* Writes: FilterWrites.OpenWrite and FilterCaches.                        *)

Proceed(w, step) == write' = [write EXCEPT ![w] = step]
Revoked == IF redis.lease = None THEN load ELSE [load EXCEPT ![redis.lease].lost = TRUE]
OfWrite == UNCHANGED <<backup, flight>>   \* what no write changes
InDatabase == OfWrite /\ UNCHANGED <<redis, tick, load>>
CommitRow(w) == row' = [row EXCEPT !.commits = Append(@, w)]

\* raise, begin_write.lua.
Raise(w) ==
  /\ write[w] = "idle" /\ ~Made("RAISED_AFTER_COMMIT")
  /\ redis' = [redis EXCEPT !.barrier = @ \cup {w}, !.lease = None,
                            !.entry = IF Made("ENTRY_LEFT_AT_BEGIN") THEN @ ELSE None]
  /\ load' = Revoked /\ Proceed(w, "add")
  /\ OfWrite /\ UNCHANGED <<row, tick>>

\* add, add.lua of redis/internal/partition. If it fails, the write fails (AddFailedException).
Add(w) ==
  /\ write[w] = "add"
  /\ \/ row' = [row EXCEPT !.added = @ \cup {w}] /\ Proceed(w, "write")
     \/ row' = row /\ Proceed(w, IF Made("FAILED_ADD_PASSED") THEN "write" ELSE "lift")
     \/ row' = row /\ Made("ADDED_AFTER_COMMIT") /\ Proceed(w, "write")
  /\ InDatabase

\* The row becomes visible, or its transaction is rolled back. A caller that gives up (End.UNKNOWN)
\* leaves the barrier until the statement must have ended (OpenEnds): that is still in time.
Commit(w) == write[w] \in {"write", "left"} /\ CommitRow(w) /\ Proceed(w, "lift") /\ InDatabase
RollBack(w) == write[w] \in {"write", "left"} /\ row' = row /\ Proceed(w, "lift") /\ InDatabase
Leave(w) == write[w] = "write" /\ row' = row /\ Proceed(w, "left") /\ InDatabase

\* The barrier ends, and the statement goes on.
Early(w) ==
  \/ write[w] = "left" /\ (Happens("SLOW_STATEMENT") \/ Made("UNKNOWN_END_LIFTS"))
  \/ write[w] = "write" /\ Made("LIFTED_BEFORE_COMMIT")

\* lift, end_write.lua. That it deletes the entry too only serves a Redis that has lost the barrier.
Lift(w) ==
  /\ write[w] = "lift" \/ Early(w)
  /\ tick' = tick + 1
  /\ LET leaves == Made("LEASE_LEFT_AT_END") IN
     /\ redis' = [redis EXCEPT
          !.entry = None,
          !.lease = IF leaves THEN @ ELSE None,
          !.barrier = IF Made("ONE_BARRIER_FOR_ALL") THEN {} ELSE @ \ {w},
          !.note = IF Made("NO_NOTE") THEN @ ELSE tick + 1]
     /\ load' = IF leaves THEN load ELSE Revoked
  /\ row' = [row EXCEPT !.acknowledged = IF write[w] = "lift" /\ Committed(w) THEN Version ELSE @]
  /\ Proceed(w, IF write[w] = "lift" THEN "done" ELSE "adrift")
  /\ OfWrite

CommitAdrift(w) == write[w] = "adrift" /\ CommitRow(w) /\ Proceed(w, "done") /\ InDatabase

\* end: the barrier cannot be lifted now (endLater), and the write returns before it is.
ReturnUnlifted(w) ==
  /\ Happens("LIFT_LOST") /\ write[w] = "lift" /\ Committed(w)
  /\ row' = [row EXCEPT !.acknowledged = Version]
  /\ InDatabase /\ UNCHANGED write

\* A write that nothing announces, and the order of the mistake.
CommitFirst(w) ==
  /\ write[w] = "idle" /\ (Happens("UNANNOUNCED") \/ Made("RAISED_AFTER_COMMIT"))
  /\ row' = [row EXCEPT !.commits = Append(@, w), !.added = @ \cup {w}]
  /\ Proceed(w, IF Happens("UNANNOUNCED") THEN "done" ELSE "lift")
  /\ InDatabase

\* A write of another program commits, and the feed tells of it later (ChangeIntake): first the
\* note, then the deletion of entry and lease (RedisValueCache.invalidate).
CommitOther(f) == write[f] = "idle" /\ CommitRow(f) /\ Proceed(f, "first") /\ InDatabase

TellOther(f) ==
  /\ write[f] \in {"first", "second"}
  /\ IF (write[f] = "first") = ~Made("DROPPED_BEFORE_NOTE")
     THEN redis' = [redis EXCEPT !.note = tick + 1] /\ tick' = tick + 1 /\ load' = load
     ELSE redis' = [redis EXCEPT !.entry = None, !.lease = None] /\ load' = Revoked /\ tick' = tick
  /\ Proceed(f, IF write[f] = "first" THEN "second" ELSE "done")
  /\ OfWrite /\ UNCHANGED row

-----------------------------------------------------------------------------
(* Time, crashes, and Redis itself.                                        *)

OfTime == UNCHANGED <<row, tick, backup, flight, write>>
EntryEnds == redis' = [redis EXCEPT !.entry = None] /\ load' = load /\ OfTime
LeaseEnds == redis' = [redis EXCEPT !.lease = None] /\ load' = Revoked /\ OfTime

\* Ten minutes have gone by: each snapshot of before is known to be as old, but by a wrong clock.
Aging ==
  load' = [l \in Loads |->
    IF l \notin Snapshots \/ load[l].at \in {"idle", "done", "dead"} \/ Happens("CLOCK_JUMP")
    THEN load[l] ELSE [load[l] EXCEPT !.aged = TRUE]]

NoteEnds == redis.note # 0 /\ redis' = [redis EXCEPT !.note = 0] /\ Aging /\ OfTime

\* A lease of before ends earlier: a load that holds one now has yet to read.
BarrierEnds(w) ==
  /\ w \in redis.barrier
  /\ \/ /\ write[w] = "dead"
        /\ IF redis.lease = None THEN TRUE
           ELSE load[redis.lease].at \in {"second look", "ask", "load"}
     \/ Happens("CLOCK_JUMP")
  /\ redis' = [redis EXCEPT !.barrier = @ \ {w}] /\ Aging /\ OfTime

\* A process that ends leaves its lease or barrier; the database completes a commit that was sent.
CrashLoad(l) ==
  /\ load[l].at \in {"second look", "ask", "load", "loaded", "store"}
  /\ EndFlight(l) /\ Go(l, "dead")
  /\ OfLoad /\ UNCHANGED redis

CrashWrite(w) ==
  /\ write[w] \in {"add", "write", "lift"}
  /\ row' = row /\ Proceed(w, IF write[w] = "write" THEN "sent" ELSE "dead")
  /\ InDatabase

CommitOfDead(w) ==
  /\ \/ write[w] = "sent"
     \/ write[w] = "dead" /\ w \in row.added /\ ~Committed(w) /\ Happens("IN_DOUBT")
  /\ row' = row \/ CommitRow(w)
  /\ Proceed(w, "dead")
  /\ InDatabase

Replicate ==
  Happens("FAILOVER") /\ backup' = redis /\ UNCHANGED <<row, redis, tick, flight, load, write>>
FailOver == Happens("FAILOVER") /\ redis' = backup /\ load' = load /\ OfTime

-----------------------------------------------------------------------------
Next ==
  \/ \E l \in Loads :
       \/ OpenView(l) \/ Call(l) \/ Look(l) \/ Join(l) \/ Follow(l) \/ TakeLease(l) \/ Meanwhile(l)
       \/ SecondLook(l) \/ AskForWrites(l) \/ TakeLeaseLate(l) \/ Read(l) \/ Loaded(l) \/ Store(l)
       \/ LandLate(l) \/ CrashLoad(l)
  \/ \E w \in Writers :
       \/ Raise(w) \/ Add(w) \/ Commit(w) \/ RollBack(w) \/ Leave(w) \/ Lift(w) \/ CommitAdrift(w)
       \/ ReturnUnlifted(w) \/ CommitFirst(w) \/ BarrierEnds(w) \/ CrashWrite(w) \/ CommitOfDead(w)
  \/ \E f \in Others : CommitOther(f) \/ TellOther(f)
  \/ EntryEnds \/ LeaseEnds \/ NoteEnds \/ Replicate \/ FailOver

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The promises.                                                           *)

\* 2: a row is visible only after its key was added.
AddBeforeCommit == \A w \in Writers : Committed(w) => w \in row.added

\* 4: one load at a time, of those whose lease neither was revoked nor has ended.
OneLoad ==
  Cardinality({l \in Loads : load[l].at \in {"load", "loaded", "store"} /\ ~load[l].lost}) <= 1

\* 4: no load under a valid lease repeats one that was stored.
NoLoadBesideEntry ==
  \A l \in Loads : At(l, "load") /\ redis.lease = l => redis.entry = None

\* 4: no caller gets a load that began before a write which was acknowledged before the caller
\* came, but what its own snapshot shows.
NoOldAnswer ==
  \A l \in Loads : At(l, "done") =>
    load[l].got >= IF l \in Snapshots THEN Min(load[l].came, load[l].view) ELSE load[l].came

\* 4: nor the row of a write that has yet to commit, or never will, but within its transaction.
NoUncommittedAnswer == \A l \in Loads \ Inside : At(l, "done") => load[l].got # Uncommitted

\* 5: an entry is that of the row, unless a write of another program has yet to be told.
NoStaleEntry ==
  redis.entry # None => redis.entry = Version \/ \E f \in Others : write[f] \in {"first", "second"}

=============================================================================
