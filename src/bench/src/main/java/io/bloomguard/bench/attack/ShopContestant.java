package io.bloomguard.bench.attack;

import java.util.List;

/**
 * One way to keep the shop from penetration.
 *
 * @param module of {@code src/it/contestants}
 * @param profiles of its configuration, with commas
 * @param caches whether a hot product is kept anywhere
 * @param ours whether it promises that no id that is there is rejected
 * @param inShortForm whether a run that measures nothing has time for it
 */
record ShopContestant(
    String name,
    String module,
    String profiles,
    boolean caches,
    boolean ours,
    boolean inShortForm) {

  /** In the order of the table: a way of rejecting is a line here and a profile of the shop. */
  static final List<ShopContestant> ALL =
      List.of(
          new ShopContestant("no guard", "unguarded", "", false, false, true),
          peer("@Cacheable with nulls", "spring-cache"),
          peer("JetCache", "jetcache"),
          peer("Redisson's filter", "redisson"),
          bloomguard("local, method", "local", false),
          bloomguard("local, throw", "local,throw", false),
          bloomguard("local, rule", "local,rule", true),
          uncached("local without a cache, method", "local,uncached"),
          bloomguard("redis, method", "redis", false),
          bloomguard("redis, throw", "redis,throw", false),
          bloomguard("redis, rule", "redis,rule", true),
          uncached("redis without a cache, method", "redis,uncached"),
          bloomguard("redis without a copy, method", "redis,uncopied", false),
          bloomguard("redis without a copy, rule", "redis,uncopied,rule", false));

  /** With a far database: ours by method alone, since a denied request asks no database. */
  static final List<ShopContestant> FAR =
      ALL.stream().filter(it -> !it.ours || it.caches && it.name.endsWith("method")).toList();

  /** In a flood: ours as most would have it, and the usual cache of nulls. */
  static final List<ShopContestant> FLOODED =
      List.of(
          bloomguard("redis, method", "redis", true),
          peer("@Cacheable with nulls", "spring-cache"));

  private static ShopContestant peer(String name, String module) {
    return new ShopContestant(name, module, "", true, false, true);
  }

  private static ShopContestant bloomguard(String name, String profiles, boolean inShortForm) {
    return new ShopContestant(
        "bloomguard " + name, "bloomguard", profiles, true, true, inShortForm);
  }

  private static ShopContestant uncached(String name, String profiles) {
    return new ShopContestant("bloomguard " + name, "bloomguard", profiles, false, true, false);
  }
}
