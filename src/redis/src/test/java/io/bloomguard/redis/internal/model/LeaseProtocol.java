package io.bloomguard.redis.internal.model;

import io.bloomguard.redis.internal.model.LeaseScenario.Terms;
import io.bloomguard.redis.internal.model.LeaseWorld.Age;
import io.bloomguard.redis.internal.model.LeaseWorld.Ask;
import io.bloomguard.redis.internal.model.LeaseWorld.Copy;
import io.bloomguard.redis.internal.model.LeaseWorld.LeasedPartition;
import io.bloomguard.redis.internal.model.LeaseWorld.Task;
import java.util.Locale;

/**
 * Everything that can happen next where copies hold leases. A message is sent by one step, executed
 * by another and answered by a third, wherever something can come between that matters; a process
 * that is stopped is one whose next step comes late.
 */
final class LeaseProtocol implements Model<LeaseWorld> {

  /** Kinds of steps. Those before {@link #EVENT} are what live processes do to continue. */
  enum Kind {
    TICK,
    CONNECT,
    CONNECT_COPY,
    HEARTBEAT,
    COPY_HEARTBEAT,
    SETTLE,
    BEGIN_LOAD,
    END_LOAD,
    SEND_POLL,
    POLL_EXECUTED,
    REGISTER,
    TAKE_PAGE,
    HEAR,
    REPORT,
    ANSWER,
    LOOK,
    WAIT_ENDS,
    STRIKE,
    RESUME,
    EVENT,
    EXECUTE,
    TICK_SLOW,
    TICK_FAST,
    SUSPEND,
    SET_BACK,
    GIVE_UP_POLL,
    STRAY_POLL_EXECUTED,
    TRIM,
    REDIS_CLOCK_JUMPS,
    READ_LEASE,
    READ_BITS,
    READ_CLOCKS,
    REPORT_UNAPPLIED,
    LOOK_EARLY
  }

  /** Whether a poll's copy follows what Redis has, and why not. */
  enum Verdict {
    FOLLOWS,
    DOUBT,
    MOVED,
    SWAPPED,
    TRIMMED
  }

  private static final Kind[] KINDS = Kind.values();

  private static final int WIDTH = Math.max(LeaseWorld.COPIES, LeaseWorld.TASKS);

  private final Terms terms;
  private final LeaseMistake mistake;
  private final int margin;

  /** The promised keys that a copy has just denied, whose bits it read after the promise. */
  private int denied;

  LeaseProtocol(LeaseScenario scenario, LeaseMistake mistake) {
    this.terms = scenario.terms();
    this.mistake = mistake;
    this.margin = mistake == LeaseMistake.NO_MARGIN ? 0 : terms.margin();
  }

  @Override
  public LeaseWorld blank() {
    return new LeaseWorld();
  }

  @Override
  public int steps() {
    return KINDS.length * WIDTH;
  }

  private static Kind kind(int step) {
    return KINDS[step / WIDTH];
  }

  @Override
  public boolean isOnward(int step) {
    return kind(step).compareTo(Kind.EVENT) < 0;
  }

  @Override
  public String describe(int step, LeaseWorld before) {
    Kind kind = kind(step);
    int i = step % WIDTH;
    String what = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return switch (kind) {
      case EVENT -> "redis: " + terms.events().get(terms.events().size() - before.events);
      case TICK, TICK_FAST, CONNECT, HEARTBEAT, SETTLE, TRIM, REDIS_CLOCK_JUMPS -> what;
      case EXECUTE, ANSWER, LOOK, WAIT_ENDS, STRIKE, LOOK_EARLY ->
          "writer, " + terms.tasks().get(i) + ": " + what;
      default -> "copy " + (char) ('A' + i) + ": " + what;
    };
  }

  @Override
  public String wrong(LeaseWorld world) {
    return denied == 0
        ? null
        : "key " + Integer.numberOfTrailingZeros(denied) + " is answered to be absent";
  }

  /** Whether all that was begun is acknowledged, and every copy holds a lease. */
  @Override
  public boolean ready(LeaseWorld world) {
    for (Task task : world.tasks) {
      if (task.state == Task.EXECUTED || task.state == Task.WAITING) {
        return false;
      }
    }
    for (int i = 0; i < terms.leases().size(); i++) {
      if (!holds(world, i, world.copies[i].lease)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean apply(int step, LeaseWorld world) {
    denied = 0;
    Kind kind = kind(step);
    int i = step % WIDTH;
    return switch (kind) {
      case TICK -> i == 0 && tick(world, -1, false);
      case TICK_FAST -> i == 0 && world.fast > 0 && tick(world, -1, true);
      case CONNECT -> i == 0 && connect(world);
      case HEARTBEAT -> i == 0 && world.connection == world.server && heartbeat(world);
      case SETTLE -> i == 0 && settle(world);
      case EVENT -> i == 0 && world.events > 0 && happen(world);
      case TRIM -> i == 0 && world.trims > 0 && trim(world);
      case REDIS_CLOCK_JUMPS -> i == 0 && world.jumps > 0 && jump(world);
      case EXECUTE, ANSWER, LOOK, WAIT_ENDS, STRIKE, LOOK_EARLY ->
          i < terms.tasks().size() && write(kind, world, i);
      default ->
          i < terms.leases().size()
              && (!world.copies[i].suspended || kind == Kind.RESUME || kind == Kind.SET_BACK)
              && copy(kind, world, i);
    };
  }

  private boolean write(Kind kind, LeaseWorld world, int i) {
    return switch (kind) {
      case EXECUTE -> execute(world, i);
      case ANSWER -> answer(world, i);
      case LOOK -> look(world, world.tasks[i], i);
      case WAIT_ENDS -> waitEnds(world, i);
      case STRIKE -> strike(world, i);
      default -> lookEarly(world, i);
    };
  }

  private boolean copy(Kind kind, LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    boolean reached = copy.connection == world.server;
    return switch (kind) {
      case CONNECT_COPY -> !reached && connectCopy(world, copy, i);
      case COPY_HEARTBEAT -> reached && heartbeat(world, copy);
      case BEGIN_LOAD -> reached && copy.image == Copy.NO_IMAGE && beginLoad(world.redis, copy);
      case END_LOAD -> reached && copy.image == Copy.LOADING && endLoad(world.redis, copy);
      case SEND_POLL -> reached && sendPoll(copy);
      case POLL_EXECUTED -> reached && copy.poll == Copy.SENT && pollExecuted(world, i);
      case REGISTER -> reached && copy.poll == Copy.READ && register(world, i);
      case TAKE_PAGE -> copy.poll == Copy.ANSWERED && takePage(world, i);
      case HEAR -> copy.news != 0 && copy.poll == 0 && hear(copy);
      case REPORT -> reached && copy.heard && copy.poll == 0 && report(world, i);
      case TICK_SLOW -> world.slow > 0 && tick(world, i, false);
      case SUSPEND -> world.suspensions > 0 && suspend(world, copy);
      case RESUME -> resume(copy);
      case SET_BACK -> world.setBacks > 0 && setBack(world, i);
      case GIVE_UP_POLL -> world.timeouts > 0 && giveUpPoll(world, copy);
      case STRAY_POLL_EXECUTED -> reached && copy.stray && strayPollExecuted(world, i);
      case READ_LEASE -> world.ask.state == 0 && readLease(world, i);
      case READ_BITS -> readBits(world, i);
      case READ_CLOCKS -> readClocks(world, i);
      default -> reached && reportUnapplied(world.redis, copy, i);
    };
  }

  // Time.

  private boolean tick(LeaseWorld world, int slow, boolean fast) {
    for (int i = 0; i < terms.leases().size(); i++) {
      Copy copy = world.copies[i];
      if (i == slow) {
        continue;
      }
      age(copy.lease, copy.shown, copy, i);
      age(copy.sent, copy.poll != 0, copy, i);
      age(world.ask.lease, world.ask.state != 0 && world.ask.copy == i, copy, i);
    }
    endHopelessAsk(world);
    world.slow -= slow >= 0 ? 1 : 0;
    world.fast -= fast ? 1 : 0;
    int passed = fast ? 2 : 1;
    world.known = Math.min(LeaseWorld.MOST, world.known + passed);
    for (Task task : world.tasks) {
      if (task.state == Task.WAITING) {
        task.waited = Math.min(task.most, task.waited + passed);
      }
    }
    if (!world.redis.trusted) {
      world.redis.doubted = Math.min(LeaseWorld.MOST, world.redis.doubted + 1);
    }
    return true;
  }

  private void age(Age age, boolean matters, Copy copy, int i) {
    if (matters) {
      age.monotonic = Math.min(length(i), age.monotonic + (copy.suspended ? 0 : 1));
      age.wall = Math.min(length(i), age.wall + 1);
    }
  }

  private static boolean suspend(LeaseWorld world, Copy copy) {
    world.suspensions--;
    copy.suspended = true;
    return true;
  }

  private static boolean resume(Copy copy) {
    boolean suspended = copy.suspended;
    copy.suspended = false;
    return suspended;
  }

  private static boolean setBack(LeaseWorld world, int i) {
    world.setBacks--;
    world.copies[i].lease.wall--;
    world.copies[i].sent.wall--;
    if (world.ask.copy == i) {
      world.ask.lease.wall--;
    }
    return true;
  }

  /** A lease and its margin are no longer than the fixed most. */
  private int length(int copy) {
    int more = mistake == LeaseMistake.LEASE_OF_MOST_WITHOUT_MARGIN ? margin : 0;
    return terms.leases().get(copy) + more;
  }

  private boolean holds(LeaseWorld world, int i, Age lease) {
    int length = length(i) - margin;
    boolean monotonic = lease.monotonic < length;
    boolean wall = lease.wall >= 0 && lease.wall < length;
    return world.copies[i].shown
        && (monotonic || mistake == LeaseMistake.MONOTONIC_CLOCK_NOT_ASKED)
        && (wall || mistake == LeaseMistake.WALL_CLOCK_NOT_ASKED);
  }

  // A check by a copy: the lease, the bits, the clocks, and whether the bits were given up.

  private boolean readLease(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    if (mistake == LeaseMistake.LEASE_AFTER_BITS || !holds(world, i, copy.lease)) {
      return false;
    }
    world.ask.state = Ask.LEASE_READ;
    world.ask.copy = i;
    world.ask.lease.set(copy.lease);
    return true;
  }

  private boolean readBits(LeaseWorld world, int i) {
    Ask ask = world.ask;
    Copy copy = world.copies[i];
    boolean begun = ask.state == Ask.LEASE_READ && ask.copy == i;
    boolean first = mistake == LeaseMistake.LEASE_AFTER_BITS && ask.state == 0 && copy.shown;
    int lacking = world.promised & ~(ask.givenUp ? ask.bits : copy.bits);
    if ((!begun && !first) || lacking == 0) {
      return false;
    }
    ask.state = Ask.BITS_READ;
    ask.copy = i;
    ask.bits = lacking;
    if (mistake == LeaseMistake.CLOCKS_BEFORE_BITS) {
      denied = lacking;
    }
    return true;
  }

  private boolean readClocks(LeaseWorld world, int i) {
    Ask ask = world.ask;
    if (ask.state != Ask.BITS_READ || ask.copy != i) {
      return false;
    }
    boolean later = mistake == LeaseMistake.LEASE_AFTER_BITS;
    if ((ask.givenUp || world.copies[i].shown)
        && holdsOnce(world, i, later ? world.copies[i].lease : ask.lease)) {
      denied = ask.bits;
    }
    ask.end();
    return true;
  }

  private boolean holdsOnce(LeaseWorld world, int i, Age lease) {
    boolean shown = world.copies[i].shown;
    world.copies[i].shown = true;
    boolean holds = holds(world, i, lease);
    world.copies[i].shown = shown;
    return holds;
  }

  /** Ends a check that can no longer be answered by the copy. */
  private void endHopelessAsk(LeaseWorld world) {
    Ask ask = world.ask;
    if (ask.state != 0
        && mistake != LeaseMistake.CLOCKS_BEFORE_BITS
        && mistake != LeaseMistake.LEASE_AFTER_BITS
        && world.setBacks == 0
        && !holdsOnce(world, ask.copy, ask.lease)) {
      ask.end();
    }
  }

  /** Hides bits from every check, those under way too. */
  private void hide(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    if (world.ask.state != 0 && world.ask.copy == i && copy.shown) {
      if (mistake != LeaseMistake.GIVEN_UP_NOT_SEEN) {
        world.ask.end();
      } else if (!world.ask.givenUp) {
        world.ask.givenUp = true;
        world.ask.bits = world.ask.state == Ask.BITS_READ ? world.ask.bits : copy.bits;
      }
    }
    copy.hide();
  }

  // A copy: it loads an image, then polls.

  private boolean connectCopy(LeaseWorld world, Copy copy, int i) {
    copy.connection = world.server;
    copy.endPoll();
    copy.stray = false;
    copy.overtaken = false;
    if (mistake != LeaseMistake.LEASE_KEPT_OVER_RECONNECT) {
      hide(world, i);
      copy.forgetImage();
    }
    return true;
  }

  private static boolean heartbeat(LeaseWorld world, Copy copy) {
    boolean noticed = notice(world, copy.knows);
    boolean learned = copy.knows < world.redis.losses;
    copy.knows = world.redis.losses;
    return noticed || learned;
  }

  private static boolean beginLoad(LeasedPartition redis, Copy copy) {
    if (!redis.trusted
        || redis.home != copy.connection
        || redis.losses < copy.knows
        || redis.closing != 0) {
      return false;
    }
    copy.image = Copy.LOADING;
    copy.knows = redis.losses;
    copy.scheme = redis.scheme;
    copy.generation = redis.generation;
    copy.epoch = redis.losses;
    copy.position = redis.end;
    return true;
  }

  private static boolean endLoad(LeasedPartition redis, Copy copy) {
    copy.image = Copy.LOADED;
    copy.keys = redis.images[copy.generation];
    return true;
  }

  private static boolean sendPoll(Copy copy) {
    if (copy.image != Copy.LOADED || copy.poll != 0) {
      return false;
    }
    copy.poll = Copy.SENT;
    copy.heard = false;
    copy.reportsNone = copy.behind;
    return true;
  }

  private boolean pollExecuted(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    LeasedPartition redis = world.redis;
    copy.overtaken = copy.stray;
    copy.verdict = verdict(world, copy).ordinal();
    copy.poll = Copy.ANSWERED;
    if (copy.verdict != Verdict.FOLLOWS.ordinal()) {
      return true;
    }
    copy.pageEnd = Math.max(copy.position, Math.min(redis.end, copy.position + terms.page()));
    copy.complete = copy.pageEnd >= redis.end;
    for (int entry = copy.position; entry < copy.pageEnd; entry++) {
      copy.page |= 1 << (redis.journal[entry] - 1);
    }
    if (mistake == LeaseMistake.REGISTERED_AFTER_PAGE) {
      copy.poll = Copy.READ;
      return true;
    }
    return register(world, i);
  }

  /** The part of a poll that changes the register: one script with the reading of its page. */
  private static boolean register(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    copy.poll = Copy.ANSWERED;
    if (copy.reportsNone) {
      world.redis.unregister(i);
    } else {
      world.redis.register(i, copy.generation, copy.position);
    }
    return true;
  }

  private Verdict verdict(LeaseWorld world, Copy copy) {
    LeasedPartition redis = world.redis;
    notice(world, copy.knows);
    boolean anyEpoch = mistake == LeaseMistake.LEASE_KEPT_OVER_RECONNECT;
    if (!redis.trusted || (redis.losses != copy.epoch && !anyEpoch)) {
      return Verdict.DOUBT;
    }
    if (redis.scheme != copy.scheme || redis.closing != 0) {
      return Verdict.MOVED;
    }
    if (redis.generation != copy.generation) {
      return Verdict.SWAPPED;
    }
    return copy.position < redis.first ? Verdict.TRIMMED : Verdict.FOLLOWS;
  }

  /** Applies a page. All that the copy holds is given up where it follows something else. */
  private boolean takePage(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    if (copy.verdict == Verdict.FOLLOWS.ordinal()) {
      follow(world, i);
    } else if (mistake != LeaseMistake.LEASE_KEPT_OVER_RECONNECT) {
      if (!keeps(Verdict.values()[copy.verdict])) {
        hide(world, i);
      }
      copy.forgetImage();
    }
    copy.endPoll();
    return true;
  }

  private boolean keeps(Verdict verdict) {
    return (mistake == LeaseMistake.LEASE_KEPT_OVER_SWAP && verdict == Verdict.SWAPPED)
        || (mistake == LeaseMistake.LEASE_KEPT_OVER_RELOAD && verdict == Verdict.TRIMMED);
  }

  private void follow(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    copy.keys |= copy.page;
    copy.position = copy.pageEnd;
    copy.behind = !copy.complete;
    if (copy.own) {
      copy.bits = copy.keys;
    }
    boolean whole = copy.complete || mistake == LeaseMistake.INCOMPLETE_PAGE_RENEWS;
    boolean known = !copy.reportsNone || mistake == LeaseMistake.LEASE_WITHOUT_REGISTRATION;
    if (whole && known) {
      show(copy);
    } else if (!whole && mistake != LeaseMistake.NONE_REPORTED_UNDER_LEASE) {
      // The next poll takes the copy off the register: no lease may be left by then.
      hide(world, i);
    }
  }

  /** Takes an entry that a message tells of for a page, if it continues the copy's position. */
  private boolean hear(Copy copy) {
    boolean gap = copy.position != copy.newsEnd - 1;
    boolean other = copy.epoch != copy.newsEpoch || copy.scheme != copy.newsScheme;
    if (copy.image == Copy.LOADED
        && (!gap || (copy.position < copy.newsEnd && mistake == LeaseMistake.NEWS_AFTER_GAP))
        && (!other || mistake == LeaseMistake.NEWS_OF_ANOTHER_SCHEME)) {
      copy.keys |= copy.news;
      copy.position = copy.newsEnd;
      copy.heard = copy.own;
      if (copy.own) {
        copy.bits = copy.keys;
      }
    }
    copy.endNews();
    return true;
  }

  /** Moves a registered position forward, without a lease. */
  private boolean report(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    LeasedPartition redis = world.redis;
    copy.heard = false;
    if (redis.has(i)
        && redis.registeredGeneration[i] == copy.generation
        && redis.generation == copy.generation
        && redis.home == copy.connection
        && redis.trusted
        && redis.losses == copy.epoch
        && redis.losses >= copy.knows
        && redis.closing == 0) {
      redis.register(i, copy.generation, copy.position);
      if (mistake == LeaseMistake.REPORT_RENEWS) {
        copy.lease.begin();
      }
    }
    return true;
  }

  /** Tells the copies of the last entry. A message may be lost, or come late. */
  private static void publish(LeaseWorld world) {
    LeasedPartition redis = world.redis;
    if (world.messages == 0 || !redis.trusted) {
      return;
    }
    world.messages--;
    for (Copy copy : world.copies) {
      copy.news = 1 << (redis.journal[redis.end - 1] - 1);
      copy.newsEnd = redis.end;
      copy.newsEpoch = redis.losses;
      copy.newsScheme = redis.scheme;
    }
  }

  private void show(Copy copy) {
    copy.shown = true;
    copy.own = true;
    copy.bits = copy.keys;
    copy.lease.set(copy.sent);
    if (mistake == LeaseMistake.LEASE_FROM_ANSWER) {
      copy.lease.begin();
    }
  }

  private boolean reportUnapplied(LeasedPartition redis, Copy copy, int i) {
    if (mistake != LeaseMistake.REPORTED_BEFORE_APPLIED
        || copy.poll != Copy.ANSWERED
        || copy.verdict != Verdict.FOLLOWS.ordinal()) {
      return false;
    }
    redis.register(i, copy.generation, copy.pageEnd);
    return true;
  }

  /**
   * Waits no longer for the answer of a poll that Redis may still get, on a connection given up.
   * What such a poll says of a position does no harm; that it reports none may.
   */
  private static boolean giveUpPoll(LeaseWorld world, Copy copy) {
    if (copy.poll != Copy.SENT || !copy.reportsNone) {
      return false;
    }
    world.timeouts--;
    copy.endPoll();
    copy.stray = true;
    return true;
  }

  private boolean strayPollExecuted(LeaseWorld world, int i) {
    Copy copy = world.copies[i];
    if (!copy.overtaken || mistake == LeaseMistake.OVERTAKEN_POLL_COUNTS) {
      world.redis.unregister(i);
    }
    copy.stray = false;
    copy.overtaken = false;
    return true;
  }

  // The writing process: adds, swaps and moves, which wait alike.

  private static boolean connect(LeaseWorld world) {
    if (world.connection == world.server) {
      return false;
    }
    world.connection = world.server;
    world.known = 0;
    return true;
  }

  private boolean heartbeat(LeaseWorld world) {
    boolean noticed = notice(world, world.knows);
    return learn(world, world.redis.losses) || noticed;
  }

  /** Notes losses that are new to the process: it knows them from here on. */
  private boolean learn(LeaseWorld world, int losses) {
    if (world.knows >= losses) {
      return false;
    }
    world.knows = losses;
    world.known = mistake == LeaseMistake.NO_WAIT_AFTER_DOUBT ? world.known : 0;
    return true;
  }

  private boolean execute(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    LeaseScenario.Task what = terms.tasks().get(i);
    LeasedPartition redis = world.redis;
    if (task.state != Task.IDLE || world.connection != world.server || !comesNext(world, i)) {
      return false;
    }
    notice(world, world.knows);
    boolean swaps = what == LeaseScenario.Task.SWAP;
    boolean moves = what == LeaseScenario.Task.MOVE;
    if ((swaps || moves) && !redis.trusted) {
      return false;
    }
    if (swaps) {
      world.promised &= ~(1 << redis.generation);
      redis.generation = 3 - redis.generation;
    } else if (moves) {
      redis.closing = redis.closing == 0 ? i + 1 : redis.closing;
      task.closing = redis.closing;
    } else if (!addedBefore(world, i)) {
      add(redis, what.ordinal());
      publish(world);
    }
    task.state = Task.EXECUTED;
    task.losses = redis.losses;
    task.scheme = redis.scheme;
    task.generation = redis.generation;
    task.need = redis.end;
    task.full = !redis.trusted;
    wait(world, i);
    return true;
  }

  /** A swap back comes after the swap. */
  private boolean comesNext(LeaseWorld world, int i) {
    return i == 0
        || terms.tasks().get(i) != LeaseScenario.Task.SWAP
        || world.tasks[i - 1].state == Task.DONE;
  }

  /** Whether another of the process has added the key just before, under the same losses. */
  private boolean addedBefore(LeaseWorld world, int i) {
    for (int j = 0; j < i; j++) {
      if (terms.tasks().get(j) == terms.tasks().get(i)
          && world.tasks[j].state != Task.IDLE
          && world.redis.trusted) {
        return true;
      }
    }
    return false;
  }

  private boolean adds(int i) {
    LeaseScenario.Task what = terms.tasks().get(i);
    return what != LeaseScenario.Task.SWAP && what != LeaseScenario.Task.MOVE;
  }

  private static void add(LeasedPartition redis, int key) {
    redis.images[1] |= 1 << key;
    redis.images[2] |= 1 << key;
    redis.append(key);
  }

  /** Which copies the script says to be behind, and for how long they may deny at most. */
  private void wait(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    LeasedPartition redis = world.redis;
    int longest = 0;
    // Its own copy is told of an add, and waited for like others by a swap.
    boolean told =
        terms.ofWriter() && (adds(i) || mistake == LeaseMistake.SWAP_DOES_NOT_WAIT_FOR_OWN_COPY);
    for (int c = told ? 1 : 0; c < terms.leases().size(); c++) {
      if (redis.has(c) && !reports(redis, c, task)) {
        task.listed |= 1 << c;
        longest = Math.max(longest, length(c));
        redis.seen[c] |= 1 << i;
      }
    }
    if (mistake == LeaseMistake.OWN_LENGTH_WAITED) {
      longest = length(0);
    }
    task.most = Math.min(longest + margin, LeaseWorld.MOST);
    if (mistake == LeaseMistake.ADD_WITHOUT_ENTRY_DOES_NOT_WAIT && addedBefore(world, i)) {
      task.listed = 0;
    }
    if (mistake == LeaseMistake.SWAP_DOES_NOT_WAIT
        && terms.tasks().get(i) == LeaseScenario.Task.SWAP) {
      task.listed = 0;
    }
    if (task.early) {
      task.listed &= ~task.unseen;
    }
    task.early = false;
    task.unseen = 0;
  }

  private static boolean reports(LeasedPartition redis, int copy, Task task) {
    return redis.registeredGeneration[copy] == task.generation
        && redis.position[copy] >= task.need
        && redis.closing == 0;
  }

  /** From here on the process waits; in full if it has known server and losses for too short. */
  private boolean answer(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    if (task.state != Task.EXECUTED) {
      return false;
    }
    learn(world, task.losses);
    boolean doubt = task.full && mistake != LeaseMistake.NO_WAIT_IN_DOUBT;
    boolean met = world.known < LeaseWorld.MOST;
    if (mistake == LeaseMistake.NO_WAIT_AT_NEW_SERVER || mistake == LeaseMistake.NO_WAIT_IN_DOUBT) {
      met = false;
    }
    task.full = doubt || met;
    task.most = task.full ? LeaseWorld.MOST : task.most;
    if (terms.ofWriter() && adds(i) && mistake != LeaseMistake.OWN_COPY_NOT_TOLD) {
      tell(world.copies[0], terms.tasks().get(i).ordinal());
    }
    task.state = Task.WAITING;
    if (!task.full && task.listed == 0) {
      end(world, i);
    }
    return true;
  }

  /** The process' own copy has the key in the bits shown and in those being loaded. */
  private static void tell(Copy own, int key) {
    own.bits |= own.shown ? 1 << key : 0;
    own.keys |= own.image == Copy.LOADED ? 1 << key : 0;
  }

  /** Looks at the register for those that are waited for. A look follows the script's answer. */
  private boolean look(LeaseWorld world, Task task, int i) {
    LeasedPartition redis = world.redis;
    if (task.state != Task.WAITING || task.full || world.connection != world.server) {
      return false;
    }
    boolean same =
        redis.home == world.server
            && redis.trusted
            && redis.losses == task.losses
            && redis.scheme == task.scheme;
    int before = task.listed;
    for (int c = 0; c < terms.leases().size(); c++) {
      boolean missing =
          !redis.has(c) && (same || mistake == LeaseMistake.ABSENCE_ELSEWHERE_BELIEVED);
      boolean reported = redis.has(c) && same && reports(redis, c, task);
      if (missing || reported) {
        task.listed &= ~(1 << c);
      }
    }
    if (task.listed == 0) {
      end(world, i);
    }
    return task.listed != before || task.state == Task.DONE;
  }

  private boolean waitEnds(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    boolean moves = terms.tasks().get(i) == LeaseScenario.Task.MOVE;
    boolean early = moves && mistake == LeaseMistake.LEASE_KEPT_OVER_MOVE;
    if (task.state != Task.WAITING || (task.waited < task.most && !early)) {
      return false;
    }
    int late = task.full ? 0 : task.listed;
    end(world, i);
    task.listed = moves ? 0 : late;
    return true;
  }

  /** Acknowledges an add, reports a swap, or moves the scheme. */
  private void end(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    LeasedPartition redis = world.redis;
    int losses = task.losses;
    int closing = task.closing;
    LeaseScenario.Task what = terms.tasks().get(i);
    switch (what) {
      case SWAP -> world.promised |= redis.generation == task.generation ? 1 << task.generation : 0;
      case MOVE -> {
        if (isClosed(redis, closing) && redis.trusted && redis.losses == losses) {
          redis.scheme++;
          redis.closing = 0;
          redis.loseRegister();
          redis.endJournal();
        }
      }
      default -> world.promised |= 1 << what.ordinal();
    }
    task.each(new Copying(new byte[64]).reading());
    task.state = Task.DONE;
    task.losses = losses;
  }

  private boolean isClosed(LeasedPartition redis, int closing) {
    boolean any = mistake == LeaseMistake.ANY_CLOSING_COUNTS && redis.closing != 0;
    return any || (closing != 0 && redis.closing == closing);
  }

  /** Strikes the copies that let the wait pass, unless they have polled since its script. */
  private boolean strike(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    LeasedPartition redis = world.redis;
    if (task.state != Task.DONE || task.listed == 0 || world.connection != world.server) {
      return false;
    }
    for (int c = 0; c < terms.leases().size(); c++) {
      boolean late = (task.listed & 1 << c) != 0;
      boolean since = (redis.seen[c] & 1 << i) == 0;
      if (late && (!since || mistake == LeaseMistake.STRUCK_WHILE_POLLING)) {
        redis.unregister(c);
      }
    }
    task.listed = 0;
    return true;
  }

  /** By mistake: a look that is from before the add's script. */
  private boolean lookEarly(LeaseWorld world, int i) {
    Task task = world.tasks[i];
    if (mistake != LeaseMistake.LOOK_BEFORE_ADD || task.state != Task.IDLE || task.early) {
      return false;
    }
    task.early = true;
    task.unseen = ~world.redis.registered & (1 << LeaseWorld.COPIES) - 1;
    return true;
  }

  // Redis.

  /** Begins every script that changes the partition: it may find a loss of writes. */
  private static boolean notice(LeaseWorld world, int knows) {
    LeasedPartition redis = world.redis;
    if (redis.home == world.server && redis.losses >= knows) {
      return false;
    }
    redis.losses = world.nextLosses();
    redis.home = world.server;
    redis.trusted = false;
    redis.doubted = 0;
    redis.closing = 0;
    redis.loseRegister();
    return true;
  }

  /** Ends a doubt once its time is over and every process has added its own again. */
  private boolean settle(LeaseWorld world) {
    LeasedPartition redis = world.redis;
    if (redis.trusted
        || redis.home != world.server
        || redis.doubted < LeaseWorld.MOST
        || (world.knows != redis.losses && world.knows != 0)) {
      return false;
    }
    for (int i = 0; i < terms.tasks().size(); i++) {
      LeaseScenario.Task what = terms.tasks().get(i);
      boolean lost = (redis.images[redis.generation] & 1 << what.ordinal()) == 0;
      if (adds(i) && lost && world.tasks[i].state != Task.IDLE) {
        add(redis, what.ordinal());
      }
    }
    redis.trusted = true;
    redis.doubted = 0;
    return true;
  }

  private boolean trim(LeaseWorld world) {
    if (world.redis.first == world.redis.end) {
      return false;
    }
    world.trims--;
    world.redis.first = world.redis.end;
    return true;
  }

  private static boolean jump(LeaseWorld world) {
    if (world.redis.trusted || world.redis.doubted == LeaseWorld.MOST) {
      return false;
    }
    world.jumps--;
    world.redis.doubted = LeaseWorld.MOST;
    return true;
  }

  private boolean happen(LeaseWorld world) {
    switch (terms.events().get(terms.events().size() - world.events)) {
      case BACKUP -> world.other = world.redis.copy();
      case FAILOVER -> takeOver(world);
      case FAILBACK -> {
        // It takes longer than a second: whatever runs is in contact in between.
        boolean writes = world.connection == 0 || inContact(world, world.connection, world.knows);
        Copy copy = world.copies[0];
        if (!writes || !inContact(world, copy.connection, copy.knows)) {
          return false;
        }
        takeOver(world);
      }
      case REOPENED -> {
        if (world.redis.closing == 0) {
          return false;
        }
        world.redis.closing = 0;
      }
      case DROP_REGISTER -> {
        world.redis.loseRegister();
        // The head tells how many copies it has, so the next script finds the loss.
        world.redis.home = mistake == LeaseMistake.REGISTER_LOST_ALONE ? world.server : 0;
      }
    }
    world.events--;
    return true;
  }

  private static boolean inContact(LeaseWorld world, int connection, int knows) {
    return connection == world.server
        && world.redis.home == world.server
        && knows == world.redis.losses;
  }

  private static void takeOver(LeaseWorld world) {
    LeasedPartition before = world.redis;
    world.redis = world.other;
    world.other = world.events > 1 ? before : new LeasedPartition();
    world.server = 3 - world.server;
  }
}
