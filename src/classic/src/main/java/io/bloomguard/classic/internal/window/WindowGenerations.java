package io.bloomguard.classic.internal.window;

import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.classic.internal.small.SmallStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.Window;
import io.bloomguard.generation.WindowStatus;
import io.bloomguard.generation.internal.claim.Claim;
import io.bloomguard.generation.internal.claim.ClaimSettings;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.PendingAdd;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.ClaimSlot;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
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
public final class WindowGenerations extends SmallStore implements SmallStore.Place {

  /**
   * The most keys in one script times their generations, so that no script blocks Redis for more
   * than a few milliseconds.
   */
  private static final int LOOKS = 600;

  /** The fewest keys of a full script, for any number of generations. */
  private static final int SMALLEST_CHUNK = 8;

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

  private static final LuaScript WINDOW =
      LuaScript.of(SmallStore.class, "small").then(WindowGenerations.class, "window");
  private static final LuaScript BITS = WINDOW.then(SmallStore.class, "bits");
  private static final LuaScript CHECK = BITS.then(SmallStore.class, "check");
  private static final LuaScript ADD =
      ClaimSlot.withClaims(BITS)
          .then(WindowGenerations.class, "target")
          .then(SmallStore.class, "add");
  private static final LuaScript STATE = WINDOW.then(WindowGenerations.class, "state");

  private static final Logger log = LoggerFactory.getLogger(WindowGenerations.class);

  private final WindowFilter settings;
  private final List<byte[]> keys;

  /** The claims and their ends besides. */
  private final List<byte[]> keysOfAdds;

  private volatile ClaimSettings claims;
  private final String fingerprint;
  private final Duration settling;
  private final LongSupplier ahead;

  /** Part of the name of a head that a call makes, with a number that no other call has. */
  private final UUID process = UUID.randomUUID();

  private final AtomicLong calls = new AtomicLong();

  /** The last head seen, empty for none. */
  private volatile String epoch = "";

  private volatile WindowState last = WindowState.NONE;

  /** Creates a store that looks up its window in Redis on first use. */
  public WindowGenerations(WindowFilter settings) {
    this(settings, SETTLING, () -> 0);
  }

  /**
   * Creates a store with a clock that tests move.
   *
   * @param ahead milliseconds by which Redis' clock is put forward
   */
  WindowGenerations(WindowFilter settings, Duration settling, LongSupplier ahead) {
    super(
        settings.name(),
        settings.connections(),
        settings.keys().get(0),
        new SmallImage(settings.shape()),
        Math.max(SMALLEST_CHUNK, LOOKS / settings.window().count()),
        settings.hasher(),
        EVICTION);
    this.settings = settings;
    this.keys = settings.keys();
    this.keysOfAdds =
        Stream.concat(keys.stream(), new ClaimSlot(settings.base()).keys().stream()).toList();
    this.claims = ClaimSettings.usual(settings.name());
    this.fingerprint = settings.fingerprint();
    this.settling = settling;
    this.ahead = ahead;
  }

  @Override
  public Membership[] checkAll(List<String> asked) {
    return check(this, hashes(asked));
  }

  @Override
  public Membership checkHash(String keyHash) {
    return check(this, List.of(HexFormat.fromHexDigitsToLong(keyHash)))[0];
  }

  @Override
  public boolean[] addEach(List<String> added) {
    return add(this, hashes(added), null);
  }

  @Override
  public PendingAdd beginAdd(List<String> added, String text) {
    Claim claim = Claim.of(text, added);
    int[] indexes = new int[added.size()];
    Arrays.setAll(indexes, i -> i);
    ClaimPart part = new ClaimPart(filter, claim, claims, claims.maxBytes(), indexes);
    return PendingAdd.done(add(this, hashes(added), part));
  }

  /** Sets how the claims on adds are kept. */
  public WindowGenerations with(ClaimSettings settings) {
    claims = settings;
    return this;
  }

  @Override
  public LuaScript.Call check(Offsets offsets) {
    return start(CHECK, keys, offsets.perKey(), offsets.packed());
  }

  @Override
  public LuaScript.Call add(Offsets offsets) {
    List<Object> more = new ArrayList<>(List.of(offsets.perKey(), offsets.packed()));
    more.addAll(List.of(settings.mostBits(), settings.retention().toMillis()));
    more.addAll(ClaimPart.arguments(offsets.claim()));
    return start(ADD, keysOfAdds, more.toArray());
  }

  @Override
  public @Nullable Membership missing(LuaScript.Reply reply) {
    if (!isOurs(reply)) {
      return null;
    }
    return reply.number(2) == 1 ? Membership.ABSENT : Membership.UNKNOWN;
  }

  @Override
  public boolean takes(LuaScript.Reply reply) {
    if (!isOurs(reply)) {
      throw AddFailedException.foreign(filter, refusalOf(reply));
    }
    return true;
  }

  private LuaScript.Call start(LuaScript script, List<byte[]> names, Object... more) {
    String server = link.server();
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                server,
                fingerprint,
                epoch,
                process + "-" + calls.incrementAndGet(),
                settings.window().length().toMillis(),
                image.trailer(),
                settling.toMillis(),
                ahead.getAsLong()));
    arguments.addAll(Arrays.asList(more));
    return script.start(link.only(server), names, arguments.toArray());
  }

  /**
   * Whether a script's answer is of a window of these settings. Notes its head as the last one
   * seen, even one of other settings: if that is deleted, its keys are in doubt.
   */
  private boolean isOurs(LuaScript.Reply reply) {
    refusal.because(reply.ok() ? null : refusalOf(reply));
    if (!isTaken(reply)) {
      String now = reply.text(1);
      if (reply.ok() && !epoch.isEmpty() && !now.equals(epoch)) {
        log.warn(
            "Filter '{}': its window in Redis is gone or was made again, so that keys not in it are"
                + " unknown for {}",
            filter,
            settings.window().span());
      }
      epoch = now;
    }
    return reply.ok();
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
  public FilterStatus status() {
    WindowState now = read(link.timeout());
    return now == null
        ? last.status(settings.shape()).in(FilterState.DOUBTFUL)
        : now.status(settings.shape());
  }

  @Override
  public WindowStatus window() {
    return last.window(settings, image.size());
  }

  private @Nullable WindowState read(Duration timeout) {
    try {
      LuaScript.Reply reply = start(STATE, keys).await(timeout);
      if (!isOurs(reply)) {
        return null;
      }
      WindowState now = WindowState.of(reply);
      last = now;
      return now;
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': its window cannot be read: {}", filter, e.getMessage());
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
    link.awaitConnected(RedisConnections.CONNECT);
    if (read(RedisConnections.SLOW) == null && refusal.why() == null) {
      throw new StoreUnavailableException(
          "Filter '" + filter + "': its window in Redis cannot be reached", null);
    }
  }

  /** Reads the window, so that a loss is noted without an add or a check. */
  @Override
  public void maintain() {
    link.verify();
    read(RedisConnections.WRITE);
    super.maintain();
  }
}
