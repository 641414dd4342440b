package io.bloomguard.redis.internal.model;

/** A state of the model: Redis, what it could fall back to, the processes, the rows. */
final class World implements Model.State {

  static final int NODES = 2;
  static final int KEYS = 2;
  static final int ALL_KEYS = (1 << KEYS) - 1;

  /** What the clients reach, and on which server. */
  final Partition redis = new Partition();

  int server;

  /** What a replica, or a dump, has of it. */
  final Partition backup = new Partition();

  final Node[] nodes = {new Node(), new Node()};

  // The keys whose add was acknowledged, whose row the source shows, that a published one has held.
  int acknowledged;
  int visible;
  int held;
  final int[] writer = new int[KEYS];

  /** How many of the scenario's events are still to come, and whether any puts something back. */
  int events;

  boolean restores;

  // What may still happen, at any time.
  int crashes;
  int expiries;
  int rebuilds;
  int stops;
  int rollbacks;
  int refillFailures;
  int removals;
  int reinserts;

  void each(Fields fields) {
    redis.each(fields);
    server = fields.plain(server);
    backup.each(fields);
    for (Node node : nodes) {
      node.each(fields);
    }
    acknowledged = fields.plain(acknowledged);
    visible = fields.plain(visible);
    held = fields.plain(held);
    for (int i = 0; i < KEYS; i++) {
      writer[i] = fields.plain(writer[i]);
    }
    events = fields.plain(events);
    restores = fields.flag(restores);
    crashes = fields.plain(crashes);
    expiries = fields.plain(expiries);
    rebuilds = fields.plain(rebuilds);
    stops = fields.plain(stops);
    rollbacks = fields.plain(rollbacks);
    refillFailures = fields.plain(refillFailures);
    removals = fields.plain(removals);
    reinserts = fields.plain(reinserts);
  }

  @Override
  public byte[] code() {
    forget();
    if (!restores) {
      levelBeats();
    }
    redis.sortImages();
    backup.sortImages();
    Ranks ranks = new Ranks();
    each(ranks.collecting());
    Copying copying = new Copying();
    each(ranks.replacing(copying.writing()));
    return copying.bytes();
  }

  @Override
  public void read(byte[] code) {
    each(new Copying(code).reading());
  }

  /** Images that nobody can reach any more. */
  private void forget() {
    for (Image image : redis.images) {
      if (image.id != 0 && !names(redis, image.id) && !remembered(image.id)) {
        image.clear();
      }
    }
    for (Image image : backup.images) {
      if (image.id != 0 && !names(backup, image.id)) {
        image.clear();
      }
    }
  }

  /**
   * Where nothing will be put back any more, it makes no difference how far a process' beat lies
   * below that of the image it knows.
   */
  private void levelBeats() {
    Image serving = redis.image(redis.serving);
    for (Node node : nodes) {
      if (node.connection != server) {
        node.beat = 0;
      } else if (!node.guest
          && serving != null
          && serving.beat == redis.beat
          && node.serving == redis.serving
          && node.beat != 0
          && node.beat < redis.beat) {
        node.beat = redis.beat;
      }
    }
  }

  private static boolean names(Partition head, int id) {
    return head.serving == id || head.building == id || head.previous == id;
  }

  private boolean remembered(int id) {
    for (Node node : nodes) {
      if (node.serving == id
          || node.building == id
          || node.previous == id
          || node.image == id
          || node.stamp == id) {
        return true;
      }
    }
    return names(backup, id);
  }

  /** What is later than everything that anybody remembers, as Redis' clock is. */
  int nextBeat() {
    int beat = Math.max(redis.beat, backup.beat);
    for (Node node : nodes) {
      beat = Math.max(beat, node.beat);
    }
    for (Image image : redis.images) {
      beat = Math.max(beat, image.beat);
    }
    return beat + 1;
  }

  int nextGeneration() {
    int id = Math.max(redis.last, backup.last);
    for (Node node : nodes) {
      id = Math.max(id, Math.max(node.last, Math.max(node.image, node.building)));
    }
    for (int i = 0; i < redis.images.length; i++) {
      id = Math.max(id, Math.max(redis.images[i].id, backup.images[i].id));
    }
    return id + 1;
  }

  int nextLosses() {
    int losses = Math.max(highest(redis), highest(backup));
    for (Node node : nodes) {
      losses = Math.max(losses, Math.max(node.losses, Epoch.losses(node.confirmed)));
      losses = Math.max(losses, Math.max(Epoch.losses(node.target), Epoch.losses(node.epoch)));
      losses = Math.max(losses, Epoch.losses(node.registered));
    }
    return losses + 1;
  }

  private static int highest(Partition partition) {
    int losses = Math.max(partition.losses, Epoch.losses(partition.epoch));
    losses = Math.max(losses, Epoch.losses(partition.settled));
    losses = Math.max(losses, Epoch.losses(partition.noted));
    for (int reported : partition.reported) {
      losses = Math.max(losses, Epoch.losses(reported));
    }
    for (Image image : partition.images) {
      losses = Math.max(losses, Epoch.losses(image.epoch));
    }
    return losses;
  }

  int nextEntry() {
    return 1
        + Math.max(Math.max(redis.end, redis.journalEnd), Math.max(backup.end, backup.journalEnd));
  }

  /** The processes that run. */
  int live() {
    int set = 0;
    for (int i = 0; i < NODES; i++) {
      if (nodes[i].alive && !nodes[i].stopped) {
        set |= 1 << i;
      }
    }
    return set;
  }
}
