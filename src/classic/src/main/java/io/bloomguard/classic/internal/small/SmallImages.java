package io.bloomguard.classic.internal.small;

import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.ClaimPart;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Checks and adds of a filter that keeps its keys in small images, in chunks and some at once. */
public final class SmallImages {

  /** The most scripts under way. */
  private static final int CHUNKS_AT_ONCE = 15;

  private static final int ATTEMPTS = 8;

  private final String filter;
  private final SmallImage image;
  private final RedisLink link;
  private final int chunk;

  /** What Redis refused of the last check; null for nothing. */
  private volatile @Nullable String unread;

  /**
   * Creates checks and adds that send nothing yet.
   *
   * @param chunk the most keys of a script, so that none blocks Redis for more than a few
   *     milliseconds
   */
  public SmallImages(String filter, SmallImage image, RedisLink link, int chunk) {
    this.filter = filter;
    this.image = image;
    this.link = link;
    this.chunk = chunk;
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
  public record Offsets(int perKey, byte[] packed, @Nullable ClaimPart claim) {

    /** The bits of keys without a claim. */
    public Offsets(int perKey, byte[] packed) {
      this(perKey, packed, null);
    }
  }

  private record Sent(int from, int to, Offsets offsets, LuaScript.Call call) {}

  /** The memberships of hashes, in their order; what is in doubt is UNKNOWN. Never throws. */
  public Membership[] check(Place place, List<Long> hashes) {
    Membership[] answers = new Membership[hashes.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    if (link.server().equals(RedisSession.ANY)) {
      return answers;
    }
    for (int from = 0; from < answers.length && link.breaker().allows(); from += atOnce()) {
      for (Sent sent : start(hashes, null, from, place::check)) {
        LuaScript.Reply reply = awaitInTime(sent.call());
        if (reply == null) {
          // The server did not answer: the remaining hashes are not sent.
          return answers;
        }
        Membership missing = place.missing(reply);
        String found = reply.ok() ? reply.text(3) : "";
        for (int i = sent.from(); missing != null && i < sent.to(); i++) {
          boolean has = i - sent.from() < found.length() && found.charAt(i - sent.from()) == '1';
          answers[i] = has ? Membership.POSSIBLY_PRESENT : missing;
        }
      }
    }
    return answers;
  }

  /**
   * Adds hashes.
   *
   * @return for each whether it was new
   * @throws AddFailedException if they could not be stored
   */
  public boolean[] add(Place place, List<Long> hashes) {
    return add(place, hashes, null);
  }

  /**
   * Adds hashes under a claim.
   *
   * @return for each whether it was new
   * @throws io.bloomguard.guard.ClaimRefusedException if the claim stands for other keys
   * @throws AddFailedException if they could not be stored
   */
  public boolean[] add(Place place, List<Long> hashes, @Nullable ClaimPart claim) {
    boolean[] isNew = new boolean[hashes.size()];
    for (int from = 0; from < isNew.length; from += atOnce()) {
      for (Sent sent : start(hashes, claim, from, place::add)) {
        String flags = accepted(place, sent);
        for (int i = sent.from(); i < sent.to(); i++) {
          isNew[i] = flags.charAt(i - sent.from()) == '1';
        }
      }
    }
    return isNew;
  }

  private String accepted(Place place, Sent sent) {
    try {
      LuaScript.Call call = sent.call();
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        LuaScript.Reply reply = call.await(RedisConnections.WRITE);
        if (sent.offsets().claim() != null) {
          sent.offsets().claim().requireTaken(reply);
        }
        if (place.takes(reply)) {
          return reply.text(2);
        }
        call = place.add(sent.offsets());
      }
    } catch (RedisUnavailableException e) {
      throw failed(String.valueOf(e.getMessage()), e);
    }
    throw failed("its head in Redis changed again and again", null);
  }

  /** An add that failed. */
  public AddFailedException failed(String why, @Nullable Throwable cause) {
    return new AddFailedException("Filter '" + filter + "' could not take an add: " + why, cause);
  }

  private int atOnce() {
    return chunk * CHUNKS_AT_ONCE;
  }

  private List<Sent> start(
      List<Long> hashes,
      @Nullable ClaimPart claim,
      int from,
      Function<Offsets, LuaScript.Call> script) {
    List<Sent> sent = new ArrayList<>();
    int end = Math.min(hashes.size(), from + atOnce());
    for (int at = from; at < end; at += chunk) {
      int to = Math.min(end, at + chunk);
      Offsets offsets =
          new Offsets(
              image.perKey(),
              image.offsets(hashes.subList(at, to)),
              claim == null ? null : claim.part(at, to));
      sent.add(new Sent(at, to, offsets, script.apply(offsets)));
    }
    return sent;
  }

  /** The bits of some hashes. */
  public Offsets offsets(List<Long> hashes) {
    return new Offsets(image.perKey(), image.offsets(hashes));
  }

  /** Hashes in parts of one script each. */
  public List<List<Long>> chunks(List<Long> hashes) {
    List<List<Long>> chunks = new ArrayList<>();
    for (int from = 0; from < hashes.size(); from += chunk) {
      chunks.add(hashes.subList(from, Math.min(hashes.size(), from + chunk)));
    }
    return chunks;
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

  /** What Redis refused of the last check, as a sentence; null for nothing. */
  @Nullable String unread() {
    return unread;
  }
}
