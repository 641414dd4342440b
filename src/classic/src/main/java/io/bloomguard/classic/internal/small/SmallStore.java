package io.bloomguard.classic.internal.small;

import io.bloomguard.classic.internal.AskedStore;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.redis.internal.client.RedisConnections;
import io.bloomguard.redis.internal.client.RedisEnforcement;
import io.bloomguard.redis.internal.client.RedisLink;
import io.bloomguard.redis.internal.client.RedisSession;
import io.bloomguard.redis.internal.client.WarningLog;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A filter of small images in Redis: its keys' hashes, its calls, and what operators see of it. */
public abstract class SmallStore extends AskedStore {

  protected final String filter;
  protected final RedisLink link;
  protected final SmallImages images;
  protected final DataRefusal refusal;
  private final KeyHasher hasher;
  private final String eviction;
  private final WarningLog warningLog;

  /**
   * Creates a store that sends nothing yet.
   *
   * @param head the key in Redis of the filter's state
   * @param chunk the most keys of a script
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
    this.link = connections.requests(head);
    this.images = new SmallImages(filter, image, link, chunk);
    this.refusal = new DataRefusal(filter);
    this.hasher = hasher;
    this.eviction = eviction;
    this.warningLog = new WarningLog(filter);
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
    return Stream.of(link.problem(), images.unread()).filter(Objects::nonNull).toList();
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
