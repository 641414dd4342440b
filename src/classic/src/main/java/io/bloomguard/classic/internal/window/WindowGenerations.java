package io.bloomguard.classic.internal.window;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.ForeignDataException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.client.WarningLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A filter of the keys that were added within a window of time, in Redis and by its clock.
 *
 * <p>One script reads all generations and writes the newest, so that of all adders of a key only
 * one is told that it is new, even across the turn from one generation to the next. An acknowledged
 * key is not absent for as long as {@link Window#least}. A head names the generations that were
 * begun. If one is missing, cut or put back, or may be because Redis was started again or another
 * server took its place, every key that no generation has is unknown until it would have left the
 * window. A head of other settings or of another secret is left alone as long as one of its
 * generations may be live: every key is unknown then, and adds are refused. The same holds if a key
 * has data of another program, which is never changed or deleted.
 */
public final class WindowGenerations implements FilterStore {

  /**
   * The most keys in one script times their generations, so that no script blocks Redis for more
   * than a few milliseconds.
   */
  private static final int LOOKS = 600;

  /** The fewest keys of a full script, for any number of generations. */
  private static final int SMALLEST_CHUNK = 8;

  /** The most scripts under way. */
  private static final int CHUNKS_AT_ONCE = 15;

  /**
   * The time for which a newly made head trusts nothing, so that processes which have seen another
   * can report it; each does within a second.
   */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private static final String EVICTION =
      "Redis has a memory limit and an eviction policy (allkeys-... or volatile-...) that may"
          + " remove generations of the window, which then answers UNKNOWN until they would have"
          + " passed: set maxmemory-policy to noeviction";

  private static final String FOREIGN =
      "Redis holds a window with other settings or another secret, so every key is UNKNOWN and no"
          + " add is taken: set expected-insertions, false-positive-probability, window.length,"
          + " window.count, hash, the keys' folding and bloomguard.hash-secret as the other"
          + " processes have them, give the filter another name, stop the other processes and wait"
          + " until their window has passed, or stop them and delete the key that ends in"
          + " :window}:head, which gives up what they have added";

  private static final LuaScript ADD = LuaScript.of(WindowGenerations.class, "window", "add");
  private static final LuaScript CHECK = LuaScript.of(WindowGenerations.class, "window", "check");
  private static final LuaScript STATE = LuaScript.of(WindowGenerations.class, "window", "state");

  private static final Logger log = LoggerFactory.getLogger(WindowGenerations.class);

  private final WindowFilter filter;
  private final int chunk;
  private final WindowImage image;
  private final WindowKeys keys;
  private final RedisLink link;
  private final String fingerprint;
  private final String mostBits;
  private final Duration settling;
  private final LongSupplier ahead;
  private final RedisEnforcement enforcement;
  private final WarningLog warningLog;

  /** Part of the name of a head that a call makes, with a number that no other call has. */
  private final UUID process = UUID.randomUUID();

  private final AtomicLong calls = new AtomicLong();

  /** The last head seen, empty for none. */
  private volatile String epoch = "";

  /** The reason to refuse the present data: another program's, other settings, another secret. */
  private volatile @Nullable String refusal;

  /** What Redis refused of the last check; null for nothing. */
  private volatile @Nullable String unread;

  private volatile WindowState last = WindowState.NONE;

  /** Creates a store that looks up its window in Redis on first use. */
  public WindowGenerations(WindowFilter filter) {
    this(filter, SETTLING, () -> 0);
  }

  /**
   * Creates a store with a clock that tests move.
   *
   * @param ahead milliseconds by which Redis' clock is put forward
   */
  WindowGenerations(WindowFilter filter, Duration settling, LongSupplier ahead) {
    this.filter = filter;
    this.chunk = Math.max(SMALLEST_CHUNK, LOOKS / filter.window().count());
    this.image = new WindowImage(filter.shape());
    this.keys = new WindowKeys(filter);
    this.link = filter.connections().requests(keys.head());
    this.fingerprint =
        Fingerprint.of(filter.name(), filter.shape(), filter.hasher(), 1, 0).text()
            + ";length="
            + filter.window().length().toMillis()
            + ";count="
            + filter.window().count();
    Double full = filter.rotateAtFill();
    this.mostBits = full == null ? "" : Long.toString((long) (full * filter.shape().bits()));
    this.enforcement = new RedisEnforcement(filter.name(), filter.connections(), keys.head());
    this.warningLog = new WarningLog(filter.name());
    this.settling = settling;
    this.ahead = ahead;
  }

  /** Whether one generation of a shape fits in Redis. */
  public static boolean fits(FilterShape shape) {
    return WindowImage.fits(shape);
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public Membership check(String key) {
    return checkAll(List.of(key))[0];
  }

  @Override
  public Membership[] checkAll(List<String> asked) {
    return checkHashes(hashes(asked));
  }

  @Override
  public Membership checkHash(String keyHash) {
    return checkHashes(List.of(HexFormat.fromHexDigitsToLong(keyHash)))[0];
  }

  private Membership[] checkHashes(List<Long> hashes) {
    Membership[] answers = new Membership[hashes.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    for (int from = 0; from < hashes.size() && link.breaker().allows(); ) {
      List<LuaScript.Call> sent = new ArrayList<>();
      int first = from;
      for (; from < hashes.size() && sent.size() < CHUNKS_AT_ONCE; from += chunk) {
        sent.add(start(CHECK, offsets(hashes, from)));
      }
      for (int i = 0; i < sent.size(); i++) {
        answer(sent.get(i), answers, first + i * chunk);
      }
    }
    return answers;
  }

  @Override
  public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
    return CompletableFuture.supplyAsync(() -> checkAll(keys), waiting);
  }

  private void answer(LuaScript.Call call, Membership[] answers, int at) {
    LuaScript.Reply reply = awaitInTime(call);
    if (reply == null) {
      return;
    }
    Membership other = reply.number(2) == 1 ? Membership.ABSENT : Membership.UNKNOWN;
    String found = reply.text(3);
    for (int i = 0; i < found.length(); i++) {
      answers[at + i] = found.charAt(i) == '1' ? Membership.POSSIBLY_PRESENT : other;
    }
  }

  @Override
  public boolean[] addEach(List<String> added) {
    boolean[] isNew = new boolean[added.size()];
    List<Long> hashes = hashes(added);
    for (int from = 0; from < hashes.size(); ) {
      List<LuaScript.Call> sent = new ArrayList<>();
      int first = from;
      for (; from < hashes.size() && sent.size() < CHUNKS_AT_ONCE; from += chunk) {
        List<Object> arguments = offsets(hashes, from);
        arguments.add(mostBits);
        arguments.add(filter.retention().toMillis());
        sent.add(start(ADD, arguments));
      }
      for (int i = 0; i < sent.size(); i++) {
        String flags = added(sent.get(i));
        for (int at = flags.indexOf('1'); at >= 0; at = flags.indexOf('1', at + 1)) {
          isNew[first + i * chunk + at] = true;
        }
      }
    }
    return isNew;
  }

  private String added(LuaScript.Call call) {
    try {
      LuaScript.Reply reply = call.await(RedisConnections.WRITE);
      if (isOurs(reply)) {
        return reply.text(2);
      }
      throw new ForeignDataException(filter.name(), refusalOf(reply));
    } catch (RedisUnavailableException e) {
      throw new AddFailedException(
          "Filter '" + filter.name() + "' could not take an add: " + e.getMessage(), e);
    }
  }

  private List<Long> hashes(List<String> asked) {
    List<Long> hashes = new ArrayList<>(asked.size());
    for (String key : asked) {
      hashes.add(filter.hasher().hash(key));
    }
    return hashes;
  }

  private List<Object> offsets(List<Long> hashes, int from) {
    List<Long> some = hashes.subList(from, Math.min(hashes.size(), from + chunk));
    return new ArrayList<>(List.of(filter.shape().hashes(), some.size(), image.offsets(some)));
  }

  private LuaScript.Call start(LuaScript script, List<Object> more) {
    String server = link.server();
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                server,
                fingerprint,
                epoch,
                process + "-" + calls.incrementAndGet(),
                filter.window().length().toMillis(),
                image.trailer(),
                settling.toMillis(),
                ahead.getAsLong()));
    arguments.addAll(more);
    return script.start(link.only(server), keys.all(), arguments.toArray());
  }

  /** Null if no answer came in the time of a check, or the present data is refused. */
  private LuaScript.@Nullable Reply awaitInTime(LuaScript.Call call) {
    try {
      LuaScript.Reply reply = call.await(link.timeout());
      link.breaker().answered();
      unread = null;
      return isOurs(reply) ? reply : null;
    } catch (RedisUnavailableException e) {
      unread = e.isRefusal() ? e.getMessage() : null;
      if (e.getCause() instanceof TimeoutException) {
        link.unanswered();
      }
      return null;
    }
  }

  /**
   * Whether a script's answer is of a window of these settings. Notes its head as the last one
   * seen, even one of other settings: if that is deleted, its keys are in doubt.
   */
  private boolean isOurs(LuaScript.Reply reply) {
    if (!reply.ok()) {
      refuse(refusalOf(reply));
    }
    if (isTaken(reply)) {
      return false;
    }
    String now = reply.text(1);
    if (reply.ok() && !epoch.isEmpty() && !now.equals(epoch)) {
      log.warn(
          "Filter '{}': its window in Redis is gone or was made again, so that keys not in it are"
              + " unknown for {}",
          filter.name(),
          filter.window().span());
    }
    if (reply.ok()) {
      refusal = null;
    }
    epoch = now;
    return reply.ok();
  }

  private void refuse(String why) {
    if (!why.equals(refusal)) {
      log.warn("Filter '{}': {}", filter.name(), why);
    }
    refusal = why;
  }

  private static boolean isTaken(LuaScript.Reply reply) {
    return reply.outcome() == ScriptOutcome.TAKEN;
  }

  private static String refusalOf(LuaScript.Reply reply) {
    if (!isTaken(reply)) {
      return FOREIGN;
    }
    return reply.text(1).equals("head")
        ? ForeignData.reason("the window's head", "its name ends in :window}:head")
        : ForeignData.reason("a generation of the window", "its name has :window}:image:");
  }

  @Override
  public long generation() {
    return last.newest();
  }

  @Override
  public String keyHash(String key) {
    return HexFormat.of().toHexDigits(filter.hasher().hash(key));
  }

  @Override
  public FilterStatus status() {
    WindowState now = read(link.timeout());
    return now == null
        ? last.status(filter.shape()).in(FilterState.DOUBTFUL)
        : now.status(filter.shape());
  }

  @Override
  public WindowStatus window() {
    return last.window(filter, image.sizeBytes());
  }

  private @Nullable WindowState read(Duration timeout) {
    try {
      LuaScript.Reply reply = start(STATE, List.of()).await(timeout);
      if (!isOurs(reply)) {
        return null;
      }
      WindowState now = WindowState.of(reply);
      last = now;
      return now;
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its window cannot be read: {}", filter.name(), e.getMessage());
      return null;
    }
  }

  @Override
  public KeyExplanation explain(String key) {
    Membership membership = check(key);
    String reason =
        switch (membership) {
          case POSSIBLY_PRESENT -> "A generation of the window has every bit of the key.";
          case ABSENT -> "No generation of the window has every bit of the key.";
          case UNKNOWN ->
              "No generation of the window that can be read has every bit of the key, and one is"
                  + " out of reach or may have lost keys.";
        };
    return new KeyExplanation(key, List.of(), membership, reason);
  }

  /** The first generation begins with the first add. */
  @Override
  public void serveEmpty(FilterShape shape) {
    filter.connections().requests(keys.head()).awaitConnected(RedisConnections.CONNECT);
    if (read(RedisConnections.SLOW) == null && refusal == null) {
      throw new StoreUnavailableException(
          "Filter '" + filter.name() + "': its window in Redis cannot be reached", null);
    }
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  /** Reads the window, so that a loss is noted without an add or a check. */
  @Override
  public void maintain() {
    link.verify();
    read(RedisConnections.WRITE);
    enforcement.maintain();
    warningLog.look(problems(), List.of());
  }

  /** What keeps checks from an answer at present. */
  private List<String> problems() {
    return Stream.of(link.problem(), unread).filter(Objects::nonNull).toList();
  }

  @Override
  public List<String> warnings() {
    RedisSession session = link.session();
    List<String> warnings = new ArrayList<>(problems());
    String why = refusal;
    if (why != null) {
      warnings.add(why);
    }
    if (session != null && session.evictsExpiring()) {
      warnings.add(EVICTION);
    }
    return warnings;
  }
}
