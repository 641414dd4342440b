---------------------------- MODULE Generations ----------------------------
(* The protocol of generations in Redis, for one partition of one filter.    *)
(*                                                                           *)
(* A generation serves while the next one is built beside it; adds go to     *)
(* both; Redis may lose what it acknowledged, or be given another content;   *)
(* processes build, crash, stand still and come back. docs/guarantees.md has *)
(* the promises by number, docs/architecture.md the terms.                   *)
(*                                                                           *)
(* A script of Redis is one step. Each has the class and the script that it  *)
(* stands for in its comment; packages are below io.bloomguard.redis.internal*)
(* and scripts in the resources of the same package. Before most scripts     *)
(* stands partition.lua, which looks for a loss of writes: Lost, Condemn and *)
(* Raise here. `x' is what a script works on: r, what Redis has; n, what the *)
(* calling process knows; b, the backup; t, the last number that was drawn.  *)
EXTENDS Rules, TLC

CONSTANTS
  Layout,         \* "bits"; "counters"; "shared": key 1's counter is also one of key 2's
  Added,          \* the keys that may be added, key i by process i
  Foreign,        \* the keys whose rows another program may insert, past every process;
                  \*   a key of neither kind has had its row from the beginning
  Events,         \* what happens to Redis, in this order and at any time
  Crashes,        \* how many processes may crash,
  Stops,          \*   stand still for longer than their entry as a writer lives,
  Expiries,       \*   lose the right to build while they work on,
  Rebuilds,       \*   begin a build without need,
  Rollbacks,      \*   let the image before serve again,
  RefillFailures, \*   fail to read the rows of other programs once more after a loss,
  Removals,       \*   delete a row and then remove its key,
  Reinserts,      \*   insert such a row again
  Newcomer,       \* whether process 2 has never been in contact
  Trims,          \* whether the journal is trimmed
  Reads           \* whether processes read the rows of other programs

Mistakes == {
  "EPOCH_NOT_CHECKED", "BEAT_NOT_CHECKED", "CALLERS_BEAT_NOT_COMPARED",
  "OWN_CONFIRMATION_NOT_ASKED", "COMMITTED_AFTER_STOP", "WRITERS_NOT_WAITED_FOR",
  "NO_GRACE_FOR_NEWCOMERS", "NEWCOMER_BELIEVES", "NEWCOMER_RAISES_BEAT",
  "REPEATED_INTO_SERVING_ONLY", "NO_GRACE", "MISSING_WRITER_FORGOTTEN", "ADDS_NOT_REPEATED",
  "REMEMBERED_AFTER_ACKNOWLEDGED", "PUBLISHED_BEFORE_REPLAY", "JOURNAL_TRIMMED_IN_BUILD",
  "JOURNAL_NOT_COMPARED", "NO_DUAL_WRITES", "TOKEN_NOT_CHECKED", "CHUNK_NOT_FENCED",
  "SCANNED_BEFORE_REGISTERED", "PUBLISHED_UNSETTLED", "BUILD_OUTLIVES_LOSS",
  "ACKNOWLEDGED_WITHOUT_SERVING", "VIEW_NOT_COMPARED", "NOT_RETIRED", "UNKNOWN_IMAGE_LEFT",
  "AGE_OF_HEAD_ALONE", "SERVER_NOT_COMPARED", "NOT_REFILLED",
  "REFILL_FAILURE_PASSED", "PREVIOUS_TAKES_NO_ADDS", "INCOMPLETE_KEPT",
  "REMOVED_FROM_EVERY_IMAGE", "REMOVALS_REPLAYED", "SWAP_NOT_COMPARED", "REMOVAL_REPEATED",
  "REMOVED_BEFORE_ROW", "FULL_COUNTED_DOWN", "REMOVALS_REMEMBERED",
  "LINEAGE_NOT_COMPARED", "SWAPS_NOT_COMPARED",
  "SALT_OF_BUILD_USED_FOR_SERVING", "REPLAYED_UNDER_OLD_SALT" }

Limits == {
  "SPLIT_BRAIN", "FRESH_DUMP", "LONG_TRANSACTION", "SHORTER_RETENTION", "STARTED_AFTER_EXCHANGE",
  "TWO_COPIES" }

ASSUME Mistake \in Mistakes \cup {"none"} /\ NotCovered \subseteq Limits

VARIABLES
  redis,    \* what the processes reach: head, images, journal, lock, list of writers
  server,   \* the server that has it
  backup,   \* what a replica or a dump has of it
  deposed,  \* what a master has that was cut off and does not know it
  node,     \* what each process knows
  rows,     \* the keys whose row is visible, whose add was acknowledged, that some published
            \*   generation held; and who writes them
  left,     \* what may still happen
  now,      \* the last number drawn: beats, losses, generations and entries are only compared
  lacking   \* the promised keys that a generation lacked when it was published

vars == <<redis, server, backup, deposed, node, rows, left, now, lacking>>

Nodes == {1, 2}
Keys == {1, 2}
None == 0
NoEvents == <<>>
NoEpoch == <<0, 0>>   \* an epoch is a server and the number of the last loss there

-----------------------------------------------------------------------------
(* Images. The positions of a key depend on the image: each has a salt, here *)
(* its id. What is written under another salt reaches positions that no check*)
(* of the key asks for, as if it were not written. core/filter, image.       *)

Full == IF Layout = "bits" THEN 1 ELSE 3   \* of a full counter nobody knows for how many it stands
Of(key) == IF Layout = "shared" /\ key = 2 THEN {1, 2} ELSE {key}
Empty == [p \in Keys |-> 0]
Passing(content) == {k \in Keys : \A p \in Of(k) : content[p] > 0}

CountUp(content, keys) ==
  [p \in Keys |->
    LET sum == content[p] + Cardinality({k \in keys : p \in Of(k)})
    IN IF sum > Full THEN Full ELSE sum]

CountDown(content, key) ==
  IF key \notin Passing(content) THEN content
  ELSE [p \in Keys |->
         IF p \in Of(key) /\ (content[p] < Full \/ Made("FULL_COUNTED_DOWN"))
         THEN content[p] - 1 ELSE content[p]]

NoImage == [state |-> "none", content |-> Empty, beat |-> None, epoch |-> NoEpoch, aged |-> FALSE]
Image(r, id) == IF id \in DOMAIN r.images THEN r.images[id] ELSE NoImage
Whole(image) == image.state # "none"
With(r, id, image) ==
  [r EXCEPT !.images = TLCEval([j \in DOMAIN @ \cup {id} |-> IF j = id THEN image ELSE @[j]])]
Without(r, id) == [r EXCEPT !.images = TLCEval([j \in DOMAIN @ \ {id} |-> @[j]])]
Change(r, id, image) == IF id \in DOMAIN r.images THEN With(r, id, image) ELSE r

WriteKeys(r, id, keys, salt) ==
  IF id = salt THEN Change(r, id, [Image(r, id) EXCEPT !.content = CountUp(@, keys)]) ELSE r

NoPartition == [
  present |-> FALSE, lineage |-> None, swaps |-> None, met |-> {},
  serving |-> None, building |-> None, previous |-> None, last |-> None,
  epoch |-> NoEpoch, settled |-> NoEpoch, noted |-> NoEpoch, losses |-> None, home |-> None,
  heard |-> {}, fresh |-> FALSE, dues |-> {}, old |-> FALSE, rebuild |-> FALSE, incomplete |-> FALSE,
  beat |-> None, aged |-> FALSE,
  journal |-> {}, journalEnd |-> None, end |-> None,
  lock |-> None, unread |-> [i \in Nodes |-> {}], unreadRemovals |-> [i \in Nodes |-> {}],
  writers |-> {}, lapsed |-> {}, strange |-> {}, guests |-> {},
  reported |-> [i \in Nodes |-> NoEpoch],
  images |-> [j \in {} |-> NoImage]]

NoNode == [
  alive |-> FALSE, knows |-> FALSE, guest |-> FALSE, stopped |-> FALSE, away |-> FALSE,
  connection |-> None, lineage |-> None, swaps |-> None,
  serving |-> None, building |-> None, previous |-> None, epoch |-> NoEpoch, losses |-> None,
  beat |-> None,
  log |-> {}, again |-> {}, target |-> NoEpoch, confirmed |-> NoEpoch, refill |-> "due",
  adding |-> None, removing |-> None, stamp |-> None, gone |-> FALSE, sent |-> FALSE,
  removed |-> {},
  station |-> "idle", image |-> None, registered |-> NoEpoch, heap |-> Empty]

-----------------------------------------------------------------------------
(* What a check and a promise are.                                           *)

Runs(i) == node[i].alive /\ ~node[i].stopped
Reached(i) == node[i].connection = server
Goal(n) == IF n.connection = None \/ n.losses = None THEN NoEpoch ELSE <<n.connection, n.losses>>
SameView(r, n) == r.serving = n.serving /\ r.building = n.building /\ r.previous = n.previous

(* Whether process i, which reads r, gets an answer that counts: header,     *)
(* trailer and words in one command. partition.PartitionCheck, image.ImageRead *)
DecidedBy(r, i) ==
  LET n == node[i]  image == Image(r, n.serving) IN
  /\ Runs(i)
  /\ image.state = "READY"
  /\ ~n.guest \/ Made("NEWCOMER_BELIEVES")
  /\ \/ Made("EPOCH_NOT_CHECKED")
     \/ /\ n.epoch # NoEpoch
        /\ n.epoch[1] = n.connection
        /\ image.epoch = n.epoch
        /\ n.confirmed = n.epoch \/ Made("OWN_CONFIRMATION_NOT_ASKED")
  /\ image.beat >= n.beat \/ Made("BEAT_NOT_CHECKED")

Decided(i) == Reached(i) /\ DecidedBy(redis, i)

(* The keys that process i must not deny: of acknowledged adds, and of rows  *)
(* that a source showed. While a process stands still, and until it has added*)
(* again, its keys without a row count for itself alone.                     *)
Promised(i) ==
  LET open == {k \in Keys : LET w == rows.writer[k] IN w \notin {None, i} /\ node[w].away}
      shown == rows.visible \ (Foreign \ rows.held)
  IN shown \cup (rows.acknowledged \ open)

-----------------------------------------------------------------------------
(* What stands before the scripts: partition.lua.                            *)

X(i) == [r |-> redis, n |-> node[i], b |-> backup, t |-> now]

Lost(i, r, n) ==
  LET serving == Image(r, r.serving) IN
  \/ r.home # n.connection /\ ~Made("SERVER_NOT_COMPARED")
  \/ /\ n.beat # None
     /\ r.beat < n.beat \/ i \in r.strange   \* its entry as a writer is not the one that it wrote
     /\ ~Made("CALLERS_BEAT_NOT_COMPARED")
  \/ Whole(serving) /\ serving.beat # r.beat
  \/ r.journalEnd # r.end /\ ~Made("JOURNAL_NOT_COMPARED")

(* Nothing that was trusted is, until all writers have added again.          *)
Condemn(x) ==
  LET r == x.r
      serving == Image(r, r.serving)
      old == Whole(serving) /\ serving.aged /\ ~Made("AGE_OF_HEAD_ALONE")
      head == [r EXCEPT
        !.old = @ \/ old \/ r.aged, !.dues = @ \cup r.writers \cup r.lapsed,
        !.losses = x.t + 1, !.epoch = NoEpoch, !.fresh = FALSE, !.home = x.n.connection,
        !.end = r.journalEnd, !.strange = {},
        !.building = IF Made("BUILD_OUTLIVES_LOSS") THEN @ ELSE None]
      marked == Change(head, r.serving, [serving EXCEPT !.epoch = NoEpoch, !.beat = r.beat])
  IN [x EXCEPT
       !.t = @ + 1,
       !.n.beat = r.beat,
       !.r = IF r.beat < x.n.beat  \* the image before stays behind the beat of the caller
             THEN Change(marked, r.previous, [Image(r, r.previous) EXCEPT !.beat = None])
             ELSE marked]

Notice(i, x) == IF Lost(i, x.r, x.n) THEN Condemn(x) ELSE x

(* Advances the beat of the head and of the images that were in step with it.*)
(* A guest, which would hide a loss from those who know more, does not.      *)
Raise(i, x) ==
  LET r == x.r
      others == r.writers \ (r.guests \cup {i})
      stays == /\ x.n.guest /\ others # {} /\ ~(x.n.beat # None /\ r.beat > x.n.beat)
               /\ ~Made("NEWCOMER_RAISES_BEAT")
      beat == x.t + 1
      InStep(id) == Whole(Image(r, id)) /\ Image(r, id).beat = r.beat
      raised == {id \in DOMAIN r.images :
                  id = r.serving \/ (id \in {r.previous, r.building} /\ InStep(id))}
  IN IF stays
     THEN [x EXCEPT !.n.beat = r.beat, !.r.guests = @ \cup {i}, !.r.strange = @ \ {i}]
     ELSE [x EXCEPT
            !.t = beat, !.n.beat = beat, !.n.guest = FALSE, !.b.strange = @ \cup {i},
            !.r = [r EXCEPT
              !.guests = @ \ {i}, !.beat = beat, !.aged = FALSE, !.lapsed = {},
              !.strange = @ \ {i}, !.building = IF InStep(@) THEN @ ELSE None,
              !.images = TLCEval([j \in DOMAIN @ |->
                IF j \in raised THEN [@[j] EXCEPT !.beat = beat, !.aged = FALSE] ELSE @[j]])]]

Enter(i, x) ==
  [x EXCEPT !.r.writers = @ \cup {i}, !.r.lapsed = @ \ {i}, !.r.reported[i] = x.n.confirmed,
    !.r.heard = IF x.r.settled # x.r.noted THEN @ \cup {i} ELSE @]

(* The effect of a script that process i has sent; of one and nothing else;  *)
(* of what a process does by itself.                                         *)
Script(i, x) ==
  /\ redis' = x.r /\ node' = [node EXCEPT ![i] = x.n] /\ backup' = x.b /\ now' = x.t
Sends(i, x) == Script(i, x) /\ UNCHANGED <<server, deposed, rows, left, lacking>>
Notes(nodes) ==
  node' = nodes /\ UNCHANGED <<redis, server, backup, deposed, rows, left, now, lacking>>

-----------------------------------------------------------------------------
(* A process and the head.                                                   *)

Connect(i) ==
  /\ Runs(i) /\ ~Reached(i)
  /\ Notes([node EXCEPT ![i].connection = server, ![i].beat = None])

(* partition.PartitionHead. An image whose publication the head does not know*)
(* of is unlinked: disown.lua. A head of another lineage, or of fewer swaps, *)
(* is met: meet.lua.                                                         *)
IsForeign(n) ==
  /\ n.lineage # None /\ redis.present
  /\ \/ redis.lineage # n.lineage /\ ~Made("LINEAGE_NOT_COMPARED")
     \/ redis.lineage = n.lineage /\ redis.swaps < n.swaps /\ ~Made("SWAPS_NOT_COMPARED")

MustRead(i) ==
  LET n == node[i] IN
  /\ Runs(i) /\ Reached(i)
  /\ IsForeign(n) \/ ~SameView(redis, n) \/ n.epoch # redis.epoch \/ n.losses # redis.losses

ReadHead(i) ==
  LET n == node[i]
      same == redis.lineage = n.lineage
      meets == IsForeign(n) /\ n.lineage \notin redis.met
      unknown == redis.present /\ redis.last < n.serving /\ ~Made("UNKNOWN_IMAGE_LEFT")
      x == IF ~meets THEN X(i)
           ELSE LET y == Condemn(X(i)) IN
             [y EXCEPT !.r.rebuild = TRUE, !.r.incomplete = TRUE,
               !.r.met = IF same THEN @ ELSE @ \cup {n.lineage},
               !.r.swaps = IF same THEN n.swaps ELSE @]
      r == IF unknown THEN Without(x.r, n.serving) ELSE x.r
  IN /\ MustRead(i)
     /\ Sends(i, [x EXCEPT !.r = r, !.n = [x.n EXCEPT
          !.knows = TRUE, !.serving = r.serving, !.building = r.building, !.previous = r.previous,
          !.epoch = r.epoch, !.losses = r.losses,
          !.lineage = IF r.present THEN r.lineage ELSE @,
          !.swaps = IF r.present THEN r.swaps ELSE @]])

(* partition.HeadCreation, create.lua. A lineage is drawn like a number.     *)
MustCreate(i) == Runs(i) /\ Reached(i) /\ node[i].losses = None /\ ~redis.present
CreateHead(i) ==
  /\ MustCreate(i)
  /\ Sends(i, [X(i) EXCEPT
       !.t = now + 1,
       !.r = [NoPartition EXCEPT
         !.present = TRUE, !.lineage = now + 1,
         !.met = IF node[i].lineage = None THEN {} ELSE {node[i].lineage},
         !.journal = redis.journal, !.journalEnd = redis.journalEnd, !.end = redis.journalEnd,
         !.lock = redis.lock, !.losses = now + 1, !.home = node[i].connection,
         !.fresh = ~node[i].knows, !.beat = now + 1],
       !.n.lineage = now + 1, !.n.swaps = None])

(* partition.RedisPartition, maintain.lua, and PartitionWriter, alive.lua.    *)
Maintain(i) ==
  /\ Runs(i) /\ Reached(i) /\ redis.present
  /\ Sends(i, Enter(i, Raise(i, Notice(i, X(i)))))

(* An entry of a writer that does not come forward ends.                     *)
Lapse(i) ==
  /\ ~Runs(i) /\ i \in redis.writers
  /\ redis' = [redis EXCEPT !.writers = @ \ {i}, !.lapsed = @ \cup {i}]
  /\ UNCHANGED <<server, backup, deposed, node, rows, left, now, lacking>>

-----------------------------------------------------------------------------
(* Adds: guard writes, partition.PartitionAdds, add.lua.                     *)

BeginAdd(i) ==
  /\ Runs(i) /\ i \in Added /\ rows.writer[i] = None /\ node[i].adding = None
  /\ rows' = [rows EXCEPT !.writer[i] = i]
  /\ node' = [node EXCEPT ![i].adding = i,
       ![i].log = IF Made("REMEMBERED_AFTER_ACKNOWLEDGED") THEN @ ELSE @ \cup {i}]
  /\ UNCHANGED <<redis, server, backup, deposed, left, now, lacking>>

Blind == Made("VIEW_NOT_COMPARED")
CanAdd(i) == Runs(i) /\ Reached(i) /\ redis.present /\ (SameView(redis, node[i]) \/ Blind)

Takes(x) ==
  LET serving == Image(x.r, IF Blind THEN x.n.serving ELSE x.r.serving)
  IN serving.state = "READY" \/ (Blind /\ Whole(serving))

(* Keys into every image that takes adds, and into the journal.              *)
AddKeys(i, keys) ==
  LET x == Notice(i, X(i))
      r == x.r
      serving == IF Blind THEN x.n.serving ELSE r.serving
      InStep(id) == Whole(Image(r, id)) /\ Image(r, id).beat = r.beat
      salt == IF Made("SALT_OF_BUILD_USED_FOR_SERVING") /\ r.building # None
              THEN r.building ELSE serving
      r1 == IF Takes(x) THEN WriteKeys(r, serving, keys, salt) ELSE r
      r2 == IF InStep(r.building) /\ ~Made("NO_DUAL_WRITES")
            THEN WriteKeys(r1, r.building, keys, r.building) ELSE r1
      r3 == IF InStep(r.previous) /\ ~Made("PREVIOUS_TAKES_NO_ADDS")
            THEN WriteKeys(r2, r.previous, keys, r.previous) ELSE r2
  IN Raise(i, [x EXCEPT
       !.t = @ + 1,
       !.r = [r3 EXCEPT
         !.journal = @ \cup keys, !.journalEnd = x.t + 1, !.end = x.t + 1,
         !.unread = [j \in Nodes |-> IF node[j].station # "idle" THEN @[j] \cup keys ELSE @[j]]]])

(* Whether an add would be acknowledged: the serving image takes it, or none *)
(* serves.                                                                   *)
Acknowledges(i) == CanAdd(i) /\
  (Takes(X(i)) \/ redis.serving = None \/ Made("ACKNOWLEDGED_WITHOUT_SERVING"))

SendAdd(i) ==
  LET key == node[i].adding  x == AddKeys(i, {key}) IN
  /\ key # None /\ key \notin rows.acknowledged /\ Acknowledges(i)
  /\ Script(i, [x EXCEPT !.n.adding = IF key \in x.n.log THEN None ELSE @])
  /\ rows' = [rows EXCEPT !.acknowledged = @ \cup {key}]
  /\ UNCHANGED <<server, deposed, left, lacking>>

(* By mistake, the process notes the add only now. partition.RetainedAdds    *)
Remember(i) ==
  /\ Runs(i) /\ node[i].adding \in rows.acknowledged
  /\ Notes([node EXCEPT ![i].log = @ \cup {node[i].adding}, ![i].adding = None])

(* The row becomes visible. A process that stood still adds its key once more*)
(* before that.                                                              *)
Commit(key) ==
  LET w == rows.writer[key] IN
  /\ key \in rows.acknowledged \ rows.visible /\ Runs(w)
  /\ ~node[w].away \/ Made("COMMITTED_AFTER_STOP")
  /\ rows' = [rows EXCEPT !.visible = @ \cup {key}]
  /\ UNCHANGED <<redis, server, backup, deposed, node, left, now, lacking>>

InsertElsewhere(key) ==
  /\ key \in Foreign \ rows.visible
  /\ rows' = [rows EXCEPT !.visible = @ \cup {key}]
  /\ UNCHANGED <<redis, server, backup, deposed, node, left, now, lacking>>

(* Reads the rows of other programs and adds those that are new; it does not *)
(* remember them. generation, source.jdbc.recent-query                       *)
ReadRecent(i) ==
  LET fresh == (rows.visible \cap Foreign) \ rows.held IN
  /\ Reads /\ fresh # {} /\ Decided(i) /\ Acknowledges(i)
  /\ Script(i, AddKeys(i, fresh))
  /\ rows' = [rows EXCEPT !.held = @ \cup fresh]
  /\ UNCHANGED <<server, deposed, left, lacking>>

-----------------------------------------------------------------------------
(* After a loss: partition.LossRecovery, KnownLosses.                        *)

MustRecall(i) ==
  LET goal == Goal(node[i]) IN
  Runs(i) /\ Reached(i) /\ goal # NoEpoch /\ goal \notin {node[i].confirmed, node[i].target}
Recall(i) ==
  /\ MustRecall(i)
  /\ Notes([node EXCEPT ![i].target = Goal(node[i]), ![i].again = node[i].log, ![i].refill = "due"])

(* It does not need a whole serving image, as an add does.                   *)
CanAddAgain(i) ==
  LET n == node[i] IN
  /\ Runs(i) /\ Reached(i) /\ n.again # {} /\ n.target = Goal(n)
  /\ IF Made("REPEATED_INTO_SERVING_ONLY") THEN Acknowledges(i)
     ELSE CanAdd(i) \/ Made("ADDS_NOT_REPEATED")
AddAgain(i) ==
  /\ CanAddAgain(i)
  /\ LET x == IF Made("ADDS_NOT_REPEATED") THEN X(i) ELSE AddKeys(i, node[i].again)
     IN Script(i, [x EXCEPT !.n.again = {}])
  /\ UNCHANGED <<server, deposed, rows, left, lacking>>

RefillDue(i) ==
  LET n == node[i] IN
  /\ Reads /\ n.refill = "due" /\ n.again = {}
  /\ n.target # NoEpoch /\ n.target # n.confirmed /\ n.target = Goal(n)

(* Adds again what a process that is no more may have read, unless the gap is*)
(* too long.                                                                 *)
Refill(i) ==
  LET read == rows.visible \cap Foreign
      skipped == read = {} \/ redis.old \/ Made("NOT_REFILLED")
      x == IF skipped THEN X(i) ELSE AddKeys(i, read)
  IN /\ Runs(i) /\ Reached(i) /\ RefillDue(i) /\ (skipped \/ CanAdd(i))
     /\ Sends(i, [x EXCEPT !.n.refill = "done"])

RefillFails(i) ==
  /\ Runs(i) /\ Reached(i) /\ RefillDue(i) /\ Spend(left, "refillFailures")
  /\ node' = [node EXCEPT ![i].refill = "failed"]
  /\ UNCHANGED <<redis, server, backup, deposed, rows, now, lacking>>

(* Reports that the process has added again, and ends the doubt if all have. *)
(* settle.lua                                                                *)
SettleScript(i, x) ==
  LET goal == Goal(x.n)
      noted == IF x.r.noted = goal THEN x.r
               ELSE [x.r EXCEPT !.noted = goal, !.heard = {}]
      moved == IF Made("SERVER_NOT_COMPARED") /\ x.r.noted # goal
               THEN [noted EXCEPT !.dues = @ \cup noted.writers \cup noted.lapsed, !.epoch = NoEpoch]
               ELSE noted
      e == Enter(i, [x EXCEPT !.r = moved, !.n.confirmed = goal, !.n.away = FALSE, !.n.removed = {}])
      counted == IF x.n.removed = {} THEN e.r
                 ELSE Change(e.r, e.r.serving, [Image(e.r, e.r.serving) EXCEPT
                        !.content = CountDown(@, CHOOSE k \in x.n.removed : TRUE)])
      unfilled == x.n.refill = "failed" /\ ~Made("REFILL_FAILURE_PASSED")
      r == [counted EXCEPT !.incomplete = @ \/ (counted.epoch = NoEpoch /\ unfilled)]
      reported == {j \in Nodes : r.reported[j] = goal}
      all == r.writers \subseteq reported \/ Made("WRITERS_NOT_WAITED_FOR")
      grace == \/ {j \in Nodes : Runs(j)} \subseteq r.heard   \* time for who is on no list is over
               \/ Made("NO_GRACE") \/ (r.fresh /\ Made("NO_GRACE_FOR_NEWCOMERS"))
      missing == r.dues \ reported # {} /\ ~Made("MISSING_WRITER_FORGOTTEN")
      serving == Image(r, r.serving)
      whole == serving.state = "READY" /\ serving.beat = r.beat
      s == [r EXCEPT !.settled = goal, !.heard = {}]
      trusted == Change(
        [s EXCEPT !.epoch = goal, !.dues = {}, !.rebuild = FALSE, !.incomplete = FALSE],
        r.serving, [serving EXCEPT !.epoch = goal])
      rebuilt == [s EXCEPT !.incomplete = @ \/ r.old \/ missing,
                           !.rebuild = @ \/ r.building = None]
  IN [e EXCEPT !.r =
       IF ~all \/ (~grace /\ r.settled # goal) THEN r
       ELSE IF whole /\ ~r.old /\ ~missing /\ ~r.incomplete THEN trusted
       ELSE rebuilt]

CanSettle(i) ==
  LET n == node[i] IN
  /\ Runs(i) /\ Reached(i) /\ ~Decided(i) /\ redis.present
  /\ Goal(n) # NoEpoch /\ n.target = Goal(n) /\ n.losses = redis.losses
  /\ n.again = {} /\ ~RefillDue(i) /\ SameView(redis, n)
Settle(i) ==
  /\ CanSettle(i)
  /\ Sends(i, IF Lost(i, redis, node[i]) THEN Condemn(X(i)) ELSE SettleScript(i, X(i)))

-----------------------------------------------------------------------------
(* A build: build.RedisBuild.                                                *)

Builds(i) == node[i].station # "idle"
NeedsBuild == redis.rebuild \/ (redis.present /\ redis.serving = None)

(* build.BuildLock, lock.lua; register.lua. The source is scanned after it.  *)
RegisterScript(i, station, heap) ==
  LET noticed == Lost(i, redis, node[i])
      id == now + 1
      cleared == IF Made("TOKEN_NOT_CHECKED") THEN redis ELSE Without(redis, redis.building)
      image == [NoImage EXCEPT !.state = "BUILDING", !.beat = redis.beat]
  IN /\ redis.present /\ redis.lock = None /\ SameView(redis, node[i])
     /\ Script(i, IF noticed THEN Condemn(X(i))
          ELSE [X(i) EXCEPT
            !.t = id, !.r = [With(cleared, id, image) EXCEPT !.building = id, !.lock = i],
            !.n.image = id, !.n.registered = <<node[i].connection, redis.losses>>,
            !.n.building = id, !.n.station = station, !.n.heap = heap])

Register(i) ==
  /\ Runs(i) /\ Reached(i) /\ ~Builds(i)
  /\ ~(i = 1 /\ Runs(2) /\ ~Builds(2))   \* one begins; the other where that one cannot
  /\ \/ NeedsBuild /\ UNCHANGED left
     \/ ~NeedsBuild /\ Spend(left, "rebuilds")
  /\ IF Made("SCANNED_BEFORE_REGISTERED")
     THEN /\ node' = [node EXCEPT ![i].station = "registered", ![i].heap = CountUp(Empty, rows.visible)]
          /\ UNCHANGED <<redis, backup, now>>
     ELSE RegisterScript(i, "registered", Empty)
  /\ UNCHANGED <<server, deposed, rows, lacking>>

(* Into the heap, under the salt of the image.                               *)
Scan(i) ==
  /\ Runs(i) /\ node[i].station = "registered"
  /\ IF Made("SCANNED_BEFORE_REGISTERED")
     THEN /\ Reached(i) /\ ~Lost(i, redis, node[i])
          /\ RegisterScript(i, "scanned", node[i].heap)
     ELSE /\ node' = [node EXCEPT ![i].station = "scanned", ![i].heap = CountUp(Empty, rows.visible)]
          /\ UNCHANGED <<redis, backup, now>>
  /\ UNCHANGED <<server, deposed, rows, left, lacking>>

Here(i) == Runs(i) /\ Reached(i) /\ node[i].registered[1] = node[i].connection

(* The journal from the retention before the registration. build.ImageLoad   *)
ReplayToHeap(i) ==
  /\ Runs(i) /\ node[i].registered[1] = node[i].connection /\ Reached(i)
  /\ node[i].station = "scanned"
  /\ node' = [node EXCEPT ![i].station = "replayed",
       ![i].heap = IF Made("REPLAYED_UNDER_OLD_SALT") THEN @ ELSE CountUp(@, redis.journal)]
  /\ redis' = [redis EXCEPT !.unread[i] = {}, !.unreadRemovals[i] = {}]
  /\ backup' = [backup EXCEPT !.unread[i] = {}]
  /\ UNCHANGED <<server, deposed, rows, left, now, lacking>>

(* Overwrites a part of the image, behind the fence of its token. chunk.lua  *)
Chunk(i) ==
  LET first == node[i].station = "replayed"
      p == IF first THEN 1 ELSE 2
      id == IF ~Made("CHUNK_NOT_FENCED") THEN node[i].image
            ELSE IF redis.building # None THEN redis.building ELSE redis.serving
      image == Image(redis, id)
  IN /\ Here(i) /\ node[i].station \in {"replayed", "half"}
     /\ image.state = "BUILDING" \/ (Made("CHUNK_NOT_FENCED") /\ Whole(image))
     /\ redis' = With(redis, id, [image EXCEPT !.content[p] = node[i].heap[p]])
     /\ node' = [node EXCEPT ![i].station = IF first THEN "half" ELSE "uploaded"]
     /\ UNCHANGED <<server, backup, deposed, rows, left, now, lacking>>

(* What the journal got since. replay.lua                                    *)
ReplayToImage(i) ==
  LET image == Image(redis, node[i].image)
      salt == IF Made("REPLAYED_UNDER_OLD_SALT") THEN redis.serving ELSE node[i].image
      added == WriteKeys(redis, node[i].image, redis.unread[i], salt)
      out == redis.unreadRemovals[i]
  IN /\ Runs(i) /\ Reached(i) /\ node[i].station = "uploaded" /\ image.state = "BUILDING"
     /\ redis' = IF out = {} THEN added
                 ELSE Change(added, node[i].image, [Image(added, node[i].image) EXCEPT
                        !.content = CountDown(@, CHOOSE k \in out : TRUE)])
     /\ node' = [node EXCEPT ![i].station = "complete"]
     /\ UNCHANGED <<server, backup, deposed, rows, left, now, lacking>>

EndBuild(n) ==
  [n EXCEPT !.station = "idle", !.image = None, !.registered = NoEpoch, !.heap = Empty]

(* publish.lua                                                               *)
PublishedHead(i) ==
  LET n == node[i]  goal == <<n.connection, redis.losses>>
      before == Image(redis, redis.serving)
      kept == /\ ~redis.incomplete \/ Made("INCOMPLETE_KEPT")
              /\ before.state = "READY" /\ before.beat = redis.beat
              /\ left.rollbacks > 0   \* where nobody rolls back it makes no difference
      retired == IF Made("NOT_RETIRED") THEN redis
                 ELSE Change(redis, redis.serving, [before EXCEPT !.state = "RETIRED"])
  IN [With(retired, n.image, [Image(redis, n.image) EXCEPT
        !.state = "READY", !.beat = redis.beat, !.epoch = goal]) EXCEPT
       !.previous = IF kept THEN redis.serving ELSE None,
       !.epoch = goal, !.serving = n.image, !.building = None, !.last = n.image, !.swaps = now + 1,
       !.dues = {}, !.old = FALSE, !.rebuild = FALSE, !.incomplete = FALSE, !.lock = None]

Publish(i) ==
  LET n == node[i]
      image == Image(redis, n.image)
      goal == <<n.connection, redis.losses>>
      head == PublishedHead(i)
      keys == Passing(image.content)
      promised == IF node[3 - i].away THEN Promised(i) \cap rows.visible ELSE Promised(i)
  IN /\ Here(i) /\ redis.present /\ image.state = "BUILDING"
     /\ n.station = "complete" \/ (Made("PUBLISHED_BEFORE_REPLAY") /\ n.station = "uploaded")
     /\ Made("TOKEN_NOT_CHECKED") \/ (redis.lock = i /\ redis.building = n.image)
     /\ IF Lost(i, redis, n)
        THEN Script(i, Condemn(X(i))) /\ UNCHANGED <<rows, lacking>>
        ELSE /\ redis.settled = goal \/ Made("PUBLISHED_UNSETTLED")
             /\ n.registered = goal \/ Made("BUILD_OUTLIVES_LOSS")
             /\ image.beat = redis.beat \/ Made("TOKEN_NOT_CHECKED")
             /\ Script(i, [X(i) EXCEPT
                  !.r = head, !.t = now + 1, !.n = [EndBuild(n) EXCEPT !.swaps = now + 1]])
             /\ rows' = [rows EXCEPT !.held = @ \cup (rows.visible \cap keys \cap Foreign)]
             \* what was read stays, removed meanwhile or not
             /\ lacking' = (promised \cup Passing(n.heap)) \ keys
     /\ UNCHANGED <<server, deposed, left>>

(* A build that cannot be published any more ends. abandon.lua, release.lua  *)
MustGiveUp(i) ==
  LET n == node[i] IN
  /\ Runs(i) /\ Builds(i)
  /\ \/ ~Here(i)
     \/ redis.building # n.image \/ redis.lock # i \/ ~Whole(Image(redis, n.image))
     \/ redis.losses # n.registered[2]
GiveUp(i) ==
  LET n == node[i]
      cleared == IF redis.serving = n.image THEN redis ELSE Without(redis, n.image)
  IN /\ MustGiveUp(i)
     /\ node' = [node EXCEPT ![i] = EndBuild(n)]
     /\ redis' = IF ~Here(i) THEN redis
                 ELSE [cleared EXCEPT !.unread[i] = {},
                        !.building = IF @ = n.image THEN None ELSE @,
                        !.lock = IF @ = i THEN None ELSE @]
     /\ UNCHANGED <<server, backup, deposed, rows, left, now, lacking>>

(* The right to build of one that is no more; or, early, of one that works on*)
LockEnds ==
  /\ redis.lock # None
  /\ \/ ~Builds(redis.lock) /\ UNCHANGED left
     \/ Builds(redis.lock) /\ Spend(left, "expiries")
  /\ redis' = [redis EXCEPT !.lock = None]
  /\ UNCHANGED <<server, backup, deposed, node, rows, now, lacking>>

(* generation.RedisRollback, rollback.lua                                    *)
Rollback(i) ==
  LET x == Notice(i, X(i))
      r == x.r
      serving == Image(r, r.serving)
      previous == Image(r, r.previous)
      back == Change(r, r.previous, [previous EXCEPT !.state = "READY", !.epoch = r.epoch])
      kept == serving.state = "READY"
  IN /\ Runs(i) /\ Reached(i) /\ left.rollbacks > 0 /\ redis.present /\ redis.previous # None
     /\ SameView(redis, node[i])
     /\ IF previous.state = "RETIRED" /\ previous.beat = r.beat
        THEN /\ Script(i, [x EXCEPT !.t = @ + 1, !.r = [
                  (IF kept THEN Change(back, r.serving, [serving EXCEPT !.state = "RETIRED"]) ELSE back)
                  EXCEPT !.serving = r.previous, !.previous = IF kept THEN r.serving ELSE None,
                    !.swaps = x.t + 1]])
             /\ left' = [left EXCEPT !.rollbacks = @ - 1]
        ELSE x # X(i) /\ Script(i, x) /\ UNCHANGED left
     /\ UNCHANGED <<server, deposed, rows, lacking>>

(* Entries past the retention; the rows of their keys are visible for long.  *)
Trim(key) ==
  LET open == rows.acknowledged \ rows.visible IN
  /\ Trims /\ key \in redis.journal
  /\ key \notin open \/ Happens("LONG_TRANSACTION")
  /\ \/ redis.building = None \/ Made("JOURNAL_TRIMMED_IN_BUILD")
     \/ Happens("SHORTER_RETENTION")
  /\ redis' = [redis EXCEPT !.journal = @ \ {key}, !.unread = [i \in Nodes |-> @[i] \ {key}]]
  /\ UNCHANGED <<server, backup, deposed, node, rows, left, now, lacking>>

-----------------------------------------------------------------------------
(* Removals, under the layout counting: partition.PartitionRemovals.         *)

(* Looks which generation serves before the row goes.                        *)
BeginRemoval(i, key) ==
  /\ Runs(i) /\ Spend(left, "removals") /\ node[i].removing = None /\ node[i].serving # None
  /\ key \in rows.visible
  /\ node' = [node EXCEPT ![i].removing = key, ![i].stamp = node[i].serving]
  /\ UNCHANGED <<redis, server, backup, deposed, rows, now, lacking>>

EndRemoval(n) == [n EXCEPT !.removing = None, !.stamp = None, !.gone = FALSE, !.sent = FALSE]

DeleteRow(i) ==
  LET key == node[i].removing
      again == left.reinserts > 0 /\ key \in Added
  IN /\ Runs(i) /\ key # None /\ ~node[i].gone
     /\ IF key \notin rows.visible
        THEN node' = [node EXCEPT ![i] = EndRemoval(@)] /\ UNCHANGED <<rows, left>>
        ELSE /\ node' = [node EXCEPT ![i].gone = TRUE]
             /\ rows' = [rows EXCEPT !.visible = @ \ {key}, !.acknowledged = @ \ {key},
                          !.writer[key] = IF again THEN None ELSE @]
             /\ left' = [left EXCEPT !.reinserts = IF again THEN @ - 1 ELSE @]
     /\ UNCHANGED <<redis, server, backup, deposed, now, lacking>>

(* Counts the key down in the serving image alone, and not in doubt.         *)
(* remove.lua                                                                *)
RemoveScript(i, key, x) ==
  LET r == x.r
      Down(s, id, state) ==
        LET image == Image(s, id) IN
        IF image.state = state /\ image.beat = s.beat
        THEN Change(s, id, [image EXCEPT !.content = CountDown(@, key)]) ELSE s
      r1 == Down(r, r.serving, "READY")
      r2 == IF Made("REMOVED_FROM_EVERY_IMAGE") THEN Down(r1, r.building, "BUILDING") ELSE r1
      r3 == IF Made("REMOVALS_REPLAYED")
            THEN [r2 EXCEPT !.unreadRemovals = [j \in Nodes |->
                   IF Builds(j) THEN @[j] \cup {key} ELSE @[j]]]
            ELSE r2
  IN IF r.epoch = NoEpoch THEN x
     ELSE [x EXCEPT !.r = r3,
            !.n.removed = IF Made("REMOVALS_REMEMBERED") THEN @ \cup {key} ELSE @]

(* Sent once, if the generation that served before still does; it may come as*)
(* late as it likes.                                                         *)
SendRemoval(i) ==
  LET n == node[i]
      early == Made("REMOVED_BEFORE_ROW") /\ ~n.sent
      applies == n.stamp = n.serving \/ Made("SWAP_NOT_COMPARED")
      x == IF applies THEN RemoveScript(i, n.removing, Notice(i, X(i))) ELSE X(i)
      ends == n.gone /\ (n.sent \/ ~Made("REMOVAL_REPEATED"))
  IN /\ Runs(i) /\ Reached(i) /\ n.removing # None /\ (n.gone \/ early) /\ SameView(redis, n)
     /\ Sends(i, [x EXCEPT !.n = IF ends THEN EndRemoval(@) ELSE [@ EXCEPT !.sent = TRUE]])

-----------------------------------------------------------------------------
(* Accidents.                                                                *)

Stop(i) ==
  /\ Runs(i) /\ Spend(left, "stops")
  /\ node' = [node EXCEPT ![i].stopped = TRUE, ![i].away = TRUE]
  /\ UNCHANGED <<redis, server, backup, deposed, rows, now, lacking>>

Wake(i) ==
  /\ node[i].stopped
  /\ Notes([node EXCEPT ![i].stopped = FALSE])

(* A row that was not committed yet never will be.                           *)
Crash(i) ==
  /\ Runs(i) /\ Spend(left, "crashes")
  /\ node' = [node EXCEPT ![i] = NoNode]
  /\ rows' = [rows EXCEPT
       !.acknowledged = @ \ {k \in Keys \ rows.visible : rows.writer[k] = i}]
  /\ UNCHANGED <<redis, server, backup, deposed, now, lacking>>

IsRestore(event) == event \in {
  "RESTORE", "RESTORE_KEYS", "RESTORE_HEAD", "RESTORE_IMAGE", "RESTORE_PREVIOUS", "RESTORE_JOURNAL" }
Exchanges(event) == event \in {"OTHER_FILTER", "OTHER_COPY"}
NeedsBackup(event) == IsRestore(event) \/ event \in {"AGE", "FAILOVER", "OTHER_COPY"}
Restores == \E e \in 1..Len(left.events) : IsRestore(left.events[e])

(* The head of one, everything else of the other.                            *)
HeadOf(head, r) ==
  [head EXCEPT !.journal = r.journal, !.journalEnd = r.journalEnd, !.lock = r.lock,
    !.images = r.images]

(* A dump that is put back is older than a second, in which every process is *)
(* in contact.                                                               *)
InContactSince ==
  \A i \in Nodes : Runs(i) /\ node[i].connection # None => node[i].beat > backup.beat

(* A filter of the same name and secret, whole and trusted, whose source is  *)
(* another: none of our keys is in it. Numbers of its own are higher.        *)
OtherFilter ==
  [NoPartition EXCEPT
    !.present = TRUE, !.lineage = now + 1, !.swaps = now + 1, !.serving = now + 2, !.last = now + 2,
    !.epoch = <<server, now + 3>>, !.settled = <<server, now + 3>>, !.noted = <<server, now + 3>>,
    !.losses = now + 3, !.home = server, !.beat = now + 4,
    !.images = [j \in {now + 2} |->
      [NoImage EXCEPT !.state = "READY", !.beat = now + 4, !.epoch = <<server, now + 3>>]]]

(* The backup, which other processes have trusted and maintained since.      *)
OtherCopy ==
  [With(backup, backup.serving, [Image(backup, backup.serving) EXCEPT
      !.beat = now + 4, !.epoch = OtherFilter.epoch, !.aged = FALSE])
   EXCEPT !.epoch = OtherFilter.epoch, !.settled = OtherFilter.epoch, !.noted = OtherFilter.epoch,
     !.losses = now + 3, !.home = server, !.beat = now + 4, !.writers = {}]

After(event) ==
  CASE event = "FAILOVER" -> backup
    [] event = "RESTORE" -> backup
    [] event = "RESTORE_KEYS" ->
         [backup EXCEPT !.images =
           [j \in DOMAIN backup.images \cup DOMAIN redis.images |->
             IF j \in DOMAIN backup.images THEN backup.images[j] ELSE redis.images[j]]]
    [] event = "RESTORE_HEAD" -> HeadOf(backup, redis)
    [] event = "RESTORE_IMAGE" -> With(redis, backup.serving, Image(backup, backup.serving))
    [] event = "RESTORE_PREVIOUS" -> With(redis, backup.previous, Image(backup, backup.previous))
    [] event = "RESTORE_JOURNAL" ->
         [redis EXCEPT !.journal = backup.journal, !.journalEnd = backup.journalEnd,
           !.unread = backup.unread]
    [] event = "DROP_HEAD" -> HeadOf(NoPartition, redis)
    [] event = "DROP_IMAGE" -> Without(redis, redis.serving)
    [] event = "DROP_JOURNAL" ->
         [redis EXCEPT !.journal = {}, !.journalEnd = None, !.unread = [i \in Nodes |-> {}]]
    [] event = "FLUSH" -> NoPartition
    [] event = "OTHER_FILTER" -> OtherFilter
    [] event = "OTHER_COPY" -> OtherCopy
    [] event = "CLEAR_BIT" ->
         Change(redis, redis.serving, [Image(redis, redis.serving) EXCEPT !.content = Empty])
    [] OTHER -> redis

CanHappen(event) ==
  /\ IsRestore(event) => InContactSince \/ Happens("FRESH_DUMP")
  /\ event = "RESTORE_KEYS" => \A i \in Nodes : Runs(i) => node[i].serving = redis.serving
  /\ event = "RESTORE_PREVIOUS" => backup.previous # None /\ redis.previous = backup.previous
  /\ Exchanges(event) =>
       \A i \in Nodes : Runs(i) => node[i].lineage # None \/ Happens("STARTED_AFTER_EXCHANGE")
  \* every process knows of a swap since
  /\ event = "OTHER_COPY" =>
       \A i \in Nodes : Runs(i) => node[i].swaps > backup.swaps \/ Happens("TWO_COPIES")
  /\ event = "MOVE_BACK" => \A i \in Nodes : node[i].alive => Reached(i) /\ node[i].beat # None

Event ==
  LET event == Head(left.events)
      later == Tail(left.events)
      aged == [backup EXCEPT !.aged = TRUE,
                !.images = [j \in DOMAIN @ |-> [@[j] EXCEPT !.aged = TRUE]]]
      kept == CASE event = "BACKUP" -> redis [] event = "AGE" -> aged [] OTHER -> backup
  IN /\ left.events # <<>> /\ CanHappen(event)
     /\ left' = [left EXCEPT !.events = later]
     /\ redis' = After(event)
     /\ backup' = IF \E e \in 1..Len(later) : NeedsBackup(later[e]) THEN kept ELSE NoPartition
     /\ server' = IF event \in {"FAILOVER", "MOVE"} THEN server + 1
                  ELSE IF event = "MOVE_BACK" THEN 1 ELSE server
     /\ deposed' = IF event = "FAILOVER" /\ Happens("SPLIT_BRAIN") THEN redis ELSE deposed
     /\ now' = IF Exchanges(event) THEN now + 4 ELSE now
     /\ node' = IF event # "AGE" THEN node
                ELSE [i \in Nodes |-> [node[i] EXCEPT
                       !.log = @ \ rows.visible, !.again = @ \ rows.visible]]
     /\ UNCHANGED <<rows, lacking>>

-----------------------------------------------------------------------------

Contact ==
  [NoNode EXCEPT !.alive = TRUE, !.knows = TRUE, !.connection = 1, !.lineage = 1, !.swaps = 1,
    !.serving = 1, !.epoch = <<1, 1>>, !.losses = 1, !.beat = 1, !.confirmed = <<1, 1>>,
    !.target = <<1, 1>>]

(* One generation serves, and both processes know it.                        *)
Init ==
  LET old == Keys \ (Added \cup Foreign)
      known == IF Newcomer THEN {1} ELSE Nodes
  IN /\ redis = [NoPartition EXCEPT
          !.present = TRUE, !.lineage = 1, !.swaps = 1, !.serving = 1, !.last = 1, !.losses = 1,
          !.epoch = <<1, 1>>, !.settled = <<1, 1>>, !.noted = <<1, 1>>, !.home = 1, !.beat = 1,
          !.images = [j \in {1} |->
            [NoImage EXCEPT !.state = "READY", !.content = CountUp(Empty, old), !.beat = 1,
              !.epoch = <<1, 1>>]],
          !.writers = known,
          !.reported = [i \in Nodes |-> IF i \in known THEN <<1, 1>> ELSE NoEpoch]]
     /\ server = 1 /\ backup = NoPartition /\ deposed = NoPartition
     /\ node = [i \in Nodes |->
          IF i \in known THEN Contact ELSE [NoNode EXCEPT !.alive = TRUE, !.guest = TRUE]]
     /\ rows = [visible |-> old, acknowledged |-> {}, held |-> old,
          writer |-> [k \in Keys |-> None]]
     /\ left = [events |-> Events, crashes |-> Crashes, stops |-> Stops, expiries |-> Expiries,
          rebuilds |-> Rebuilds, rollbacks |-> Rollbacks, refillFailures |-> RefillFailures,
          removals |-> Removals, reinserts |-> Reinserts]
     /\ now = 1 /\ lacking = {}

(* What live processes do to get decided answers.                            *)
Onward(i) ==
  \/ Connect(i) \/ ReadHead(i) \/ CreateHead(i) \/ SendAdd(i) \/ Remember(i)
  \/ Recall(i) \/ AddAgain(i) \/ Refill(i) \/ Settle(i)
  \/ (NeedsBuild /\ Register(i)) \/ Scan(i) \/ ReplayToHeap(i) \/ Chunk(i) \/ ReplayToImage(i)
  \/ Publish(i) \/ GiveUp(i)

Next ==
  \/ \E i \in Nodes :
       \/ Onward(i) \/ Maintain(i) \/ Lapse(i)
       \/ (~NeedsBuild /\ Register(i)) \/ Rollback(i) \/ ReadRecent(i) \/ RefillFails(i)
       \/ BeginAdd(i) \/ DeleteRow(i) \/ SendRemoval(i) \/ Stop(i) \/ Wake(i) \/ Crash(i)
       \/ \E key \in Keys : BeginRemoval(i, key)
  \/ \E key \in Keys : Commit(key) \/ InsertElsewhere(key) \/ Trim(key)
  \/ LockEnds \/ Event

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* The promises.                                                             *)

(* 1, removals included: nobody is told that a promised key is absent.       *)
NoWrongRejection ==
  \A i \in Nodes :
    Decided(i) => Promised(i) \subseteq Passing(Image(redis, node[i].serving).content)

(* 1, for who asks a master that was cut off: not covered.                   *)
NoWrongRejectionByDeposed ==
  \A i \in Nodes :
    (deposed.present /\ ~Reached(i) /\ DecidedBy(deposed, i)) =>
      Promised(i) \subseteq Passing(Image(deposed, node[i].serving).content)

(* 3: no generation is published without a promised key, nor without what its*)
(* builder has read.                                                         *)
RebuildLosesNothing == lacking = {}

(* 1 and 3: where a process gets no answer that counts, one of them can do   *)
(* something about it.                                                       *)
GoesOn(i) ==
  \/ ~Runs(i) /\ i \in redis.writers   \* its entry ends
  \/ /\ Runs(i)
     /\ \/ ~Reached(i) \/ MustRead(i) \/ MustCreate(i) \/ MustRecall(i)
        \/ CanAddAgain(i) \/ (RefillDue(i) /\ CanAdd(i))
        \/ (CanSettle(i) /\ SettleScript(i, X(i)) # X(i))
        \* its next call to maintain the partition
        \/ node[i].guest \/ Lost(i, redis, node[i]) \/ redis.beat < node[i].beat
        \/ MustGiveUp(i) \/ (NeedsBuild /\ redis.lock = None)
        \/ Builds(i) /\ (node[i].station # "complete" \/ redis.settled = Goal(node[i]))
NeverStuck ==
  \/ \A i \in Nodes : Runs(i) => Decided(i)
  \/ \E i \in Nodes : GoesOn(i)
  \/ redis.lock # None /\ ~Builds(redis.lock)   \* it ends

-----------------------------------------------------------------------------
(* Two states are the same if their numbers are in the same order, each kind *)
(* by itself, and images that nobody can reach are left out: TLC's VIEW.     *)

Named(r) == {r.serving, r.building, r.previous}
OfNode(n) == {n.serving, n.building, n.previous, n.image, n.stamp}
Known == Named(backup) \cup OfNode(node[1]) \cup OfNode(node[2])

(* Where nothing will be put back it makes no difference how far the beat of *)
(* a process lies below that of the image that it knows.                     *)
Levelled(n) ==
  IF Restores THEN n.beat
  ELSE IF n.connection # server THEN None
  ELSE IF /\ ~n.guest /\ n.beat \notin {None, redis.beat} /\ n.beat < redis.beat
          /\ n.serving = redis.serving /\ Image(redis, redis.serving).beat = redis.beat
       THEN redis.beat ELSE n.beat

Ranks(set) ==
  LET some == set \ {None}
  IN TLCEval([x \in some \cup {None} |-> Cardinality({y \in some : y <= x})])

View ==
  LET a == node[1]  b == node[2]
      mine == DOMAIN redis.images \cap (Named(redis) \cup Known)
      theirs == DOMAIN backup.images \cap Named(backup)
      beats == Ranks({redis.beat, backup.beat, Levelled(a), Levelled(b)}
        \cup {redis.images[j].beat : j \in mine} \cup {backup.images[j].beat : j \in theirs})
      OfHead(r) == {r.losses, r.epoch[2], r.settled[2], r.noted[2], r.reported[1][2], r.reported[2][2]}
      OfProcess(n) == {n.losses, n.target[2], n.confirmed[2], n.registered[2], n.epoch[2]}
      losses == Ranks(OfHead(redis) \cup OfHead(backup) \cup OfProcess(a) \cup OfProcess(b)
        \cup {redis.images[j].epoch[2] : j \in mine} \cup {backup.images[j].epoch[2] : j \in theirs})
      ids == Ranks(mine \cup Named(redis) \cup Known \cup {redis.last, backup.last})
      swaps == Ranks({redis.swaps, backup.swaps, a.swaps, b.swaps})
      entries == Ranks({redis.end, redis.journalEnd, backup.end, backup.journalEnd})
      lineages == Ranks({redis.lineage, backup.lineage, a.lineage, b.lineage} \cup redis.met \cup backup.met)
      E(e) == <<e[1], losses[e[2]]>>
      Lineage(l) == IF backup.present THEN lineages[l]
                    ELSE CASE l = None -> 0 [] l = redis.lineage -> 1 [] l \in redis.met -> 2 [] OTHER -> 3
      N(n) == [n EXCEPT
        !.beat = beats[Levelled(n)], !.target = E(@), !.confirmed = E(@), !.registered = E(@),
        !.epoch = E(@), !.losses = losses[@], !.serving = ids[@], !.building = ids[@],
        !.previous = ids[@], !.image = ids[@], !.stamp = ids[@], !.swaps = swaps[@],
        !.lineage = Lineage(@)]
      P(r, images) == [r EXCEPT
        !.beat = beats[@], !.epoch = E(@), !.settled = E(@), !.noted = E(@),
        !.losses = losses[@], !.serving = ids[@], !.building = ids[@],
        !.previous = ids[@], !.last = ids[@], !.end = entries[@],
        !.journalEnd = entries[@], !.reported = <<E(@[1]), E(@[2])>>,
        !.lineage = Lineage(@), !.swaps = swaps[@], !.met = IF backup.present THEN {lineages[l] : l \in @} ELSE {},
        !.images = {<<ids[j], @[j].state, @[j].content, beats[@[j].beat], E(@[j].epoch), @[j].aged>> :
                     j \in images}]
  IN <<P(redis, mine), server, IF backup.present THEN P(backup, theirs) ELSE None, deposed.present,
       N(a), N(b), a.lineage = b.lineage, rows, left, lacking>>

=============================================================================
