package io.bloomguard.redis.internal.model;

/** An image in Redis. Its id is its generation's number and fencing token in one. */
final class Image {

  static final int BUILDING = 1;
  static final int READY = 2;
  static final int RETIRED = 3;

  /** 0 where there is none. */
  int id;

  int state;

  /** What {@link Positions} say of its keys. */
  int content;

  int beat;

  /** The epoch whose digest stands in the header. */
  int epoch;

  /** Whether its beat is older than what processes remember. */
  boolean aged;

  void each(Fields fields) {
    id = fields.generation(id);
    state = fields.plain(state);
    content = fields.plain(content);
    beat = fields.beat(beat);
    epoch = fields.epoch(epoch);
    aged = fields.flag(aged);
  }

  void set(Image other) {
    id = other.id;
    state = other.state;
    content = other.content;
    beat = other.beat;
    epoch = other.epoch;
    aged = other.aged;
  }

  void clear() {
    set(new Image());
  }
}
