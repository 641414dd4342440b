------------------------------- MODULE Feeds -------------------------------
(* A feed of changes: rows that other programs write reach the filter and    *)
(* its caches through a log, which one process reads for all.                *)
(*                                                                           *)
(* Promises of docs/guarantees.md that are invariants here: 1 (the part on   *)
(* rows that enter by other ways, and on removals) is NoWrongRejection, and  *)
(* 5 (entries of changed rows are dropped) is NoStaleEntry. Both speak of    *)
(* what the feed says of itself: that all is applied which was committed up  *)
(* to a moment, and that a build has read what the feed does not know. A     *)
(* filter whose feed says less is in doubt: its answers are UNKNOWN.         *)
(*                                                                           *)
(* A moment is the number of commits until then; clocks, delays and max-lag  *)
(* only make what a feed says older. One step is one script of Redis, one    *)
(* answer of the brokers, or one step of the database. Classes are those of  *)
(* core generation/internal/feed (FilterFeed, ChangeIntake, ChangedKeys), of *)
(* src/changes (TopicReading, Completeness; a database's own log has the     *)
(* same steps) and redis/internal/client (RedisFeedRecord).                  *)
EXTENDS Rules

CONSTANTS
  Commits,     \* what the database commits, in this order
  Ready,       \* how many of these were there from the beginning,
  New,         \*   unless the feed is new, and known to it
  Layout,      \* "bits"; "counters", in which the two keys have the same counters
  Claims,      \* how often a process becomes the reader,
  Crashes,     \*   the reader ends,
  Builds,      \*   the filter is built from its source,
  Beats,       \*   the connector writes a heartbeat,
  Repeats,     \*   the connector tells of a commit once more,
  Remakes,     \*   the log is deleted and made again,
  Trims,       \*   the log is trimmed,
  Restores,    \*   Redis comes back from a dump,
  Loads,       \*   a caller loads a key's value into the cache
  Hidden       \* whether the connector writes in transactions of the log

\* What Commits may have. "own" is announced to the guard of this application, "evicted" only as
\* an eviction, the others not at all.
Insert(key) == [key |-> key, kind |-> "insert", by |-> "other"]
Delete(key) == [key |-> key, kind |-> "delete", by |-> "other"]
OwnInsert(key) == [key |-> key, kind |-> "insert", by |-> "own"]
OwnDelete(key) == [key |-> key, kind |-> "delete", by |-> "own"]
EvictedInsert(key) == [key |-> key, kind |-> "insert", by |-> "evicted"]
OneInsert == <<Insert(1)>>

Mistakes == {
  "OTHER_LOG_BELIEVED", "TRIMMED_LOG_BELIEVED", "REMADE_LOG_NOT_NOTICED", "FILTERED_ENDS_BELIEVED",
  "SIGN_OF_SAME_ROUND", "COMPLETE_WITHOUT_SIGN", "ADVANCED_BEFORE_EFFECT", "EARLIER_READER_GOES_ON",
  "ANY_SERVER_WRITTEN", "POSITION_KEPT_ELSEWHERE", "BEGIN_NOTED_AFTER_READ", "BEGIN_NEEDS_NO_BUILD",
  "VALUES_LEFT_AT_BEGIN", "VALUES_LEFT_BY_LAST_READER", "OWN_BY_KEY", "DROP_TAKEN_FOR_ADD",
  "REMOVED_AFTER_SWAP", "REMOVED_BEFORE_COMPLETE", "DELETION_REMOVED_TWICE" }

Limits == {
  "NO_HEARTBEATS",       \* no heartbeat-topic: a connector that stands still is not noticed
  "SHARED_KEY" }         \* a key of two rows, removed with the first of them

ASSUME Mistake \in Mistakes \cup {"none"} /\ NotCovered \subseteq Limits

VARIABLES
  done,     \* how many of Commits the database has committed
  sent,     \* how many of them the connector has written
  log,      \* id; first: the offset of the first record that is left; records: the commits; and
            \*   how many of them are visible: those of transactions of the log that have ended
  beat,     \* the last heartbeat, in a log of its own: its number, and the commits sent by then
  redis,    \* count: of each key in the filter; stamp: of the generation that serves;
            \* building: the counts of the one that is built, NoImage for none;
            \* entry: of each key the moment at which its value was loaded, None for none;
            \* reader, begun, built, id, offset, until: the feed's record; own: notes of own writes
  backup,   \* a dump of it
  server,   \* which server has it: another one after each restore
  feed,     \* what each process knows as the reader
  build,    \* the build under way: at, begun
  left      \* what may still happen

vars == <<done, sent, log, beat, redis, backup, server, feed, build, left>>

None == -1
Keys == {1, 2}
Processes == {1, 2}

\* The rows of a key after n commits: more than one only where the key belongs to several rows.
RECURSIVE Rows(_, _)
Rows(key, n) ==
  IF n = 0 THEN 0
  ELSE LET c == Commits[n] IN
       Rows(key, n - 1) + (IF c.key # key THEN 0 ELSE IF c.kind = "insert" THEN 1 ELSE -1)

\* The counts of a filter; with the layout "counters" those of both keys are the same counters.
Nothing == [k \in Keys |-> 0]
NoImage == <<>>
Plus(count, key, n) == [count EXCEPT ![key] = @ + n]
Has(count, key) == IF Layout = "bits" THEN count[key] > 0 ELSE count[1] + count[2] > 0
Minus(count, key) ==
  IF count[key] > 0 THEN Plus(count, key, -1)
  ELSE [k \in Keys |-> IF count[k] > 0 THEN count[k] - 1 ELSE 0]   \* what is another key's

\* An add goes to the serving image and to the one that is built (add.lua).
Adding(r, key) == [r EXCEPT !.count = Plus(@, key, 1),
                            !.building = IF @ = NoImage THEN @ ELSE Plus(@, key, 1)]
Dropping(r, keys) == [r EXCEPT !.entry = [k \in Keys |-> IF k \in keys THEN None ELSE @[k]]]

NoFeed == [at |-> "off", number |-> 0, server |-> 0, knownId |-> 0, knownOffset |-> 0, id |-> 0,
           offset |-> 0, batch |-> None, asked |-> None, end |-> None, endBeat |-> None,
           lastAsked |-> None, lastEnd |-> None, lastBeat |-> None,
           sign |-> None, signAtAsk |-> None, until |-> None, stale |-> FALSE, told |-> {},
           stamp |-> 0, since |-> 0]

Init ==
  /\ done = Ready /\ sent = done /\ server = 1
  /\ log = [id |-> 1, first |-> 0, records |-> <<>>, visible |-> 0]
  /\ beat = [number |-> 0, sent |-> sent]
  /\ LET known == IF New THEN 0 ELSE 1 IN
     redis = [count |-> [k \in Keys |-> Rows(k, done)], stamp |-> 1, building |-> NoImage,
              entry |-> [k \in Keys |-> None],
              reader |-> 0, begun |-> known, built |-> known, id |-> known, offset |-> 0,
              until |-> IF New THEN None ELSE Ready, own |-> {}]
  /\ backup = [redis |-> redis, done |-> done]
  /\ feed = [p \in Processes |-> NoFeed]
  /\ build = [at |-> "idle", begun |-> 0]
  /\ left = [claims |-> Claims, crashes |-> Crashes, builds |-> Builds, beats |-> Beats,
             repeats |-> Repeats, remakes |-> Remakes, trims |-> Trims, restores |-> Restores,
             loads |-> Loads]

-----------------------------------------------------------------------------
(* The database, the connector and its log.                                  *)

\* A write of this application is in the filter before its commit, and has dropped the entry of its
\* key (Barriers). Its transaction is noted afterwards: FilterFeed.wrote, own.lua.
Commit ==
  /\ done < Len(Commits)
  /\ done' = done + 1
  /\ LET c == Commits[done + 1]
         after == IF c.by = "own" /\ c.kind = "insert" THEN Adding(redis, c.key) ELSE redis
     IN redis' = IF c.by = "other" THEN redis ELSE Dropping(after, {c.key})
  /\ UNCHANGED <<sent, log, beat, backup, server, feed, build, left>>

\* A removal is the feed's alone, so a deletion is noted only where nothing is removed.
Note(n) ==
  /\ n <= done /\ Commits[n].by # "other" /\ n \notin redis.own
  /\ Commits[n].kind = "delete" => Layout = "bits"
  /\ redis' = [redis EXCEPT !.own = @ \cup {n}]
  /\ UNCHANGED <<done, sent, log, beat, backup, server, feed, build, left>>

Write(n) ==
  log' = [log EXCEPT !.records = Append(@, n),
                     !.visible = IF Hidden THEN @ ELSE Len(log.records) + 1]

Send ==
  /\ sent < done
  /\ sent' = sent + 1 /\ Write(sent + 1)
  /\ UNCHANGED <<done, beat, redis, backup, server, feed, build, left>>

Repeat(n) ==
  /\ n <= sent /\ Spend(left, "repeats")
  /\ Write(n)
  /\ UNCHANGED <<done, sent, beat, redis, backup, server, feed, build>>

Beat ==
  /\ Spend(left, "beats")
  /\ beat' = [number |-> beat.number + 1, sent |-> sent]
  /\ UNCHANGED <<done, sent, log, redis, backup, server, feed, build>>

Show ==
  /\ log.visible < Len(log.records)
  /\ log' = [log EXCEPT !.visible = Len(log.records)]
  /\ UNCHANGED <<done, sent, beat, redis, backup, server, feed, build, left>>

Remake ==
  /\ Spend(left, "remakes")
  /\ log' = [id |-> log.id + 1, first |-> 0, records |-> <<>>, visible |-> 0]
  /\ UNCHANGED <<done, sent, beat, redis, backup, server, feed, build>>

Trim ==
  /\ log.first < log.visible /\ Spend(left, "trims")
  /\ log' = [log EXCEPT !.first = log.visible]
  /\ UNCHANGED <<done, sent, beat, redis, backup, server, feed, build>>

-----------------------------------------------------------------------------
(* The reader.                                                               *)

OfReader == UNCHANGED <<done, sent, log, beat, backup, server, build>>   \* what no reader changes
Knows(p, new) == feed' = [feed EXCEPT ![p] = new]

\* A change of the record by its reader alone, on the server of its claim: RedisFeedRecord.changeOf.
Mine(p) ==
  /\ redis.reader = feed[p].number \/ Made("EARLIER_READER_GOES_ON")
  /\ server = feed[p].server \/ Made("ANY_SERVER_WRITTEN")

\* Of two processes one has the partitions or the slot: OneReaderAssignor; the database itself.
Owns(p) == \/ \A q \in Processes : feed[q].at # "off" => feed[q].number <= feed[p].number
           \/ Made("EARLIER_READER_GOES_ON")

\* FeedTakenException, or a failure: RestartingFeed begins again.
Ended(p) == [NoFeed EXCEPT !.stale = feed[p].stale, !.told = feed[p].told,
                           !.stamp = feed[p].stamp, !.since = feed[p].since]

\* FilterFeed.serves: when this process first knew of the generation that serves.
Serving(f) == IF f.stamp = redis.stamp THEN f ELSE [f EXCEPT !.stamp = redis.stamp, !.since = done]

Notice(p) ==
  /\ Serving(feed[p]) # feed[p]
  /\ Knows(p, Serving(feed[p]))
  /\ OfReader /\ UNCHANGED <<redis, left>>

\* ChangeIntake.begin, RedisFeedRecord.claim. A record that is not complete since its last begin may
\* be of a reader that ended before it dropped the values.
Claim(p) ==
  /\ feed[p].at = "off" /\ Spend(left, "claims")
  /\ redis' = [redis EXCEPT !.reader = @ + 1]
  /\ Knows(p, [Serving(feed[p]) EXCEPT
       !.at = "claimed", !.number = redis.reader + 1, !.server = server,
       !.knownId = redis.id, !.knownOffset = redis.offset,
       !.stale = @ \/ (redis.until = None /\ ~Made("VALUES_LEFT_BY_LAST_READER"))])
  /\ OfReader

\* TopicReading.onPartitionsAssigned: goes on at a position of this very log that is still within
\* it, else begins at the end of what is visible (ChangeIntake.beginAt).
Begin(p) ==
  LET f == feed[p]
      same == f.knownId = log.id \/ (f.knownId # 0 /\ Made("OTHER_LOG_BELIEVED"))
      within == /\ f.knownOffset <= log.visible
                /\ log.first <= f.knownOffset \/ Made("TRIMMED_LOG_BELIEVED")
      begun == [f EXCEPT !.at = "reading", !.id = log.id]
  IN
  /\ f.at = "claimed"
  /\ IF same /\ within
     THEN Knows(p, [begun EXCEPT !.offset = Max(f.knownOffset, log.first)]) /\ redis' = redis
     ELSE IF Mine(p)
     THEN /\ redis' = [redis EXCEPT !.begun = @ + 1, !.until = None,
                                    !.id = log.id, !.offset = log.visible]
          /\ Knows(p, [begun EXCEPT !.offset = log.visible,
                                    !.stale = ~Made("VALUES_LEFT_AT_BEGIN")])
     ELSE Knows(p, Ended(p)) /\ redis' = redis
  /\ OfReader /\ UNCHANGED left

\* Completeness.read: a record beyond the ends of the round before was written after that began, so
\* the connector worked then, though it may be behind: by how much, the change tells itself.
Sign(f, moment) == [f EXCEPT !.sign = Max(@, Min(f.lastAsked, moment))]

\* TopicReading.apply.
Poll(p) ==
  LET f == feed[p]
      next == Max(f.offset, log.first) + 1
  IN
  /\ f.at = "reading" /\ f.id = log.id /\ next <= log.visible /\ Owns(p)
  /\ LET n == log.records[next]
         read == [f EXCEPT
           !.at = IF Made("ADVANCED_BEFORE_EFFECT") THEN "effective" ELSE "polled",
           !.offset = next, !.batch = n]
     IN Knows(p, IF f.lastEnd # None /\ next > f.lastEnd THEN Sign(read, n) ELSE read)
  /\ OfReader /\ UNCHANGED <<redis, left>>

Hear(p) ==
  LET f == feed[p] IN
  /\ f.at = "reading" /\ f.lastBeat # None /\ beat.number > f.lastBeat /\ Owns(p)
  /\ Knows(p, Sign([f EXCEPT !.lastBeat = beat.number], beat.sent))
  /\ OfReader /\ UNCHANGED <<redis, left>>

\* ChangeIntake.mayRemove: the serving generation was built from a source that still had the row.
MayRemove(f) ==
  /\ f.until # None \/ Made("REMOVED_BEFORE_COMPLETE")
  /\ f.until >= f.since \/ Made("REMOVED_AFTER_SWAP") \/ (f.until = None)

\* ChangedKeys.leaveOutOwn: the write of this application, by its transaction; an eviction alone has
\* not brought the key into the filter.
IsOwn(n) ==
  LET c == Commits[n] IN
  \/ n \in redis.own /\ (c.by = "own" \/ c.kind = "delete" \/ Made("DROP_TAKEN_FOR_ADD"))
  \/ Made("OWN_BY_KEY") /\ \E m \in redis.own : Commits[m].key = c.key

Stale(p) == IF feed[p].stale THEN Dropping(redis, Keys) ELSE redis

\* ChangeIntake.take: the add (FilterWrites.committed), the drop, the removal (remove.lua).
Effect(p) ==
  LET f == Serving(feed[p])
      n == f.batch
      c == Commits[n]
      kept == Stale(p)
      dropped == Dropping(kept, {c.key})
      removes == /\ Layout = "counters" /\ MayRemove(f)
                 /\ n \notin f.told \/ Made("DELETION_REMOVED_TWICE")
      next == IF Made("ADVANCED_BEFORE_EFFECT") THEN "reading" ELSE "effective"
  IN
  /\ f.at = "polled"
  /\ IF IsOwn(n)
     THEN redis' = kept /\ Knows(p, [f EXCEPT !.at = next, !.stale = FALSE])
     ELSE IF c.kind = "insert"
     THEN redis' = Adding(dropped, c.key) /\ Knows(p, [f EXCEPT !.at = next, !.stale = FALSE])
     ELSE /\ redis' = IF removes THEN [dropped EXCEPT !.count = Minus(@, c.key)] ELSE dropped
          /\ Knows(p, [f EXCEPT !.at = next, !.stale = FALSE, !.told = @ \cup {n}])
  /\ OfReader /\ UNCHANGED left

\* ChangeIntake.apply: the position after the effect, RedisFeedRecord.advance.
Advance(p) ==
  LET f == feed[p] IN
  /\ f.at = "effective"
  /\ IF Mine(p)
     THEN /\ redis' = [redis EXCEPT !.id = f.id, !.offset = f.offset]
          /\ Knows(p, [f EXCEPT
               !.at = IF Made("ADVANCED_BEFORE_EFFECT") THEN "polled" ELSE "reading"])
     ELSE Knows(p, Ended(p)) /\ redis' = redis
  /\ OfReader /\ UNCHANGED left

\* TopicReading.completeIfDone: a round asks for the ends, also those of open transactions
\* (TopicLog.ends), of this very log.
Ask(p) ==
  LET f == feed[p] IN
  /\ f.at = "reading" /\ f.asked = None
  /\ IF f.id = log.id \/ Made("REMADE_LOG_NOT_NOTICED")
     THEN Knows(p, [f EXCEPT
            !.asked = done, !.endBeat = beat.number, !.signAtAsk = f.sign,
            !.end = IF Made("FILTERED_ENDS_BELIEVED") THEN log.visible ELSE Len(log.records)])
     ELSE Knows(p, Ended(p))
  /\ OfReader /\ UNCHANGED <<redis, left>>

\* Completeness.age, ChangeIntake.complete: all before the ends was read, so all is applied that was
\* committed before the question, as far as the connector is known to have worked. A sign that is
\* read later may have been written behind changes which are not before these ends.
Complete(p) ==
  LET f == feed[p]
      needsSign == ~Happens("NO_HEARTBEATS") /\ ~Made("COMPLETE_WITHOUT_SIGN")
      sign == IF Made("SIGN_OF_SAME_ROUND") THEN f.sign ELSE f.signAtAsk
      until == IF needsSign THEN Min(sign, f.asked) ELSE f.asked
      rest == [f EXCEPT !.asked = None, !.end = None, !.endBeat = None, !.signAtAsk = None,
                        !.lastAsked = f.asked, !.lastEnd = f.end, !.lastBeat = f.endBeat]
  IN
  /\ f.at = "reading" /\ f.asked # None /\ f.offset >= f.end
  /\ IF needsSign /\ sign = None
     THEN Knows(p, rest) /\ redis' = redis
     ELSE IF Mine(p)
     THEN /\ redis' = [Stale(p) EXCEPT !.until = until]
          /\ Knows(p, [rest EXCEPT !.until = until, !.stale = FALSE])
     ELSE Knows(p, Ended(p)) /\ redis' = redis
  /\ OfReader /\ UNCHANGED left

Crash(p) ==
  /\ feed[p].at # "off" /\ Spend(left, "crashes")
  /\ Knows(p, NoFeed)
  /\ OfReader /\ UNCHANGED redis

-----------------------------------------------------------------------------
(* Builds, loads and losses.                                                 *)

OfBuild == UNCHANGED <<done, sent, log, beat, backup, server, feed>>

\* FilterFeed.noteBegin, then register.lua: from here on adds reach both images.
Register ==
  /\ build.at = "idle" /\ redis.begun > 0 /\ Spend(left, "builds")
  /\ build' = [at |-> "registered", begun |-> redis.begun]
  /\ redis' = [redis EXCEPT !.building = Nothing]
  /\ OfBuild

ReadSource ==
  /\ build.at = "registered" /\ redis.building # NoImage
  /\ redis' = [redis EXCEPT
       !.building = [k \in Keys |-> @[k] + (IF Happens("SHARED_KEY") THEN Min(1, Rows(k, done))
                                            ELSE Rows(k, done))]]
  /\ build' = [build EXCEPT !.at = "read"]
  /\ OfBuild /\ UNCHANGED left

\* publish.lua.
Publish ==
  /\ build.at = "read" /\ redis.building # NoImage
  /\ redis' = [redis EXCEPT !.count = redis.building, !.building = NoImage, !.stamp = @ + 1]
  /\ build' = [at |-> "published",
               begun |-> IF Made("BEGIN_NOTED_AFTER_READ") THEN redis.begun ELSE build.begun]
  /\ OfBuild /\ UNCHANGED left

\* FilterFeed.built, RedisFeedRecord.built; or a build whose image a restore has taken.
Built ==
  /\ \/ build.at = "published" /\ redis' = [redis EXCEPT !.built = Max(@, build.begun)]
     \/ build.at \in {"registered", "read"} /\ redis.building = NoImage /\ redis' = redis
  /\ build' = [at |-> "idle", begun |-> 0]
  /\ OfBuild /\ UNCHANGED left

Load(key) ==
  /\ redis.entry[key] # done /\ Spend(left, "loads")
  /\ redis' = [redis EXCEPT !.entry[key] = done]
  /\ UNCHANGED <<done, sent, log, beat, backup, server, feed, build>>

Save ==
  /\ left.restores > 0 /\ backup.redis # redis
  /\ backup' = [redis |-> redis, done |-> done]
  /\ UNCHANGED <<done, sent, log, beat, redis, server, feed, build, left>>

\* The record goes with the content. A build is fenced, and every process adds again what it has
\* added since (Generations).
Restore ==
  LET lost == {n \in backup.done + 1 .. done : Commits[n].by = "own" /\ Commits[n].kind = "insert"}
      again == [k \in Keys |-> Cardinality({n \in lost : Commits[n].key = k})]
  IN
  /\ Spend(left, "restores")
  /\ server' = server + 1
  /\ redis' = [backup.redis EXCEPT
       !.count = [k \in Keys |-> @[k] + again[k]], !.building = NoImage,
       !.id = IF Made("POSITION_KEPT_ELSEWHERE") THEN redis.id ELSE @,
       !.offset = IF Made("POSITION_KEPT_ELSEWHERE") THEN redis.offset ELSE @]
  /\ UNCHANGED <<done, sent, log, beat, backup, feed, build>>

-----------------------------------------------------------------------------
Next ==
  \/ Commit \/ Send \/ Beat \/ Show \/ Remake \/ Trim
  \/ \E n \in 1..Len(Commits) : Note(n) \/ Repeat(n)
  \/ \E p \in Processes :
       \/ Claim(p) \/ Begin(p) \/ Poll(p) \/ Hear(p) \/ Effect(p) \/ Advance(p) \/ Ask(p)
       \/ Complete(p) \/ Notice(p) \/ Crash(p)
  \/ Register \/ ReadSource \/ Publish \/ Built
  \/ \E k \in Keys : Load(k)
  \/ Save \/ Restore

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The promises.                                                             *)

\* FeedRecord.Entry.isCovered, and an age (FilterFeed.isBehind).
Covered ==
  /\ redis.begun > 0 /\ redis.until # None
  /\ redis.built >= redis.begun \/ Made("BEGIN_NEEDS_NO_BUILD")

\* 1: where the feed says that all is applied up to a moment, a key passes whose row is there since.
NoWrongRejection ==
  Covered =>
    \A k \in Keys :
      (\A n \in redis.until .. done : Rows(k, n) > 0) => Has(redis.count, k)

\* 5: and no entry is older than a change of its row up to that moment.
NoStaleEntry ==
  redis.until # None =>
    \A k \in Keys :
      redis.entry[k] # None =>
        ~\E n \in redis.entry[k] + 1 .. redis.until : Commits[n].key = k

=============================================================================
