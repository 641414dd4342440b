package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.classic.internal.small.SmallStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.internal.KeyDigest;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.JournalSize;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.SubjectTotals;
import io.bloomguard.generation.internal.journal.Journal;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.MembershipStore;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import io.bloomguard.redis.internal.client.ScriptOutcome;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of subjects in Redis. Each lives on its own, from its first add until its time is
 * over: they have no common generations, no builds and no rollback.
 *
 * <p>This process retains its adds before it sends them, for the retention of its journal, and adds
 * again those that Redis may have lost.
 */
public final class SubjectGenerations extends SmallStore implements SubjectFilters {

  /** The least time of a doubt: the other processes must have had the time to report. */
  public static final Duration GRACE = Duration.ofSeconds(2);

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

  private static final String TAKEN =
      ForeignData.reason("the bits of a subject", "its name has :subject: and the subject's hash");

  /** A subject that finds no room has no filter, so its keys are unknown unless set otherwise. */
  private static final Set<ScriptOutcome> ADDED_AGAIN =
      Set.of(ScriptOutcome.OK, ScriptOutcome.FULL);

  private static final LuaScript STATE =
      SubjectRegister.SUBJECTS
          .then(SubjectGenerations.class, "head")
          .then(SmallStore.class, "bits");
  private static final LuaScript CHECK =
      STATE.then(SubjectGenerations.class, "whole").then(SmallStore.class, "check");
  private static final LuaScript ADD =
      STATE.then(SubjectGenerations.class, "target").then(SmallStore.class, "add");

  private static final Logger log = LoggerFactory.getLogger(SubjectGenerations.class);

  private final SubjectSettings settings;
  private final SubjectForm form;
  private final KeyDigest digest;
  private final Journal journal;
  final SubjectRegister register;
  final SubjectSample sample;

  /**
   * Creates the filters without a command to Redis.
   *
   * @param secret keys the hash of keys and subjects; the same on every node
   * @param grace {@link #GRACE} but in tests
   */
  public SubjectGenerations(
      SubjectSettings settings, RedisConnections connections, HashSecret secret, Duration grace) {
    this(settings, connections, secret, grace, settings.form(secret));
  }

  private SubjectGenerations(
      SubjectSettings settings,
      RedisConnections connections,
      HashSecret secret,
      Duration grace,
      SubjectForm form) {
    super(
        settings.filter(),
        connections,
        form.head(),
        new SmallImage(settings.shape()),
        CHUNK,
        settings.hasher(secret),
        EVICTION);
    this.settings = settings;
    this.form = form;
    this.digest = new KeyDigest(secret);
    this.journal =
        new Journal(filter, 2, settings.retention(), System::nanoTime, settings.journalMemory());
    this.register = new SubjectRegister(settings, form, link, refusal, grace);
    this.sample = new SubjectSample(form, settings.shape(), connections.builds(form.head()));
  }

  /** The hash that names a subject of this filter in Redis; no other subject has it. */
  long subject(String name) {
    return digest.number("subject\0" + filter + "\0" + name);
  }

  @Override
  public MembershipStore of(String subject) {
    return new OneSubject(subject(subject), "");
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
    FilterStatus status = filled(1, shape, bits.length == 0 ? 0 : bits[bits.length / 2]);
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
      return unknown(key, SILENT);
    }
  }

  private KeyExplanation explainSubject(long subject, String key) {
    byte[] bits = image.offsets(List.of(hash(key)));
    // Each bit as if it were a key of its own.
    LuaScript.Reply reply =
        new OneSubject(subject, "").check(new Offsets(1, bits, null)).await(link.timeout());
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
      makeGood();
      sample.readIfDue();
    } catch (RedisUnavailableException e) {
      log.debug("Filter '{}': maintained a second later", filter, e);
    }
  }

  @Override
  public JournalSize journalSize() {
    return new JournalSize(settings.journalMemory().taken(), 0, settings.journalMemory().bound());
  }

  /**
   * Adds this process' retained adds again, if Redis has lost writes since.
   *
   * @throws RedisUnavailableException if Redis does not answer; the next call tries again
   */
  void makeGood() {
    journal.sweep();
    String losses = register.view().losses();
    if (!register.isBehind() || losses.isEmpty()) {
      return;
    }
    boolean[] whole = {true};
    journal.forEach((entries, count) -> whole[0] &= addAgain(entries, count, losses));
    if (whole[0]) {
      register.madeGood(losses);
      register.tell();
      log.info("Filter '{}': this process adds its retained adds again", filter);
    }
  }

  /** Returns false if a further loss came meanwhile. All keys of a subject come together. */
  private boolean addAgain(long[] entries, int count, String losses) {
    Map<Long, List<Long>> bySubject = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      bySubject.computeIfAbsent(entries[2 * i], s -> new ArrayList<>()).add(entries[2 * i + 1]);
    }
    return bySubject.entrySet().stream()
        .allMatch(
            each -> addAgain(new OneSubject(each.getKey(), losses), each.getValue(), ADDED_AGAIN));
  }

  /** Refuses adds to another program's data, or to a filter of other settings. */
  private void requireOurs() {
    String why = refusal.why();
    if (why != null) {
      throw AddFailedException.foreign(filter, why);
    }
  }

  private AddFailedException full(Duration retryAfter) {
    return AddFailedException.full(
        ("Filter '%s' takes no further subject for now: it has %d, the bound of"
                + " bloomguard.filters.%1$s.per-subject.%s; raise that, or shorten per-subject.ttl")
            .formatted(
                filter,
                settings.mostSubjects(),
                settings.isBoundByBytes() ? "max-bytes" : "max-subjects"),
        retryAfter);
  }

  /** The filter of one subject, and its image in Redis. */
  private final class OneSubject implements MembershipStore, Place {

    private final long subject;

    /** The loss after which keys are added again; empty for new keys. */
    private final String losses;

    OneSubject(long subject, String losses) {
      this.subject = subject;
      this.losses = losses;
    }

    @Override
    public Membership check(String key) {
      return checkAll(List.of(key))[0];
    }

    @Override
    public Membership[] checkAll(List<String> keys) {
      return refusal.why() == null
          ? SubjectGenerations.this.check(this, hashes(keys))
          : unknown(keys.size());
    }

    @Override
    public CompletableFuture<Membership[]> checkAsync(List<String> keys, Executor waiting) {
      return CompletableFuture.supplyAsync(() -> checkAll(keys), waiting);
    }

    @Override
    public boolean[] addEach(List<String> keys) {
      List<Long> hashes = hashes(keys);
      enter();
      long[] entry = {subject, 0};
      for (long hash : hashes) {
        entry[1] = hash;
        journal.append(entry, 0);
      }
      return SubjectGenerations.this.add(this, hashes, null);
    }

    /** Ensures before an add that this process is in the list of writers. */
    private void enter() {
      if (!register.isUnsure()) {
        return;
      }
      try {
        register.tell();
      } catch (RedisUnavailableException e) {
        throw failed(String.valueOf(e.getMessage()), e);
      }
      requireOurs();
    }

    @Override
    public long generation() {
      return SubjectGenerations.this.generation();
    }

    @Override
    public String keyHash(String key) {
      return SubjectGenerations.this.keyHash(key);
    }

    @Override
    public LuaScript.Call check(Offsets offsets) {
      return start(CHECK, offsets);
    }

    @Override
    public LuaScript.Call add(Offsets offsets) {
      return start(ADD, offsets, settings.ttl().toMillis(), settings.mostSubjects(), losses);
    }

    private LuaScript.Call start(LuaScript script, Offsets offsets, Object... more) {
      String server = link.server();
      List<Object> arguments =
          new ArrayList<>(List.of(form.fingerprint(), server, form.front(subject), image.size()));
      arguments.addAll(List.of(SubjectForm.member(subject), offsets.perKey(), offsets.packed()));
      arguments.addAll(Arrays.asList(more));
      return script.start(link.only(server), form.keys(subject), arguments.toArray());
    }

    @Override
    public @Nullable Membership missing(LuaScript.Reply reply) {
      return switch (reply.outcome()) {
        case NONE -> settings.absentWhereMissing() ? Membership.ABSENT : Membership.UNKNOWN;
        case OK -> reply.number(2) == 1 ? Membership.ABSENT : Membership.UNKNOWN;
        default -> null;
      };
    }

    @Override
    public boolean takes(LuaScript.Reply reply) {
      switch (reply.outcome()) {
        case OK -> {
          return true;
        }
        case FULL -> throw full(Duration.ofMillis(reply.number(1)));
        case TAKEN -> throw AddFailedException.foreign(filter, TAKEN);
        default -> register.tell();
      }
      requireOurs();
      return false;
    }
  }
}
