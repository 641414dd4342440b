package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.classic.internal.small.SmallImages;
import io.bloomguard.classic.internal.small.SmallStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.internal.Fingerprint;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of subjects in Redis. Each lives on its own, from its first add until its time is
 * over: they have no common generations, no builds and no rollback.
 */
public final class SubjectGenerations extends SmallStore implements SubjectFilters {

  /** The most keys in one script, so that none blocks Redis for more than a few milliseconds. */
  private static final int CHUNK = 200;

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
  private final KeyDigest digest;
  private final SubjectPlaces places;
  final SubjectRegister register;
  final SubjectWriter writer;
  final SubjectSample sample;

  /**
   * Creates the filters without a command to Redis.
   *
   * @param secret keys the hash of keys and subjects; the same on every node
   */
  public SubjectGenerations(
      SubjectSettings settings, RedisConnections connections, HashSecret secret) {
    this(settings, connections, secret, SubjectRegister.GRACE);
  }

  SubjectGenerations(
      SubjectSettings settings, RedisConnections connections, HashSecret secret, Duration grace) {
    this(
        settings,
        connections,
        secret,
        grace,
        new SubjectKeys(settings.keyPrefix(), settings.filter()),
        settings.folding().over(settings.hash().hasher(secret)));
  }

  private SubjectGenerations(
      SubjectSettings settings,
      RedisConnections connections,
      HashSecret secret,
      Duration grace,
      SubjectKeys keys,
      KeyHasher hasher) {
    super(
        settings.filter(),
        connections,
        keys.head(),
        new SmallImage(settings.shape()),
        CHUNK,
        hasher,
        EVICTION);
    this.settings = settings;
    this.digest = new KeyDigest(secret);
    SubjectImage image = new SubjectImage(Fingerprint.of(filter, settings.shape(), hasher, 1, 0));
    this.register = new SubjectRegister(settings, keys, image.fingerprint(), link, refusal, grace);
    this.places = new SubjectPlaces(settings, keys, image, register, link, refusal);
    this.writer = new SubjectWriter(settings, images, places, register);
    this.sample = new SubjectSample(keys, settings.shape(), connections.builds(keys.head()));
  }

  /** The hash that names a subject of this filter in Redis; no other subject has it. */
  long subject(String name) {
    return digest.number("subject\0" + filter + "\0" + name);
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
        "Filter '" + filter + "' takes adds to the filter of a subject only", null);
  }

  @Override
  public long generation() {
    return register.view().created().isEmpty() ? 0 : 1;
  }

  @Override
  public FilterStatus status() {
    FilterShape shape = settings.shape();
    if (register.view().created().isEmpty()) {
      return new FilterStatus(FilterState.DOUBTFUL, 0, shape, 0, 0, 0, false);
    }
    long[] bits = sample.setBits();
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
    if (register.isTrusted()) {
      return status;
    }
    return refusal.why() != null ? status.in(FilterState.DOUBTFUL) : status.settling();
  }

  @Override
  public SubjectTotals totals() {
    long count = register.view().count();
    long[] bits = sample.setBits();
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
    String why = refusal.why();
    if (why != null) {
      return unknown(key, why + ".");
    }
    try {
      return explainSubject(subject(subject), key);
    } catch (RedisUnavailableException e) {
      return unknown(key, "Redis does not answer, so nothing is certain.");
    }
  }

  private KeyExplanation explainSubject(long subject, String key) {
    byte[] bits = images.offsets(List.of(hash(key))).packed();
    // Each bit as if it were a key of its own.
    LuaScript.Reply reply =
        places.of(subject).check(new SmallImages.Offsets(1, bits)).await(link.timeout());
    return switch (reply.outcome()) {
      case OK -> explain(bits, key, reply);
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

  private static KeyExplanation explain(byte[] packed, String key, LuaScript.Reply reply) {
    String set = reply.text(3);
    Map<Long, Boolean> byPosition = new TreeMap<>();
    IntBuffer offsets = ByteBuffer.wrap(packed).asIntBuffer();
    for (int i = 0; i < set.length(); i++) {
      byPosition.put(SmallImage.position(offsets.get(i)), set.charAt(i) == '1');
    }
    List<KeyExplanation.Bit> bits =
        byPosition.entrySet().stream()
            .map(bit -> new KeyExplanation.Bit(bit.getKey(), bit.getValue()))
            .toList();
    if (!byPosition.containsValue(false)) {
      return new KeyExplanation(
          key, bits, Membership.POSSIBLY_PRESENT, "Every bit of the key is set.");
    }
    return reply.number(2) == 1
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
    register.tell();
  }

  @Override
  public void heartbeat() {
    try {
      link.verify();
      register.tellIfFree();
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': no heartbeat sent", filter, e);
    }
  }

  @Override
  public void maintain() {
    super.maintain();
    try {
      writer.makeGood();
      sample.readIfDue();
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': maintained a second later", filter, e);
    }
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(settings.journalMemory().taken(), 0, settings.journalMemory().bound());
  }

  /** The filter of one subject. */
  private final class OneSubject implements MembershipStore {

    private final long subject;

    OneSubject(String subject) {
      this.subject = subject(subject);
    }

    @Override
    public Membership check(String key) {
      return checkAll(List.of(key))[0];
    }

    @Override
    public Membership[] checkAll(List<String> keys) {
      if (refusal.why() == null) {
        return images.check(places.of(subject), hashes(keys));
      }
      Membership[] unknown = new Membership[keys.size()];
      Arrays.fill(unknown, Membership.UNKNOWN);
      return unknown;
    }

    @Override
    public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
      return CompletableFuture.supplyAsync(() -> checkAll(keys), waiting);
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      return writer.add(subject, hashes(keys));
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
