package io.bloomguard.classic.internal.small;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.Attempts;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import io.bloomguard.redis.internal.client.WarningLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A filter of small images in Redis: its keys' hashes, its checks and adds, in chunks and some at
 * once, and what operators see of it.
 */
public abstract class SmallStore extends AskedStore {

  /** The most scripts under way. */
  private static final int CHUNKS_AT_ONCE = 15;

  protected final String filter;
  protected final SmallImage image;
  protected final RedisLink link;
  protected final DataRefusal refusal;
  private final int chunk;
  private final KeyHasher hasher;
  private final String eviction;
  private final WarningLog warningLog;

  /** What Redis refused of the last check; null for nothing. */
  private volatile @Nullable String unread;

  /**
   * Creates a store that sends nothing yet.
   *
   * @param head the key in Redis of the filter's state
   * @param chunk the most keys of a script, so that none blocks Redis for more than a few
   *     milliseconds
   * @param eviction the warning if Redis may evict the images
   */
  protected SmallStore(
      String filter,
      RedisConnections connections,
      byte[] head,
      SmallImage image,
      int chunk,
      KeyHasher hasher,
      String eviction) {
    super(new RedisEnforcement(filter, connections, head));
    this.filter = filter;
    this.image = image;
    this.link = connections.requests(head);
    this.refusal = new DataRefusal(filter);
    this.chunk = chunk;
    this.hasher = hasher;
    this.eviction = eviction;
    this.warningLog = new WarningLog(filter);
  }

  /** The images that one call concerns, and their state in Redis. */
  public interface Place {

    /** Sends the script that ends with {@code check.lua}. */
    LuaScript.Call check(Offsets offsets);

    /** Sends the script that ends with {@code add.lua}. */
    LuaScript.Call add(Offsets offsets);

    /** The answer for keys in no image; null if no key has an answer. */
    @Nullable Membership missing(LuaScript.Reply reply);

    /**
     * Whether an add was taken; false if it changed nothing and is to be sent again.
     *
     * @throws AddFailedException if it is refused
     */
    boolean takes(LuaScript.Reply reply);
  }

  /**
   * The bits of keys.
   *
   * @param perKey how many each key has
   * @param packed as unsigned big-endian 32-bit numbers
   * @param claim under which the keys are added; null for none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Offsets(int perKey, byte[] packed, @Nullable ClaimPart claim) {}

  private record Sent(int from, int to, Offsets offsets, LuaScript.Call call) {

    /** Passes on the flag of each key, and the key's place in the call; false without a flag. */
    void each(String flags, BiConsumer<Integer, Boolean> key) {
      for (int i = from; i < to; i++) {
        key.accept(i, i - from < flags.length() && flags.charAt(i - from) == '1');
      }
    }
  }

  /** The memberships of hashes, in their order; what is in doubt is UNKNOWN. Never throws. */
  protected final Membership[] check(Place place, List<Long> hashes) {
    Membership[] answers = unknown(hashes.size());
    if (link.server().equals(RedisSession.ANY)) {
      return answers;
    }
    send(
        hashes,
        null,
        () -> link.breaker().allows(),
        place::check,
        sent -> {
          LuaScript.Reply reply = awaitInTime(sent.call());
          Membership missing = reply == null ? null : place.missing(reply);
          if (reply != null && missing != null) {
            sent.each(
                reply.ok() ? reply.text(3) : "",
                (i, has) -> answers[i] = has ? Membership.POSSIBLY_PRESENT : missing);
          }
          // Where the server did not answer, the remaining hashes are not sent.
          return reply != null;
        });
    return answers;
  }

  /** As many answers to keys of which nothing is known. */
  protected static Membership[] unknown(int count) {
    Membership[] answers = new Membership[count];
    Arrays.fill(answers, Membership.UNKNOWN);
    return answers;
  }

  /**
   * Adds hashes.
   *
   * @param claim under which they are added; null for none
   * @return for each whether it was new
   * @throws io.bloomguard.guard.ClaimRefusedException if the claim stands for other keys
   * @throws AddFailedException if they could not be stored
   */
  protected final boolean[] add(Place place, List<Long> hashes, @Nullable ClaimPart claim) {
    boolean[] isNew = new boolean[hashes.size()];
    send(
        hashes,
        claim,
        () -> true,
        place::add,
        sent -> {
          sent.each(accepted(place, sent), (i, added) -> isNew[i] = added);
          return true;
        });
    return isNew;
  }

  private String accepted(Place place, Sent sent) {
    Offsets offsets = sent.offsets();
    try {
      String first = taken(place, offsets, sent.call());
      String flags =
          first != null ? first : Attempts.of(() -> taken(place, offsets, place.add(offsets)));
      if (flags != null) {
        return flags;
      }
    } catch (RedisUnavailableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    throw failed("its head in Redis changed again and again", null);
  }

  /** An add that failed. */
  protected final AddFailedException failed(String why, @Nullable Throwable cause) {
    return failed(filter, why, cause);
  }

  /** For each key whether it was new; null if the add changed nothing and is to be sent again. */
  private static @Nullable String taken(Place place, Offsets offsets, LuaScript.Call add) {
    LuaScript.Reply reply = add.await(RedisConnections.WRITE);
    if (offsets.claim() != null) {
      offsets.claim().requireTaken(reply);
    }
    return place.takes(reply) ? reply.text(2) : null;
  }

  /**
   * Adds hashes that Redis may have lost, each at most once.
   *
   * @return whether all of the scripts ended in one of {@code done}
   * @throws RedisUnavailableException if Redis does not answer
   */
  protected final boolean addAgain(Place place, List<Long> hashes, Set<ScriptOutcome> done) {
    return send(
        hashes,
        null,
        () -> true,
        place::add,
        sent -> done.contains(sent.call().await(RedisConnections.WRITE).outcome()));
  }

  /**
   * Sends hashes in chunks, some at once, and takes the answers in their order.
   *
   * @param more asked before each of some
   * @param taken whether to continue after an answer
   * @return whether all were sent and taken
   */
  private boolean send(
      List<Long> hashes,
      @Nullable ClaimPart claim,
      BooleanSupplier more,
      Function<Offsets, LuaScript.Call> script,
      Predicate<Sent> taken) {
    for (int from = 0; from < hashes.size(); from += chunk * CHUNKS_AT_ONCE) {
      if (!more.getAsBoolean()) {
        return false;
      }
      List<Sent> sent = new ArrayList<>();
      int end = Math.min(hashes.size(), from + chunk * CHUNKS_AT_ONCE);
      for (int at = from; at < end; at += chunk) {
        int to = Math.min(end, at + chunk);
        byte[] packed = image.offsets(hashes.subList(at, to));
        ClaimPart part = claim == null ? null : claim.part(at, to);
        Offsets offsets = new Offsets(image.perKey(), packed, part);
        sent.add(new Sent(at, to, offsets, script.apply(offsets)));
      }
      if (!sent.stream().allMatch(taken)) {
        return false;
      }
    }
    return true;
  }

  private LuaScript.@Nullable Reply awaitInTime(LuaScript.Call call) {
    try {
      LuaScript.Reply reply = call.await(link.timeout());
      link.breaker().answered();
      unread = null;
      return reply;
    } catch (RedisUnavailableException e) {
      unread = e.isRefusal() ? e.getMessage() : null;
      if (e.getCause() instanceof TimeoutException) {
        link.unanswered();
      }
      return null;
    }
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public String keyHash(String key) {
    return HexFormat.of().toHexDigits(hash(key));
  }

  /** The hash of a canonical key. */
  public final long hash(String key) {
    return hasher.hash(key);
  }

  /** The hashes of canonical keys. */
  protected final List<Long> hashes(List<String> keys) {
    return keys.stream().map(hasher::hash).toList();
  }

  @Override
  public void maintain() {
    super.maintain();
    warningLog.look(problems(), List.of());
  }

  /** What keeps checks from an answer at present. */
  private List<String> problems() {
    return Stream.of(link.problem(), unread).filter(Objects::nonNull).toList();
  }

  @Override
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(problems());
    String why = refusal.why();
    if (why != null) {
      warnings.add(why);
    }
    RedisSession session = link.session();
    if (session != null && session.evictsExpiring()) {
      warnings.add(eviction);
    }
    return warnings;
  }
}
