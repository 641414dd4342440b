package io.bloomguard.redis.internal.model;

/** The scripts of Redis, each one atomic step. What they return is whether they took effect. */
final class Scripts {

  private final Mistake mistake;
  private final Positions positions;

  Scripts(Mistake mistake, Positions positions) {
    this.mistake = mistake;
    this.positions = positions;
  }

  private boolean made(Mistake other) {
    return mistake == other;
  }

  /** The head of a partition that has none. */
  boolean create(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    if (redis.present) {
      return false;
    }
    int journal = redis.journal;
    int end = redis.journalEnd;
    int lock = redis.lock;
    redis.clear();
    redis.present = true;
    redis.journal = journal;
    redis.journalEnd = end;
    redis.end = end;
    redis.lock = lock;
    redis.losses = world.nextLosses();
    redis.home = node.connection;
    redis.fresh = !node.knows;
    redis.beat = world.nextBeat();
    return true;
  }

  /**
   * Adds keys to every image that takes adds, and to the journal; acknowledged only if the serving
   * image took them.
   */
  boolean add(World world, int caller, int keys) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    boolean blind = made(Mistake.VIEW_NOT_COMPARED);
    Image serving = redis.image(blind ? node.serving : redis.serving);
    boolean took = serving != null && (serving.state == Image.READY || blind);
    boolean needless = redis.serving == 0 || made(Mistake.ACKNOWLEDGED_WITHOUT_SERVING);
    if (!took && !needless) {
      return false;
    }
    return addAgain(world, caller, keys);
  }

  /** The same without an acknowledgement, which a damaged serving image does not hinder. */
  boolean addAgain(World world, int caller, int keys) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    boolean blind = made(Mistake.VIEW_NOT_COMPARED);
    if (!redis.present || (!sameView(redis, node) && !blind)) {
      return false;
    }
    notice(world, caller);
    Image serving = redis.image(blind ? node.serving : redis.serving);
    if (serving != null && (serving.state == Image.READY || blind)) {
      serving.content = positions.add(serving.content, keys);
    }
    Image building = redis.image(redis.building);
    if (building != null && building.beat == redis.beat && !made(Mistake.NO_DUAL_WRITES)) {
      building.content = positions.add(building.content, keys);
    }
    Image previous = redis.image(redis.previous);
    if (previous != null && previous.beat == redis.beat && !made(Mistake.PREVIOUS_TAKES_NO_ADDS)) {
      previous.content = positions.add(previous.content, keys);
    }
    redis.journal |= keys;
    redis.journalEnd = world.nextEntry();
    redis.end = redis.journalEnd;
    for (int i = 0; i < World.NODES; i++) {
      if (world.nodes[i].builds()) {
        redis.unread[i] |= keys;
      }
    }
    raise(world, caller);
    return true;
  }

  /**
   * Takes an addition of a key back in the serving image, and in no other; nothing is journalled.
   * While adds may be missing that are to be added again, nothing is removed.
   */
  void remove(World world, int caller, int key) {
    Partition redis = world.redis;
    notice(world, caller);
    if (redis.epoch == 0) {
      return;
    }
    remove(redis, redis.image(redis.serving), Image.READY, key);
    if (made(Mistake.REMOVED_FROM_EVERY_IMAGE)) {
      remove(redis, redis.image(redis.building), Image.BUILDING, key);
    }
    for (int i = 0; i < World.NODES; i++) {
      if (world.nodes[i].builds() && made(Mistake.REMOVALS_REPLAYED)) {
        redis.unreadRemovals[i] |= 1 << key;
      }
    }
    if (made(Mistake.REMOVALS_REMEMBERED)) {
      world.nodes[caller].removed |= 1 << key;
    }
  }

  /** What was removed, as if that were made good as adds are. */
  private void removeAgain(Partition redis, Node node) {
    for (int key = 0; key < World.KEYS; key++) {
      if ((node.removed & 1 << key) != 0) {
        remove(redis, redis.image(redis.serving), Image.READY, key);
      }
    }
    node.removed = 0;
  }

  private void remove(Partition redis, Image image, int state, int key) {
    if (image != null && image.state == state && image.beat == redis.beat) {
      image.content = positions.remove(image.content, key, made(Mistake.FULL_COUNTED_DOWN));
    }
  }

  boolean maintain(World world, int caller) {
    if (!world.redis.present) {
      return false;
    }
    notice(world, caller);
    raise(world, caller);
    enter(world, caller);
    return true;
  }

  /** Reports that the caller has added again what it remembers, and settles if all have. */
  boolean settle(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    if (!redis.present || node.goal() != Epoch.of(node.connection, redis.losses)) {
      return false;
    }
    if (notice(world, caller)) {
      return true;
    }
    int goal = node.goal();
    if (made(Mistake.SERVER_NOT_COMPARED) && redis.noted != goal) {
      takeDues(redis);
      redis.epoch = 0;
    }
    if (redis.noted != goal) {
      redis.noted = goal;
      redis.heard = 0;
    }
    node.confirmed = goal;
    enter(world, caller);
    removeAgain(redis, node);
    boolean newer = node.last > redis.last && !made(Mistake.NEWER_GENERATION_FORGOTTEN);
    redis.old |= newer;
    boolean unfilled = node.refill == Node.REFILL_FAILED && !made(Mistake.REFILL_FAILURE_PASSED);
    redis.incomplete |= redis.epoch == 0 && (newer || unfilled);
    node.away = false;
    int reported = 0;
    for (int i = 0; i < World.NODES; i++) {
      reported |= redis.reported[i] == goal ? 1 << i : 0;
    }
    boolean all = (redis.writers & ~reported) == 0 || made(Mistake.WRITERS_NOT_WAITED_FOR);
    boolean grace =
        (redis.fresh && made(Mistake.NO_GRACE_FOR_NEWCOMERS))
            || (world.live() & ~redis.heard) == 0
            || made(Mistake.NO_GRACE);
    if (!all || (!grace && redis.settled != goal)) {
      return true;
    }
    redis.settled = goal;
    redis.heard = 0;
    Image image = redis.image(redis.serving);
    boolean missing = (redis.dues & ~reported) != 0 && !made(Mistake.MISSING_WRITER_FORGOTTEN);
    if (image != null
        && image.state == Image.READY
        && image.beat == redis.beat
        && !redis.old
        && !missing
        && !redis.incomplete
        && node.last <= redis.last) {
      redis.epoch = goal;
      image.epoch = goal;
      redis.dues = 0;
      redis.rebuild = false;
      redis.incomplete = false;
    } else {
      redis.incomplete |= redis.old || missing;
      redis.rebuild |= redis.building == 0;
    }
    return true;
  }

  /** Takes the lock and registers a build. */
  boolean register(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    if (!redis.present || redis.lock != 0 || !sameView(redis, node)) {
      return false;
    }
    if (notice(world, caller)) {
      return true;
    }
    int id = world.nextGeneration();
    if (!made(Mistake.TOKEN_NOT_CHECKED)) {
      redis.unlink(redis.building);
    }
    Image image = made(Mistake.CHUNK_NOT_FENCED) ? shared(redis) : null;
    if (image == null) {
      image = redis.place(id);
    } else {
      image.clear();
      image.id = id;
    }
    image.state = Image.BUILDING;
    image.beat = redis.beat;
    redis.building = id;
    redis.lock = caller + 1;
    node.image = id;
    node.registered = Epoch.of(node.connection, redis.losses);
    node.building = id;
    return true;
  }

  private static Image shared(Partition redis) {
    return redis.image(redis.building);
  }

  /** Overwrites a position; false if the fence stands before it. */
  boolean chunk(World world, int caller, int position) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    Image image = redis.image(node.image);
    if (made(Mistake.CHUNK_NOT_FENCED)) {
      image = redis.image(redis.building != 0 ? redis.building : redis.serving);
    }
    if (image == null || (image.state != Image.BUILDING && !made(Mistake.CHUNK_NOT_FENCED))) {
      return false;
    }
    image.content = Positions.copy(image.content, position, node.heap);
    return true;
  }

  boolean replay(World world, int caller) {
    Node node = world.nodes[caller];
    Partition redis = world.redis;
    Image image = redis.image(node.image);
    if (image == null || image.state != Image.BUILDING) {
      return false;
    }
    image.content = positions.add(image.content, redis.unread[caller]);
    for (int key = 0; key < World.KEYS; key++) {
      if ((redis.unreadRemovals[caller] & 1 << key) != 0) {
        image.content = positions.remove(image.content, key, false);
      }
    }
    return true;
  }

  boolean publish(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    Image image = redis.image(node.image);
    if (!redis.present || image == null || image.state != Image.BUILDING) {
      return false;
    }
    boolean mine = redis.lock == caller + 1 && redis.building == node.image;
    if (!mine && !made(Mistake.TOKEN_NOT_CHECKED)) {
      return false;
    }
    if (notice(world, caller)) {
      return true;
    }
    int goal = Epoch.of(node.connection, redis.losses);
    if (redis.settled != goal && !made(Mistake.PUBLISHED_UNSETTLED)) {
      return false;
    }
    if (node.registered != goal && !outlives()) {
      return false;
    }
    if (image.beat != redis.beat && !made(Mistake.TOKEN_NOT_CHECKED)) {
      return false;
    }
    image.beat = redis.beat;
    Image before = redis.image(redis.serving);
    boolean complete = !redis.incomplete || made(Mistake.INCOMPLETE_KEPT);
    // Where none will be rolled back to it makes no difference whether one is kept.
    boolean kept = complete && before != null && before.beat == redis.beat && world.rollbacks > 0;
    redis.previous = kept && before.state == Image.READY ? before.id : 0;
    if (before != null && !made(Mistake.NOT_RETIRED)) {
      before.state = Image.RETIRED;
    }
    image.state = Image.READY;
    image.epoch = goal;
    redis.epoch = goal;
    redis.serving = image.id;
    redis.building = 0;
    redis.last = image.id;
    redis.dues = 0;
    redis.old = false;
    redis.rebuild = false;
    redis.incomplete = false;
    redis.lock = 0;
    node.endBuild();
    return true;
  }

  /** Lets the image before serve again. In doubt it serves nobody either. */
  boolean rollback(World world, int caller) {
    Partition redis = world.redis;
    if (!redis.present || redis.previous == 0 || !sameView(redis, world.nodes[caller])) {
      return false;
    }
    notice(world, caller);
    Image serving = redis.image(redis.serving);
    Image previous = redis.image(redis.previous);
    if (previous == null || previous.state != Image.RETIRED || previous.beat != redis.beat) {
      return false;
    }
    redis.serving = previous.id;
    redis.previous = 0;
    if (serving != null && serving.state == Image.READY) {
      serving.state = Image.RETIRED;
      redis.previous = serving.id;
    }
    previous.state = Image.READY;
    previous.epoch = redis.epoch;
    return true;
  }

  boolean outlives() {
    return made(Mistake.BUILD_OUTLIVES_LOSS);
  }

  /** Looks for a loss before anything is written, and condemns what was believed. */
  private boolean notice(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    Image serving = redis.image(redis.serving);
    boolean moved = redis.home != node.connection && !made(Mistake.SERVER_NOT_COMPARED);
    boolean put =
        node.beat != 0
            && (redis.beat < node.beat || (redis.strange & 1 << caller) != 0)
            && !made(Mistake.CALLERS_BEAT_NOT_COMPARED);
    boolean apart = serving != null && serving.beat != redis.beat;
    boolean cut = redis.journalEnd != redis.end && !made(Mistake.JOURNAL_NOT_COMPARED);
    if (!moved && !put && !apart && !cut) {
      return false;
    }
    boolean old = serving != null && serving.aged && !made(Mistake.AGE_OF_HEAD_ALONE);
    redis.old |= old || redis.aged;
    takeDues(redis);
    redis.losses = world.nextLosses();
    redis.epoch = 0;
    redis.fresh = false;
    redis.home = node.connection;
    redis.end = redis.journalEnd;
    if (!outlives()) {
      redis.building = 0;
    }
    if (serving != null) {
      serving.epoch = 0;
      serving.beat = redis.beat;
    }
    Image previous = redis.image(redis.previous);
    if (previous != null && redis.beat < node.beat) {
      // The head's beat is that of the caller from here on; the image before stays behind.
      previous.beat = 0;
    }
    // Those who come next have no need to condemn it once more.
    redis.strange = 0;
    node.beat = redis.beat;
    return true;
  }

  private static void takeDues(Partition redis) {
    redis.dues |= redis.writers | redis.lapsed;
  }

  private void raise(World world, int caller) {
    Partition redis = world.redis;
    if (staysGuest(world, caller)) {
      return;
    }
    int beat = world.nextBeat();
    Image serving = redis.image(redis.serving);
    if (serving != null) {
      serving.beat = beat;
      serving.aged = false;
    }
    Image previous = redis.image(redis.previous);
    if (previous != null && previous.beat == redis.beat) {
      previous.beat = beat;
      previous.aged = false;
    }
    Image building = redis.image(redis.building);
    if (building != null && building.beat == redis.beat) {
      building.beat = beat;
      building.aged = false;
    } else {
      redis.building = 0;
    }
    redis.beat = beat;
    redis.aged = false;
    redis.lapsed = 0;
    redis.strange &= ~(1 << caller);
    world.backup.strange |= 1 << caller;
    world.nodes[caller].beat = beat;
  }

  /** A guest becomes one of the others once one of them has raised the beat, or there is none. */
  private boolean staysGuest(World world, int caller) {
    Partition redis = world.redis;
    Node node = world.nodes[caller];
    boolean others = (redis.writers & ~redis.guests & ~(1 << caller)) != 0;
    boolean raised = node.beat != 0 && redis.beat > node.beat;
    if (!node.guest || !others || raised || made(Mistake.NEWCOMER_RAISES_BEAT)) {
      node.guest = false;
      redis.guests &= ~(1 << caller);
      return false;
    }
    node.beat = redis.beat;
    redis.guests |= 1 << caller;
    redis.strange &= ~(1 << caller);
    return true;
  }

  private static void enter(World world, int caller) {
    Partition redis = world.redis;
    redis.writers |= 1 << caller;
    redis.lapsed &= ~(1 << caller);
    if (redis.settled != redis.noted) {
      redis.heard |= 1 << caller;
    }
    redis.reported[caller] = world.nodes[caller].confirmed;
  }

  static boolean sameView(Partition redis, Node node) {
    return redis.serving == node.serving
        && redis.building == node.building
        && redis.previous == node.previous;
  }
}
