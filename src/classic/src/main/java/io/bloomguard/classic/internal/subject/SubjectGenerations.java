package io.bloomguard.classic.internal.subject;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.WarningLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of subjects in Redis. Each lives on its own, from its first add until its time is
 * over: they have no common generations, no builds and no rollback.
 */
public final class SubjectGenerations implements SubjectFilters {

  private static final String NO_SUBJECT =
      "Only the filter of a subject can tell: name one in 'subject'.";
  private static final String EVICTION =
      "Redis may evict a subject's filter before its time is over, and its keys are UNKNOWN then:"
          + " set maxmemory-policy to noeviction";
  private static final String SETTLING =
      "Redis may have lost adds, so the keys that are not there are UNKNOWN until that is made"
          + " good";

  private static final Logger log = LoggerFactory.getLogger(SubjectGenerations.class);

  private final SubjectSettings settings;
  private final HashedSubjects hashed;
  private final RedisEnforcement enforcement;
  private final WarningLog warningLog;

  /**
   * Creates the filters without a command to Redis.
   *
   * @param secret keys the hash of keys and subjects; the same on every node
   */
  public SubjectGenerations(
      SubjectSettings settings, RedisConnections connections, HashSecret secret) {
    this(settings, connections, new HashedSubjects(settings, connections, secret));
  }

  SubjectGenerations(
      SubjectSettings settings, RedisConnections connections, HashedSubjects hashed) {
    this.settings = settings;
    this.hashed = hashed;
    byte[] head = new SubjectKeys(settings.keyPrefix(), settings.filter()).head();
    this.enforcement = new RedisEnforcement(settings.filter(), connections, head);
    this.warningLog = new WarningLog(settings.filter());
  }

  @Override
  public String backend() {
    return "redis";
  }

  @Override
  public MembershipStore of(String subject) {
    return new OneSubject(subject);
  }

  @Override
  public Membership check(String key) {
    return Membership.UNKNOWN;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    throw new AddFailedException(
        "Filter '" + settings.filter() + "' takes adds to the filter of a subject only", null);
  }

  @Override
  public long generation() {
    return hashed.register.view().created().isEmpty() ? 0 : 1;
  }

  @Override
  public String keyHash(String key) {
    return HexFormat.of().toHexDigits(hashed.hash(key));
  }

  @Override
  public FilterStatus status() {
    FilterShape shape = settings.shape();
    if (hashed.register.view().created().isEmpty()) {
      return new FilterStatus(FilterState.DOUBTFUL, 0, shape, 0, 0, 0, false);
    }
    long[] bits = hashed.sample.setBits();
    long median = bits.length == 0 ? 0 : bits[bits.length / 2];
    long elements = shape.estimateElements(median);
    FilterStatus status =
        new FilterStatus(
            FilterState.READY,
            1,
            shape,
            elements,
            fill(median),
            shape.falsePositiveProbabilityAt(elements),
            false);
    if (hashed.register.isTrusted()) {
      return status;
    }
    return hashed.register.refusal() != null ? status.in(FilterState.DOUBTFUL) : status.settling();
  }

  @Override
  public SubjectTotals totals() {
    long count = hashed.register.view().count();
    long[] bits = hashed.sample.setBits();
    return new SubjectTotals(
        count,
        count * settings.bytesOfSubject(),
        settings.mostSubjects(),
        settings.maxBytes(),
        elements(bits, count),
        bits.length == 0 ? 0 : fill(bits[bits.length / 2]),
        bits.length == 0 ? 0 : fill(bits[bits.length - 1]),
        bits.length);
  }

  /** The elements of all subjects, estimated from the average of the sampled ones. */
  private long elements(long[] bits, long subjects) {
    long sampled = Arrays.stream(bits).map(settings.shape()::estimateElements).sum();
    return bits.length == 0 ? 0 : Math.round((double) sampled / bits.length * subjects);
  }

  private double fill(long setBits) {
    return (double) setBits / settings.shape().bits();
  }

  @Override
  public KeyExplanation explain(String key) {
    return unknown(key, NO_SUBJECT);
  }

  @Override
  public KeyExplanation explain(String subject, String key) {
    String refusal = hashed.register.refusal();
    if (refusal != null) {
      return unknown(key, refusal + ".");
    }
    try {
      return explainSubject(hashed.subject(subject), key);
    } catch (RedisUnavailableException e) {
      return unknown(key, "Redis does not answer, so nothing is certain.");
    }
  }

  private KeyExplanation explainSubject(long subject, String key) {
    long hash = hashed.hash(key);
    LuaScript.Reply reply = hashed.reader.look(subject, hash);
    return switch (reply.outcome()) {
      case OK -> explain(hashed.image, hash, key, reply);
      case NONE ->
          settings.absentWhereMissing()
              ? new KeyExplanation(
                  key,
                  List.of(),
                  Membership.ABSENT,
                  "The subject has no filter, and per-subject.missing is 'absent'.")
              : unknown(key, "The subject has no filter: nothing was added, or its time is over.");
      case LOST -> unknown(key, "The subject's filter is lost, or may be, so nothing is certain.");
      case DAMAGED -> unknown(key, "The subject's image in Redis is damaged, or not ours.");
      default -> unknown(key, "The filter in Redis is not the one that this process knows.");
    };
  }

  private static KeyExplanation explain(
      SubjectImage image, long hash, String key, LuaScript.Reply reply) {
    ByteBuffer block = ByteBuffer.wrap(reply.bytes(2));
    long[] masks = image.masks();
    boolean present = image.has(hash, block, 0, masks);
    List<KeyExplanation.Bit> bits = new ArrayList<>();
    for (int word = 0; word < masks.length; word++) {
      long held = block.getLong(word * Long.BYTES);
      for (long mask = masks[word]; mask != 0; mask &= mask - 1) {
        int bit = Long.numberOfTrailingZeros(mask);
        long position = image.firstBit(hash) + (long) word * Long.SIZE + bit;
        bits.add(new KeyExplanation.Bit(position, (held >>> bit & 1) != 0));
      }
    }
    if (present) {
      return new KeyExplanation(
          key, bits, Membership.POSSIBLY_PRESENT, "Every bit of the key is set.");
    }
    return reply.number(1) == 0
        ? new KeyExplanation(
            key, bits, Membership.ABSENT, "At least one bit of the key is not set.")
        : new KeyExplanation(key, bits, Membership.UNKNOWN, SETTLING + ".");
  }

  private static KeyExplanation unknown(String key, String reason) {
    return new KeyExplanation(key, List.of(), Membership.UNKNOWN, reason);
  }

  /** Creates the head if there is none. A subject's filter begins with its first add. */
  @Override
  public void serveEmpty(FilterShape shape) {
    hashed.register.tell();
  }

  @Override
  public Enforcement enforcement() {
    return enforcement;
  }

  @Override
  public void heartbeat() {
    try {
      hashed.heartbeat();
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': no heartbeat sent", settings.filter(), e);
    }
  }

  @Override
  public void maintain() {
    enforcement.maintain();
    warningLog.look(hashed.problems(), List.of());
    try {
      hashed.writer.makeGood();
      hashed.sample.readIfDue();
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': maintained a second later", settings.filter(), e);
    }
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(settings.journalMemory().taken(), 0, settings.journalMemory().bound());
  }

  @Override
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(hashed.problems());
    String refusal = hashed.register.refusal();
    if (refusal != null) {
      warnings.add(refusal);
    }
    if (hashed.mayBeEvicted()) {
      warnings.add(EVICTION);
    }
    return warnings;
  }

  /** The filter of one subject. */
  private final class OneSubject implements MembershipStore {

    private final String subject;

    OneSubject(String subject) {
      this.subject = subject;
    }

    @Override
    public Membership check(String key) {
      return checkAll(List.of(key))[0];
    }

    @Override
    public Membership[] checkAll(List<String> keys) {
      return hashed.reader.check(hashed.subject(subject), hashed.hashes(keys));
    }

    @Override
    public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
      return CompletableFuture.supplyAsync(() -> checkAll(keys), waiting);
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      return hashed.writer.add(hashed.subject(subject), hashed.hashes(keys));
    }

    @Override
    public long generation() {
      return SubjectGenerations.this.generation();
    }

    @Override
    public String keyHash(String key) {
      return SubjectGenerations.this.keyHash(key);
    }
  }
}
