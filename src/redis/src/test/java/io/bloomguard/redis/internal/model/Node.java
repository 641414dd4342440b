package io.bloomguard.redis.internal.model;

/** What one process remembers. */
final class Node {

  /** The stations of a build, in their order. */
  static final int REGISTERED = 1;

  static final int SCANNED = 2;
  static final int REPLAYED = 3;
  static final int FIRST_CHUNK = 4;
  static final int UPLOADED = 5;
  static final int COMPLETE = 6;

  boolean alive;

  /** Whether it has ever read a head. */
  boolean knows;

  /** Whether it is too new to raise the beat: that would hide a loss from those who know more. */
  boolean guest;

  /** Whether it stands still, and whether it did since it confirmed last. */
  boolean stopped;

  boolean away;

  /** The server its connection leads to. */
  int connection;

  // Its view of the head.
  int serving;
  int building;
  int previous;
  int epoch;
  int losses;

  /** Whether rows of other programs are there again for the target: one of the three. */
  static final int REFILL_DUE = 0;

  static final int REFILLED = 1;
  static final int REFILL_FAILED = 2;

  int refill;

  /** The newest generation it has seen published. */
  int last;

  int beat;

  /** The adds it has sent, those being added again among them, and for which target. */
  int log;

  int again;
  int target;
  int confirmed;

  /** The key it is adding, plus 1. */
  int adding;

  // The removal it is at: the key, plus 1; which generation served before the row went; whether it
  // is gone; and whether the script was sent, which is remembered by mistake only.
  int removing;
  int stamp;
  boolean gone;
  boolean sent;

  /** What it would remove again after a loss, if removals were remembered as adds are. */
  int removed;

  // Its build: station, image, the server and the losses it registered with, the heap's content.
  int station;
  int image;
  int registered;
  int heap;

  void each(Fields fields) {
    alive = fields.flag(alive);
    knows = fields.flag(knows);
    guest = fields.flag(guest);
    stopped = fields.flag(stopped);
    away = fields.flag(away);
    connection = fields.plain(connection);
    serving = fields.generation(serving);
    building = fields.generation(building);
    previous = fields.generation(previous);
    epoch = fields.epoch(epoch);
    losses = fields.losses(losses);
    last = fields.generation(last);
    beat = fields.beat(beat);
    log = fields.plain(log);
    again = fields.plain(again);
    target = fields.epoch(target);
    confirmed = fields.epoch(confirmed);
    refill = fields.plain(refill);
    adding = fields.plain(adding);
    removing = fields.plain(removing);
    stamp = fields.generation(stamp);
    gone = fields.flag(gone);
    sent = fields.flag(sent);
    removed = fields.plain(removed);
    station = fields.plain(station);
    image = fields.generation(image);
    registered = fields.epoch(registered);
    heap = fields.plain(heap);
  }

  /** The epoch that this process would have the partition settle for. */
  int goal() {
    return connection == 0 || losses == 0 ? 0 : Epoch.of(connection, losses);
  }

  boolean builds() {
    return station != 0;
  }

  void endBuild() {
    station = 0;
    image = 0;
    registered = 0;
    heap = 0;
  }

  void endRemoval() {
    removing = 0;
    stamp = 0;
    gone = false;
    sent = false;
  }

  /** Nothing of a dead process matters. */
  void die() {
    Node dead = new Node();
    Copying copying = new Copying();
    dead.each(copying.writing());
    each(copying.reading());
  }
}
