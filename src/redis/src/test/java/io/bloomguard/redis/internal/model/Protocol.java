package io.bloomguard.redis.internal.model;

/** Everything that can happen next in a state of the model. */
final class Protocol implements Model<World> {

  /** Kinds of steps. Those before {@link #EVENT} are what live processes do to go on. */
  enum Kind {
    CONNECT,
    READ_HEAD,
    CREATE_HEAD,
    SEND_ADD,
    REMEMBER,
    MAINTAIN,
    RECALL,
    ADD_AGAIN,
    REFILL,
    SETTLE,
    REGISTER,
    SCAN,
    REPLAY_TO_HEAP,
    CHUNK,
    REPLAY_TO_IMAGE,
    PUBLISH,
    GIVE_UP,
    LOCK_ENDS,
    LAPSE,
    EVENT,
    REGISTER_UNASKED,
    LOCK_ENDS_EARLY,
    CRASH,
    BEGIN_ADD,
    COMMIT,
    INSERT_ELSEWHERE,
    TRIM,
    STOP,
    WAKE,
    READ_RECENT,
    REFILL_FAILS,
    ROLLBACK,
    BEGIN_REMOVAL,
    DELETE_ROW,
    SEND_REMOVAL
  }

  private static final Kind[] KINDS = Kind.values();

  private final Scenario scenario;
  private final Mistake mistake;
  private final Scripts scripts;
  private final Positions positions;

  /** The keys that a generation lacked when it was published. */
  private int lost;

  Protocol(Scenario scenario, Mistake mistake) {
    this.scenario = scenario;
    this.mistake = mistake;
    this.positions = scenario.positions();
    this.scripts = new Scripts(mistake, positions);
  }

  @Override
  public World blank() {
    return new World();
  }

  @Override
  public int steps() {
    return KINDS.length * World.NODES * World.KEYS;
  }

  static Kind kind(int step) {
    return KINDS[step / (World.NODES * World.KEYS)];
  }

  @Override
  public boolean isOnward(int step) {
    return kind(step).compareTo(Kind.EVENT) < 0;
  }

  private static int node(int step) {
    return step / World.KEYS % World.NODES;
  }

  private static int key(int step) {
    return step % World.KEYS;
  }

  @Override
  public String describe(int step, World before) {
    Kind kind = kind(step);
    String who = "node " + (char) ('A' + node(step)) + ": ";
    String what = kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    return switch (kind) {
      case EVENT -> "redis: " + scenario.events().get(scenario.events().size() - before.events);
      case LOCK_ENDS, LOCK_ENDS_EARLY -> "redis: " + what;
      case COMMIT, INSERT_ELSEWHERE, TRIM -> "key " + key(step) + ": " + what;
      case BEGIN_ADD, BEGIN_REMOVAL -> who + what + " of key " + key(step);
      default -> who + what;
    };
  }

  @Override
  public boolean apply(int step, World world) {
    lost = 0;
    int i = node(step);
    int key = key(step);
    return switch (kind(step)) {
      case EVENT -> i == 0 && key == 0 && happen(world);
      case LOCK_ENDS -> i == 0 && key == 0 && lockEnds(world, false);
      case LOCK_ENDS_EARLY -> i == 0 && key == 0 && lockEnds(world, true);
      case COMMIT -> i == 0 && commit(world, key);
      case INSERT_ELSEWHERE -> i == 0 && insertElsewhere(world, key);
      case TRIM -> i == 0 && trim(world, key);
      case LAPSE -> key == 0 && lapse(world, i);
      case WAKE -> key == 0 && wake(world.nodes[i]);
      case BEGIN_ADD -> runs(world, i) && beginAdd(world, i, key);
      case BEGIN_REMOVAL -> runs(world, i) && beginRemoval(world, i, key);
      default -> key == 0 && runs(world, i) && act(kind(step), world, i);
    };
  }

  @Override
  public String wrong(World world) {
    if (lost != 0) {
      return "the published generation lacks key " + Integer.numberOfTrailingZeros(lost);
    }
    for (int i = 0; i < World.NODES; i++) {
      if (decided(world, i)) {
        int content = world.redis.image(world.nodes[i].serving).content;
        int denied = promised(world, i) & ~positions.keys(content);
        if (denied != 0) {
          return "node "
              + (char) ('A' + i)
              + " answers that key "
              + Integer.numberOfTrailingZeros(denied)
              + " is absent";
        }
      }
    }
    return null;
  }

  /** Whether all live processes get decided answers. */
  @Override
  public boolean ready(World world) {
    for (int i = 0; i < World.NODES; i++) {
      if (runs(world, i) && !decided(world, i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The keys that a node must not deny: of acknowledged adds, and of rows once they were scanned.
   * While a process stands still, and until it has added again, what it has not committed counts
   * for itself alone.
   */
  private int promised(World world, int i) {
    int open = 0;
    for (int key = 0; key < World.KEYS; key++) {
      int writer = world.writer[key] - 1;
      if (writer >= 0 && writer != i && world.nodes[writer].away) {
        open |= 1 << key;
      }
    }
    int rows = world.visible & (~scenario.foreign() | world.held);
    return rows | (world.acknowledged & ~open);
  }

  private static boolean runs(World world, int i) {
    return world.nodes[i].alive && !world.nodes[i].stopped;
  }

  private static boolean stop(World world, Node node) {
    world.stops--;
    node.stopped = true;
    node.away = true;
    return true;
  }

  private static boolean wake(Node node) {
    boolean stopped = node.stopped;
    node.stopped = false;
    return stopped;
  }

  private boolean decided(World world, int i) {
    Node node = world.nodes[i];
    Image image = world.redis.image(node.serving);
    if (!runs(world, i)
        || node.connection != world.server
        || image == null
        || image.state != Image.READY) {
      return false;
    }
    if (node.guest && mistake != Mistake.NEWCOMER_BELIEVES) {
      return false;
    }
    boolean known = mistake == Mistake.OWN_CONFIRMATION_NOT_ASKED || node.confirmed == node.epoch;
    boolean epoch =
        node.epoch != 0
            && Epoch.server(node.epoch) == node.connection
            && image.epoch == node.epoch
            && known;
    boolean beat = image.beat >= node.beat;
    return (epoch || mistake == Mistake.EPOCH_NOT_CHECKED)
        && (beat || mistake == Mistake.BEAT_NOT_CHECKED);
  }

  private boolean act(Kind kind, World world, int i) {
    Node node = world.nodes[i];
    boolean reached = node.connection == world.server;
    return switch (kind) {
      case CONNECT -> !reached && connect(world, node);
      case READ_HEAD -> reached && readHead(world.redis, node, mistake);
      case CREATE_HEAD -> reached && node.losses == 0 && scripts.create(world, i);
      case SEND_ADD -> reached && sendAdd(world, i);
      case REMEMBER -> remember(world, i);
      case MAINTAIN -> reached && scripts.maintain(world, i);
      case RECALL -> reached && recall(node);
      case ADD_AGAIN -> reached && addAgain(world, i);
      case REFILL -> reached && refillDue(node) && refill(world, i);
      case REFILL_FAILS -> world.refillFailures > 0 && refillDue(node) && refillFails(world, node);
      case READ_RECENT -> reached && scenario.reads() && readRecent(world, i);
      case ROLLBACK -> reached && world.rollbacks > 0 && rollback(world, i);
      case SETTLE -> reached && settle(world, i);
      case REGISTER -> reached && needsBuild(world) && register(world, i);
      case REGISTER_UNASKED ->
          reached && world.rebuilds > 0 && !needsBuild(world) && registerUnasked(world, i);
      case SCAN -> scan(world, node);
      case REPLAY_TO_HEAP -> reached && building(node, Node.SCANNED) && replayToHeap(world, i);
      case CHUNK -> reached && chunk(world, i);
      case REPLAY_TO_IMAGE ->
          reached && building(node, Node.UPLOADED) && advanced(node, scripts.replay(world, i));
      case PUBLISH -> reached && publish(world, i);
      case GIVE_UP -> giveUp(world, i);
      case DELETE_ROW -> deleteRow(world, node);
      case SEND_REMOVAL -> reached && sendRemoval(world, i);
      case STOP -> world.stops > 0 && stop(world, node);
      case CRASH -> world.crashes > 0 && crash(world, i);
      default -> false;
    };
  }

  private static boolean connect(World world, Node node) {
    node.connection = world.server;
    node.beat = 0;
    return true;
  }

  private static boolean readHead(Partition redis, Node node, Mistake mistake) {
    if (node.serving == redis.serving
        && node.building == redis.building
        && node.previous == redis.previous
        && node.epoch == redis.epoch
        && node.losses == redis.losses) {
      return false;
    }
    if (redis.present && redis.last < node.serving && mistake != Mistake.UNKNOWN_IMAGE_LEFT) {
      redis.unlink(node.serving);
    }
    node.knows = true;
    node.serving = redis.serving;
    node.building = redis.building;
    node.previous = redis.previous;
    node.epoch = redis.epoch;
    node.losses = redis.losses;
    node.last = Math.max(node.last, redis.last);
    return true;
  }

  private boolean beginAdd(World world, int i, int key) {
    Node node = world.nodes[i];
    int bit = 1 << key;
    if ((scenario.added() & bit) == 0 || world.writer[key] != 0 || node.adding != 0 || key != i) {
      return false;
    }
    world.writer[key] = i + 1;
    node.adding = key + 1;
    if (mistake != Mistake.REMEMBERED_AFTER_ACKNOWLEDGED) {
      node.log |= bit;
    }
    return true;
  }

  private boolean sendAdd(World world, int i) {
    Node node = world.nodes[i];
    if (node.adding == 0) {
      return false;
    }
    int bit = 1 << (node.adding - 1);
    if ((world.acknowledged & bit) != 0 || !scripts.add(world, i, bit)) {
      return false;
    }
    world.acknowledged |= bit;
    if ((node.log & bit) != 0) {
      node.adding = 0;
    }
    return true;
  }

  private static boolean remember(World world, int i) {
    Node node = world.nodes[i];
    int bit = node.adding == 0 ? 0 : 1 << (node.adding - 1);
    if ((world.acknowledged & bit) == 0) {
      return false;
    }
    node.log |= bit;
    node.adding = 0;
    return true;
  }

  /** Looks which generation serves, before the row goes. Where none does, nothing is removed. */
  private boolean beginRemoval(World world, int i, int key) {
    Node node = world.nodes[i];
    int bit = 1 << key;
    if (world.removals == 0
        || node.removing != 0
        || node.serving == 0
        || (world.visible & bit) == 0) {
      return false;
    }
    world.removals--;
    node.removing = key + 1;
    node.stamp = node.serving;
    return true;
  }

  /** Deletes the row. Where another process has done that there is nothing to be removed. */
  private boolean deleteRow(World world, Node node) {
    if (node.removing == 0 || node.gone) {
      return false;
    }
    int bit = 1 << (node.removing - 1);
    if ((world.visible & bit) == 0) {
      node.endRemoval();
      return true;
    }
    world.visible &= ~bit;
    world.acknowledged &= ~bit;
    if (world.reinserts > 0 && (scenario.added() & bit) != 0) {
      world.reinserts--;
      world.writer[node.removing - 1] = 0;
    }
    node.gone = true;
    return true;
  }

  /**
   * Sends the removal, once, if the generation that served before still does. It may come as late
   * as it likes, and with the process it is lost.
   */
  private boolean sendRemoval(World world, int i) {
    Node node = world.nodes[i];
    boolean early = mistake == Mistake.REMOVED_BEFORE_ROW && !node.sent;
    if (node.removing == 0 || (!node.gone && !early)) {
      return false;
    }
    if (!Scripts.sameView(world.redis, node)) {
      return false;
    }
    if (node.stamp == node.serving || mistake == Mistake.SWAP_NOT_COMPARED) {
      scripts.remove(world, i, node.removing - 1);
    }
    if (node.gone && (node.sent || mistake != Mistake.REMOVAL_REPEATED)) {
      node.endRemoval();
    } else {
      node.sent = true;
    }
    return true;
  }

  private static boolean recall(Node node) {
    int goal = node.goal();
    if (goal == 0 || node.confirmed == goal || node.target == goal) {
      return false;
    }
    node.target = goal;
    node.again = node.log;
    node.refill = Node.REFILL_DUE;
    return true;
  }

  private boolean addAgain(World world, int i) {
    Node node = world.nodes[i];
    if (node.again == 0 || node.target != node.goal()) {
      return false;
    }
    boolean done =
        mistake == Mistake.ADDS_NOT_REPEATED
            || (mistake == Mistake.REPEATED_INTO_SERVING_ONLY
                ? scripts.add(world, i, node.again)
                : scripts.addAgain(world, i, node.again));
    if (done) {
      node.again = 0;
    }
    return done;
  }

  /** Reads the rows of other programs; adds those that are new, and does not remember them. */
  private boolean readRecent(World world, int i) {
    int fresh = world.visible & scenario.foreign() & ~world.held;
    if (fresh == 0 || !decided(world, i) || !scripts.add(world, i, fresh)) {
      return false;
    }
    world.held |= fresh;
    return true;
  }

  private boolean refillDue(Node node) {
    return scenario.reads()
        && node.refill == Node.REFILL_DUE
        && node.target != 0
        && node.target != node.confirmed
        && node.target == node.goal()
        && node.again == 0;
  }

  /** Adds again what a process that is no more may have read, unless the gap is too long. */
  private boolean refill(World world, int i) {
    int rows = world.visible & scenario.foreign();
    boolean skipped = rows == 0 || world.redis.old || mistake == Mistake.NOT_REFILLED;
    if (!skipped && !scripts.addAgain(world, i, rows)) {
      return false;
    }
    world.nodes[i].refill = Node.REFILLED;
    return true;
  }

  private static boolean refillFails(World world, Node node) {
    world.refillFailures--;
    node.refill = Node.REFILL_FAILED;
    return true;
  }

  private boolean rollback(World world, int i) {
    boolean done = scripts.rollback(world, i);
    if (done) {
      world.rollbacks--;
    }
    return done;
  }

  private boolean settle(World world, int i) {
    Node node = world.nodes[i];
    boolean asked = !decided(world, i);
    return asked
        && node.goal() != 0
        && node.target == node.goal()
        && node.again == 0
        && !refillDue(node)
        && Scripts.sameView(world.redis, node)
        && scripts.settle(world, i);
  }

  private static boolean needsBuild(World world) {
    return world.redis.rebuild || (world.redis.present && world.redis.serving == 0);
  }

  private boolean register(World world, int i) {
    Node node = world.nodes[i];
    // One process builds; the other takes over where that one cannot.
    if (node.builds() || (i == 0 && runs(world, 1) && !world.nodes[1].builds())) {
      return false;
    }
    if (mistake == Mistake.SCANNED_BEFORE_REGISTERED) {
      node.heap = positions.of(world.visible);
      node.station = Node.REGISTERED;
      return true;
    }
    if (!scripts.register(world, i)) {
      return false;
    }
    if (node.image != 0) {
      node.station = Node.REGISTERED;
    }
    return true;
  }

  private boolean registerUnasked(World world, int i) {
    boolean registered = register(world, i);
    if (registered) {
      world.rebuilds--;
    }
    return registered;
  }

  private static boolean building(Node node, int station) {
    return node.station == station;
  }

  private static boolean advanced(Node node, boolean done) {
    if (done) {
      node.station++;
    }
    return done;
  }

  private boolean scan(World world, Node node) {
    if (!building(node, Node.REGISTERED)) {
      return false;
    }
    if (mistake == Mistake.SCANNED_BEFORE_REGISTERED) {
      int i = node == world.nodes[0] ? 0 : 1;
      return node.connection == world.server
          && scripts.register(world, i)
          && node.image != 0
          && advanced(node, true);
    }
    node.heap = positions.of(world.visible);
    return advanced(node, true);
  }

  private boolean replayToHeap(World world, int i) {
    Node node = world.nodes[i];
    if (foreignServer(node)) {
      return false;
    }
    node.heap = positions.add(node.heap, world.redis.journal);
    world.redis.unread[i] = 0;
    world.redis.unreadRemovals[i] = 0;
    world.backup.unread[i] = 0;
    return advanced(node, true);
  }

  private boolean chunk(World world, int i) {
    Node node = world.nodes[i];
    if ((!building(node, Node.REPLAYED) && !building(node, Node.FIRST_CHUNK))
        || foreignServer(node)) {
      return false;
    }
    return advanced(node, scripts.chunk(world, i, node.station - Node.REPLAYED));
  }

  private boolean publish(World world, int i) {
    Node node = world.nodes[i];
    boolean early = mistake == Mistake.PUBLISHED_BEFORE_REPLAY && building(node, Node.UPLOADED);
    if ((!building(node, Node.COMPLETE) && !early) || foreignServer(node)) {
      return false;
    }
    int serving = world.redis.serving;
    int read = positions.keys(node.heap);
    if (!scripts.publish(world, i)) {
      return false;
    }
    if (world.redis.serving != serving) {
      int keys = positions.keys(world.redis.image(world.redis.serving).content);
      node.last = world.redis.last;
      world.held |= world.visible & keys & scenario.foreign();
      int promised = promised(world, i);
      if (world.nodes[1 - i].away) {
        promised &= world.visible;
      }
      // What was read stays, removed meanwhile or not.
      lost = (promised | read) & ~keys;
    }
    return true;
  }

  private static boolean foreignServer(Node node) {
    return Epoch.server(node.registered) != node.connection;
  }

  /** A build that cannot be published any more ends, and its lock with it. */
  private boolean giveUp(World world, int i) {
    Node node = world.nodes[i];
    Partition redis = world.redis;
    if (!node.builds()) {
      return false;
    }
    boolean here = node.connection == world.server;
    boolean hopeless =
        !here
            || foreignServer(node)
            || redis.building != node.image
            || redis.lock != i + 1
            || redis.image(node.image) == null
            || redis.losses != Epoch.losses(node.registered);
    if (!hopeless) {
      return false;
    }
    if (here && !foreignServer(node)) {
      if (redis.building == node.image) {
        redis.building = 0;
      }
      if (redis.serving != node.image) {
        redis.unlink(node.image);
      }
      redis.unread[i] = 0;
      if (redis.lock == i + 1) {
        redis.lock = 0;
      }
    }
    node.endBuild();
    return true;
  }

  private static boolean lockEnds(World world, boolean early) {
    int lock = world.redis.lock;
    if (lock == 0) {
      return false;
    }
    boolean held = world.nodes[lock - 1].builds();
    if (held != early || (early && world.expiries == 0)) {
      return false;
    }
    if (early) {
      world.expiries--;
    }
    world.redis.lock = 0;
    return true;
  }

  private static boolean lapse(World world, int i) {
    Partition redis = world.redis;
    if (runs(world, i) || (redis.writers & 1 << i) == 0) {
      return false;
    }
    redis.writers &= ~(1 << i);
    redis.lapsed |= 1 << i;
    return true;
  }

  private static boolean crash(World world, int i) {
    world.crashes--;
    world.nodes[i].die();
    for (int key = 0; key < World.KEYS; key++) {
      // A row that was not committed yet never will be.
      if (world.writer[key] == i + 1 && (world.visible & 1 << key) == 0) {
        world.acknowledged &= ~(1 << key);
      }
    }
    return true;
  }

  private boolean commit(World world, int key) {
    int bit = 1 << key;
    int writer = world.writer[key];
    if ((world.acknowledged & bit) == 0 || (world.visible & bit) != 0 || !runs(world, writer - 1)) {
      return false;
    }
    // Whoever stood still adds once more before it commits.
    if (world.nodes[writer - 1].away && mistake != Mistake.COMMITTED_AFTER_STOP) {
      return false;
    }
    world.visible |= bit;
    return true;
  }

  private boolean insertElsewhere(World world, int key) {
    int bit = 1 << key;
    if ((scenario.foreign() & bit) == 0 || (world.visible & bit) != 0) {
      return false;
    }
    world.visible |= bit;
    return true;
  }

  /** Entries past the retention: their rows have been visible for long. */
  private boolean trim(World world, int key) {
    Partition redis = world.redis;
    int bit = 1 << key;
    if (!scenario.trims() || (redis.journal & bit & ~open(world)) == 0) {
      return false;
    }
    if (redis.building != 0 && mistake != Mistake.JOURNAL_TRIMMED_IN_BUILD) {
      return false;
    }
    redis.journal &= ~bit;
    for (int i = 0; i < World.NODES; i++) {
      redis.unread[i] &= ~bit;
    }
    return true;
  }

  /** The keys that were added for rows that are not committed yet. */
  private static int open(World world) {
    return world.acknowledged & ~world.visible;
  }

  private boolean happen(World world) {
    int happened = scenario.events().size() - world.events;
    if (world.events == 0 || !Accident.happen(scenario.events().get(happened), world)) {
      return false;
    }
    world.events--;
    var later = scenario.events().subList(happened + 1, scenario.events().size());
    world.restores = later.stream().anyMatch(Accident::isRestore);
    if (later.stream().noneMatch(Accident::needsBackup)) {
      world.backup.clear();
    }
    return true;
  }
}
