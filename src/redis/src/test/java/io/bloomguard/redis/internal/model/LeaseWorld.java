package io.bloomguard.redis.internal.model;

import java.util.Arrays;

/**
 * A state of the model of leased copies: one partition, the server that took it over or may, one
 * process that writes, the copies beside it, and one check by a copy that is under way.
 *
 * <p>Time is in ticks. What was is known by its age, which is not counted past what matters.
 */
final class LeaseWorld implements Model.State {

  static final int COPIES = 2;
  static final int TASKS = 3;
  static final int KEYS = 3;

  /**
   * The fixed most that an add waits where the register proves nothing; no lease is longer, and no
   * doubt shorter.
   */
  static final int MOST = 3;

  /** What clients reach, and on which server. */
  LeasedPartition redis = new LeasedPartition();

  int server = 1;

  /** What the other server has: the replica, or the master before. */
  LeasedPartition other = new LeasedPartition();

  /** The server that the writing process speaks to, and the latest losses that it knows. */
  int connection = 1;

  int knows = 1;

  /** For how long it has known that server, and those losses. */
  int known = MOST;

  /** The keys that nobody may deny: acknowledged, or of a generation whose swap is reported. */
  int promised;

  final Copy[] copies = {new Copy(), new Copy()};
  final Task[] tasks = {new Task(), new Task(), new Task()};
  final Ask ask = new Ask();

  // What may still happen, at any time: events in their order.
  int events;
  int slow;
  int fast;
  int suspensions;
  int setBacks;
  int timeouts;
  int trims;
  int jumps;
  int messages;

  void each(Fields fields) {
    redis.each(fields);
    server = fields.plain(server);
    other.each(fields);
    connection = fields.plain(connection);
    knows = fields.plain(knows);
    known = fields.plain(known);
    promised = fields.plain(promised);
    for (Copy copy : copies) {
      copy.each(fields);
    }
    for (Task task : tasks) {
      task.each(fields);
    }
    ask.each(fields);
    events = fields.plain(events);
    slow = fields.plain(slow);
    fast = fields.plain(fast);
    suspensions = fields.plain(suspensions);
    setBacks = fields.plain(setBacks);
    timeouts = fields.plain(timeouts);
    trims = fields.plain(trims);
    jumps = fields.plain(jumps);
    messages = fields.plain(messages);
  }

  @Override
  public byte[] code() {
    Copying copying = new Copying();
    each(copying.writing());
    return copying.bytes();
  }

  @Override
  public void read(byte[] code) {
    each(new Copying(code).reading());
  }

  int nextLosses() {
    int losses = Math.max(Math.max(redis.losses, other.losses), knows);
    for (Copy copy : copies) {
      losses = Math.max(losses, copy.knows);
    }
    return losses + 1;
  }

  /** The age of something by both clocks of a copy's process; each may stop or go back. */
  static final class Age {

    int monotonic;
    int wall;

    void each(Fields fields) {
      monotonic = fields.plain(monotonic);
      wall = fields.plain(wall);
    }

    void set(Age age) {
      monotonic = age.monotonic;
      wall = age.wall;
    }

    void begin() {
      monotonic = 0;
      wall = 0;
    }
  }

  /** What the process of a copy holds. */
  static final class Copy {

    static final int NO_IMAGE = 0;
    static final int LOADING = 1;
    static final int LOADED = 2;

    /** The stations of a poll: under way, its page read, answered. */
    static final int SENT = 1;

    static final int READ = 2;
    static final int ANSWERED = 3;

    int connection = 1;
    int knows = 1;

    /** The image that it loads or follows: what of, and up to which entry, with which keys. */
    int image;

    int scheme;
    int generation;
    int epoch;
    int position;
    int keys;

    /** Whether the last page ended early. */
    boolean behind;

    /** What checks read: bits that had a lease once, which began so long ago. */
    boolean shown;

    int bits;
    final Age lease = new Age();

    /** Whether those bits are the ones that it follows; others are kept by mistake alone. */
    boolean own;

    // The poll: what it reports (none if behind), when it was sent, and the page that it got.
    int poll;
    boolean reportsNone;
    final Age sent = new Age();
    int page;
    int pageEnd;
    boolean complete;

    /** Whether it still follows what Redis has, by {@link LeaseProtocol.Verdict}. */
    int verdict;

    /** A poll given up that Redis may still get, and whether it has got a later one. */
    boolean stray;

    boolean overtaken;
    boolean suspended;

    // A message of an add that has not been heard: its key, entry, epoch and scheme; 0 for none.
    int news;
    int newsEnd;
    int newsEpoch;
    int newsScheme;

    /** Whether it has entries of messages to report without a poll. */
    boolean heard;

    void each(Fields fields) {
      connection = fields.plain(connection);
      knows = fields.plain(knows);
      image = fields.plain(image);
      scheme = fields.plain(scheme);
      generation = fields.plain(generation);
      epoch = fields.plain(epoch);
      position = fields.plain(position);
      keys = fields.plain(keys);
      behind = fields.flag(behind);
      shown = fields.flag(shown);
      bits = fields.plain(bits);
      lease.each(fields);
      own = fields.flag(own);
      poll = fields.plain(poll);
      reportsNone = fields.flag(reportsNone);
      sent.each(fields);
      page = fields.plain(page);
      pageEnd = fields.plain(pageEnd);
      complete = fields.flag(complete);
      verdict = fields.plain(verdict);
      stray = fields.flag(stray);
      overtaken = fields.flag(overtaken);
      suspended = fields.flag(suspended);
      news = fields.plain(news);
      newsEnd = fields.plain(newsEnd);
      newsEpoch = fields.plain(newsEpoch);
      newsScheme = fields.plain(newsScheme);
      heard = fields.flag(heard);
    }

    void endNews() {
      news = 0;
      newsEnd = 0;
      newsEpoch = 0;
      newsScheme = 0;
    }

    void endPoll() {
      poll = 0;
      reportsNone = false;
      sent.begin();
      page = 0;
      pageEnd = 0;
      complete = false;
      verdict = 0;
    }

    void hide() {
      shown = false;
      own = false;
      bits = 0;
      lease.begin();
    }

    /** Follows no image any more; what is shown is another matter. */
    void forgetImage() {
      image = NO_IMAGE;
      scheme = 0;
      generation = 0;
      epoch = 0;
      position = 0;
      keys = 0;
      behind = false;
      own = false;
      heard = false;
    }
  }

  /** An add, a swap or a move of the writing process, and its wait. */
  static final class Task {

    static final int IDLE = 0;
    static final int EXECUTED = 1;
    static final int WAITING = 2;
    static final int DONE = 3;

    int state;

    /** The copies to wait for, or struck once done; whether all of the fixed most is waited. */
    int listed;

    boolean full;
    int most;
    int waited;

    // Under what its script ran, and the end of the journal that a copy must report.
    int losses;
    int scheme;
    int generation;
    int need;

    /** For a move, the closing after which it waits. */
    int closing;

    /** By mistake: the copies that a look or a list before its script did not find. */
    boolean early;

    int unseen;

    void each(Fields fields) {
      state = fields.plain(state);
      listed = fields.plain(listed);
      full = fields.flag(full);
      most = fields.plain(most);
      waited = fields.plain(waited);
      losses = fields.plain(losses);
      scheme = fields.plain(scheme);
      generation = fields.plain(generation);
      need = fields.plain(need);
      closing = fields.plain(closing);
      early = fields.flag(early);
      unseen = fields.plain(unseen);
    }
  }

  /** A check by a copy: it has read the lease, and then bits that lack a promised key. */
  static final class Ask {

    static final int LEASE_READ = 1;
    static final int BITS_READ = 2;

    int state;
    int copy;
    final Age lease = new Age();

    /** By mistake: whether the bits were given up since, and what they held. */
    boolean givenUp;

    int bits;

    void each(Fields fields) {
      state = fields.plain(state);
      copy = fields.plain(copy);
      lease.each(fields);
      givenUp = fields.flag(givenUp);
      bits = fields.plain(bits);
    }

    void end() {
      state = 0;
      copy = 0;
      lease.begin();
      givenUp = false;
      bits = 0;
    }
  }

  /** What a server holds of the partition. */
  static final class LeasedPartition {

    static final int ENTRIES = 6;

    /** The server and the losses under which its content is complete; in doubt or trusted. */
    int home = 1;

    int losses = 1;
    boolean trusted = true;

    /** For how long it has been in doubt, by Redis' clock. */
    int doubted;

    int scheme = 1;
    int generation = 1;

    /** The name of a closing of the scheme, which is about to move: no poll gives a lease. */
    int closing;

    /** The keys of each generation's image, the first at 1. */
    final int[] images = new int[3];

    /** The key of each entry of the journal, plus 1; those before the first are trimmed. */
    final int[] journal = new int[ENTRIES];

    int first;
    int end;

    // The register: which copies, of which generation, up to which entry; by copy, the tasks whose
    // script has seen this very poll.
    int registered;
    final int[] registeredGeneration = new int[COPIES];
    final int[] position = new int[COPIES];
    final int[] seen = new int[COPIES];

    void each(Fields fields) {
      home = fields.plain(home);
      losses = fields.plain(losses);
      trusted = fields.flag(trusted);
      doubted = fields.plain(doubted);
      scheme = fields.plain(scheme);
      generation = fields.plain(generation);
      closing = fields.plain(closing);
      each(images, fields);
      each(journal, fields);
      first = fields.plain(first);
      end = fields.plain(end);
      registered = fields.plain(registered);
      each(registeredGeneration, fields);
      each(position, fields);
      each(seen, fields);
    }

    private static void each(int[] numbers, Fields fields) {
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = fields.plain(numbers[i]);
      }
    }

    LeasedPartition copy() {
      Copying copying = new Copying();
      each(copying.writing());
      LeasedPartition copy = new LeasedPartition();
      copy.each(new Copying(copying.bytes()).reading());
      return copy;
    }

    void append(int key) {
      journal[end++] = key + 1;
    }

    void endJournal() {
      Arrays.fill(journal, 0);
      first = 0;
      end = 0;
    }

    boolean has(int copy) {
      return (registered & 1 << copy) != 0;
    }

    void register(int copy, int ofGeneration, int at) {
      registered |= 1 << copy;
      registeredGeneration[copy] = ofGeneration;
      position[copy] = at;
      seen[copy] = 0;
    }

    void unregister(int copy) {
      registered &= ~(1 << copy);
      registeredGeneration[copy] = 0;
      position[copy] = 0;
      seen[copy] = 0;
    }

    void loseRegister() {
      for (int i = 0; i < COPIES; i++) {
        unregister(i);
      }
    }
  }
}
