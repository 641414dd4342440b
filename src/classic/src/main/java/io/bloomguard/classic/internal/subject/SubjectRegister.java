package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.DataRefusal;
import io.bloomguard.classic.internal.small.SmallStore;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process' view of a filter by subject in Redis, and its heartbeat there every second.
 *
 * <p>Redis may lose acknowledged adds: by a failover, a restart, a restored dump, a deleted head or
 * index. The head therefore has a creation, a beat that advances with every heartbeat, and the
 * server under which it is trusted. If one of them differs from a process' view, the loss epoch
 * gets a new number, and no key is absent until each process on the list of writers has, after that
 * number, added its retained adds again. A loss of more adds than are retained keeps the doubt for
 * as long as the lost keys would have lived.
 */
final class SubjectRegister {

  /** The time for which the others wait for a silent process. */
  private static final Duration LIFETIME = Duration.ofSeconds(10);

  /** The most expired subjects to forget with one heartbeat. */
  private static final int PRUNED = 1000;

  private static final String FOREIGN =
      "Redis holds subjects of another shape, hash or secret, so every key is UNKNOWN and no add is"
          + " taken: set expected-insertions, false-positive-probability, hash and"
          + " bloomguard.hash-secret as the other processes have them, give the filter another"
          + " name, or wait until the time of these subjects is over";

  /** The beginning of every script of subjects. */
  static final LuaScript SUBJECTS =
      LuaScript.of(SmallStore.class, "small").then(SubjectRegister.class, "subjects");

  private static final LuaScript TELL = SUBJECTS.then(SubjectRegister.class, "tell");
  private static final Logger log = LoggerFactory.getLogger(SubjectRegister.class);

  private final SubjectSettings settings;
  private final SubjectForm form;
  private final RedisLink requests;
  private final DataRefusal refusal;
  private final long graceMillis;
  private final String writer = UUID.randomUUID().toString();

  /** Held while a thread waits for the script. */
  private final ReentrantLock telling = new ReentrantLock();

  private volatile View view = View.NONE;

  /** The time of this process' last heartbeat, in nanoseconds. */
  private volatile long told;

  /** The loss epoch after which everything was added again; empty before any is known. */
  private volatile String madeGood = "";

  SubjectRegister(
      SubjectSettings settings,
      SubjectForm form,
      RedisLink requests,
      DataRefusal refusal,
      Duration grace) {
    this.settings = settings;
    this.form = form;
    this.requests = requests;
    this.refusal = refusal;
    this.graceMillis = grace.toMillis();
  }

  View view() {
    return view;
  }

  /** Whether this process has still to add its retained adds again. */
  boolean isBehind() {
    return !view.losses().equals(madeGood);
  }

  /** Notes that everything was added again after some losses. */
  void madeGood(String losses) {
    madeGood = losses;
  }

  /** Whether a missing key is absent, as far as this process knows. */
  boolean isTrusted() {
    View now = view;
    return now.settled()
        && now.doubt().isZero()
        && refusal.why() == null
        && !now.server().isEmpty()
        && now.server().equals(requests.server());
  }

  /** Tells Redis what this process has added, unless another thread is doing so. */
  void tellIfFree() {
    if (telling.tryLock()) {
      try {
        exchange();
      } finally {
        telling.unlock();
      }
    }
  }

  /** Whether an add must first learn the state of the filter. */
  boolean isUnsure() {
    return isSilent() || refusal.why() != null;
  }

  /**
   * Whether the list of writers may lack this process: it has sent no heartbeat yet, or none for so
   * long, because it was stopped, that others may count it as gone.
   */
  private boolean isSilent() {
    return view.server().isEmpty() || System.nanoTime() - told > LIFETIME.toNanos() / 2;
  }

  /**
   * Sends a heartbeat and reads the state of the filter, unless another thread has done so since
   * the call.
   *
   * @throws RedisUnavailableException if Redis does not answer, or other threads wait for it
   */
  @SuppressWarnings("ReferenceEquality") // another object: it was learned since
  void tell() {
    View before = view;
    if (!Attempts.isLocked(telling, RedisConnections.WRITE)) {
      throw new RedisUnavailableException("Other threads wait for Redis", null);
    }
    try {
      if (view == before || isSilent()) {
        exchange();
      }
    } finally {
      telling.unlock();
    }
  }

  private void exchange() {
    String server = requests.server();
    if (server.equals(RedisSession.ANY)) {
      throw new RedisUnavailableException(
          Objects.requireNonNullElse(requests.unconnected(), "Redis is not connected"), null);
    }
    View known = view;
    long sent = System.nanoTime();
    LuaScript.Reply reply =
        TELL.start(
                requests.only(server),
                List.of(form.head(), form.index(), form.writers()),
                form.fingerprint(),
                server,
                writer,
                known.created(),
                known.beat(),
                madeGood,
                settings.ttl().toMillis(),
                settings.retention().toMillis(),
                graceMillis,
                LIFETIME.toMillis(),
                PRUNED)
            .await(RedisConnections.WRITE);
    if (reply.ok()) {
      learn(server, known, reply);
      told = sent;
    } else {
      refusal.because(reply.outcome() == ScriptOutcome.TAKEN ? taken(reply.text(1)) : FOREIGN);
    }
  }

  private static String taken(String what) {
    return switch (what) {
      case "index" ->
          ForeignData.reason("the index of subjects", "its name ends in :subjects:index");
      case "writers" ->
          ForeignData.reason("the list of writers", "its name ends in :subjects:writers");
      default -> ForeignData.reason("the head of the subjects", "its name ends in :subjects");
    };
  }

  private void learn(String server, View known, LuaScript.Reply reply) {
    refusal.because(null);
    View now =
        new View(
            server,
            reply.text(1),
            reply.text(2),
            reply.number(3) == 1,
            Long.parseLong(reply.text(4)),
            Duration.ofMillis(reply.number(5)),
            reply.number(6));
    if (!known.losses().isEmpty() && !known.losses().equals(now.losses())) {
      log.warn(
          "Filter '{}': Redis may have lost adds; this process adds its retained adds again",
          settings.filter());
    }
    if (known.losses().isEmpty()) {
      // This process has added nothing yet that could be missing.
      madeGood = now.losses();
    }
    view = now;
  }

  /**
   * The state of the filter at this process' last heartbeat.
   *
   * @param server the server of that heartbeat, empty before the first
   * @param created names the head
   * @param losses names the last loss
   * @param settled whether that loss is recovered
   * @param beat the head's beat
   * @param doubt how long keys may be missing that no process retains
   * @param count the live subjects
   */
  record View(
      String server,
      String created,
      String losses,
      boolean settled,
      long beat,
      Duration doubt,
      long count) {

    static final View NONE = new View("", "", "", false, 0, Duration.ZERO, 0);
  }
}
