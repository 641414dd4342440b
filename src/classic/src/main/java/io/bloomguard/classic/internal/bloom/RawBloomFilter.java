package io.bloomguard.classic.internal.bloom;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.FilterState;
import io.bloomguard.generation.FilterStatus;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisUnavailableException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A filter of the RedisBloom module that other clients fill too: backend {@code redis-bloom} with
 * {@code key-form: raw}.
 *
 * <p>It holds unhashed keys, in UTF-8, has no generations and no source, and answers while it
 * exists. If it is missing, of another type or unreachable, every key is UNKNOWN, and adds are
 * refused: a filter made by the first add after a loss would deny all earlier keys. Its other
 * clients must notice losses of it in Redis.
 */
public final class RawBloomFilter extends AskedStore {

  private static final Logger log = LoggerFactory.getLogger(RawBloomFilter.class);

  private final SharedBloom key;
  private final KeyFolding folding;
  private final BloomCommands commands;

  /** The reason why every key is UNKNOWN, as last seen; null for none. */
  private volatile @Nullable String problem;

  /**
   * Creates a store that looks up its filter on first use.
   *
   * @param folding the folding, which decides the keys that are equal
   * @param keyPrefix the beginning of every key of ours
   */
  public RawBloomFilter(
      SharedBloom key, KeyFolding folding, RedisConnections connections, String keyPrefix) {
    super(RedisEnforcement.beside(key.filter(), connections, keyPrefix));
    this.key = key;
    this.folding = folding;
    this.commands = new BloomCommands(key, connections);
  }

  @Override
  public String backend() {
    return "redis-bloom";
  }

  @Override
  public Membership[] checkAll(List<String> asked) {
    Membership[] answers = new Membership[asked.size()];
    Arrays.fill(answers, Membership.UNKNOWN);
    try {
      String found = commands.check(items(asked));
      for (int i = 0; i < answers.length; i++) {
        answers[i] = found.charAt(i) == '1' ? Membership.POSSIBLY_PRESENT : Membership.ABSENT;
      }
    } catch (StoreUnavailableException e) {
      notice(e);
    }
    return answers;
  }

  /** There is one generation while the filter exists. */
  @Override
  public long generation() {
    return 1;
  }

  @Override
  public boolean[] addEach(List<String> added) {
    boolean[] isNew = new boolean[added.size()];
    try {
      String fresh = insert(items(added));
      for (int i = 0; i < isNew.length; i++) {
        isNew[i] = fresh.charAt(i) == '1';
      }
      return isNew;
    } catch (StoreUnavailableException e) {
      notice(e);
      throw failed(key.filter(), String.valueOf(e.getMessage()), e);
    }
  }

  private String insert(List<String> items) {
    try {
      return commands.insert(items);
    } catch (NoFilterException e) {
      if (!e.isMissing() || !key.create()) {
        throw e;
      }
      commands.reserve();
      return commands.insert(items);
    }
  }

  @Override
  public FilterStatus status() {
    try {
      BloomInfo info = commands.info();
      tell(null);
      FilterShape shape = info.shape(key.shape().falsePositiveProbability());
      FilterStatus status =
          new FilterStatus(
              FilterState.READY,
              generation(),
              shape,
              info.items(),
              shape.fillRatioAt(info.items()),
              shape.falsePositiveProbabilityAt(info.items()),
              false);
      return commands.link().isSlow() ? status.settling() : status;
    } catch (NoFilterException e) {
      notice(e);
      return doubtful();
    } catch (RedisUnavailableException e) {
      if (e.isRefusal() || commands.link().unconnected() != null) {
        tell(e.getMessage());
      }
      return doubtful().settling();
    }
  }

  private FilterStatus doubtful() {
    return new FilterStatus(FilterState.DOUBTFUL, 0, key.shape(), 0, 0, 0, false);
  }

  @Override
  public KeyExplanation explain(String asked) {
    try {
      boolean found = commands.check(items(List.of(asked))).equals("1");
      String reason =
          (found ? "The module says that the filter may hold the key" : "The module says no")
              + "; it does not show its bits.";
      return new KeyExplanation(
          asked, List.of(), found ? Membership.POSSIBLY_PRESENT : Membership.ABSENT, reason);
    } catch (NoFilterException e) {
      return unknown(asked, "Nothing is certain: " + e.getMessage() + ".");
    } catch (RedisUnavailableException e) {
      return unknown(asked, SILENT);
    }
  }

  @Override
  public void serveEmpty(FilterShape shape) {
    if (!key.create()) {
      return;
    }
    try {
      commands.link().awaitConnected(RedisConnections.CONNECT);
      if (!commands.reserve()) {
        log.info(
            "Filter '{}': the item '{}' exists in Redis: it is used as it is, whatever error rate"
                + " and capacity are configured",
            key.filter(),
            key.key());
      }
    } catch (NoFilterException e) {
      notice(e);
      throw e;
    }
  }

  @Override
  public void maintain() {
    commands.link().verify();
    super.maintain();
    status();
  }

  @Override
  public List<String> warnings() {
    String now = problem;
    String late = commands.link().problem();
    if (now == null && late != null) {
      return List.of(late);
    }
    return now == null ? List.of() : List.of(sentence(now));
  }

  private static String sentence(String problem) {
    return "Every key is UNKNOWN: " + problem;
  }

  private void notice(StoreUnavailableException e) {
    if (e instanceof NoFilterException) {
      tell(e.getMessage());
    }
  }

  /** Notes the present problem, and logs it when it changes. */
  private void tell(@Nullable String now) {
    String before = problem;
    problem = now;
    if (now != null && !now.equals(before)) {
      log.warn("Filter '{}': {}", key.filter(), sentence(now));
    } else if (now == null && before != null) {
      log.info("Filter '{}' answers again", key.filter());
    }
  }

  private List<String> items(List<String> keys) {
    return folding.isExact() ? keys : keys.stream().map(folding::fold).toList();
  }
}
