package io.bloomguard.redis.internal.model;

/** What Redis holds of a partition: head, images, journal, lock, list of writers. */
final class Partition {

  /** The serving, the built and the previous image, and two that somebody still remembers. */
  private static final int IMAGES = 5;

  // The head.
  boolean present;
  int serving;
  int building;
  int previous;
  int epoch;
  int settled;

  /** The target that is being settled, and who was heard of since: for the grace. */
  int noted;

  int heard;

  /** Whether it was made by a process that has known none. */
  boolean fresh;

  int losses;
  int beat;

  /** Whether its beat is older than what processes remember. */
  boolean aged;

  /** The server whose losses are counted. */
  int home;

  /** In doubt: those who wrote until the last beat before, and whether it was too long ago. */
  int dues;

  boolean old;
  boolean rebuild;

  /** Whether it is known that only a new generation has what was lost. */
  boolean incomplete;

  int last;
  int end;

  // The journal: the keys in it and the id of its last entry.
  int journal;
  int journalEnd;

  /** Who has the right to build, 0 for nobody. */
  int lock;

  /** What a build of node i has still to replay: added since it read the journal first. */
  final int[] unread = new int[World.NODES];

  /** What a build of node i would take out, if removals were replayed as adds are. */
  final int[] unreadRemovals = new int[World.NODES];

  // The list of writers: whose entry lives, whose has lapsed since the last beat, whose is not what
  // its process wrote last, who is a guest, for what target each has reported.
  int writers;
  int lapsed;
  int strange;
  int guests;
  final int[] reported = new int[World.NODES];

  final Image[] images = new Image[IMAGES];

  Partition() {
    for (int i = 0; i < IMAGES; i++) {
      images[i] = new Image();
    }
  }

  void each(Fields fields) {
    present = fields.flag(present);
    serving = fields.generation(serving);
    building = fields.generation(building);
    previous = fields.generation(previous);
    epoch = fields.epoch(epoch);
    settled = fields.epoch(settled);
    noted = fields.epoch(noted);
    heard = fields.plain(heard);
    fresh = fields.flag(fresh);
    losses = fields.losses(losses);
    beat = fields.beat(beat);
    aged = fields.flag(aged);
    home = fields.plain(home);
    dues = fields.plain(dues);
    old = fields.flag(old);
    rebuild = fields.flag(rebuild);
    incomplete = fields.flag(incomplete);
    last = fields.generation(last);
    end = fields.entry(end);
    journal = fields.plain(journal);
    journalEnd = fields.entry(journalEnd);
    lock = fields.plain(lock);
    writers = fields.plain(writers);
    lapsed = fields.plain(lapsed);
    strange = fields.plain(strange);
    guests = fields.plain(guests);
    for (int i = 0; i < World.NODES; i++) {
      reported[i] = fields.epoch(reported[i]);
      unread[i] = fields.plain(unread[i]);
      unreadRemovals[i] = fields.plain(unreadRemovals[i]);
    }
    for (Image image : images) {
      image.each(fields);
    }
  }

  /** The image of an id, null if there is none. */
  Image image(int id) {
    if (id != 0) {
      for (Image image : images) {
        if (image.id == id) {
          return image;
        }
      }
    }
    return null;
  }

  Image place(int id) {
    for (Image image : images) {
      if (image.id == 0) {
        image.id = id;
        return image;
      }
    }
    throw new IllegalStateException("More images than the model has room for");
  }

  void unlink(int id) {
    Image image = image(id);
    if (image != null) {
      image.clear();
    }
  }

  /** In the order of their ids, so that equal partitions are written alike. */
  void sortImages() {
    java.util.Arrays.sort(images, (a, b) -> Integer.compare(b.id, a.id));
  }

  void set(Partition other) {
    Copying copying = new Copying();
    other.each(copying.writing());
    each(copying.reading());
  }

  void clear() {
    set(new Partition());
  }
}
