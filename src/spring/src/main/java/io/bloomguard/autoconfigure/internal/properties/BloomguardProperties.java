package io.bloomguard.autoconfigure.internal.properties;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.bloomguard.aop.internal.statements.UnguardedWrites;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.internal.KeyRules;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.cache.CachePlan;
import io.bloomguard.guard.internal.load.LoadSettings;
import io.bloomguard.web.WebRule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * The settings of Bloomguard.
 *
 * @param enabled Whether anything of Bloomguard is active.
 * @param backend The place of filters, values and leases, unless a filter sets another.
 * @param hashSecret The secret of the keyed hash, 16 bytes in hex or base64. Required with Redis;
 *     empty otherwise: made at startup, or kept beside a snapshot.
 * @param otherHashSecrets Secrets that filters in Redis may have besides hash-secret: the one
 *     before a change of it, or the one to come.
 * @param unguardedWrites The reaction to methods of beans with guarded lookups that write without
 *     telling the guard: warn and fail name them at startup.
 * @param redis The use of Redis.
 * @param filters The filters by name.
 * @param cache The lifetimes of values and null entries.
 * @param mutex The permit to load a cold key, and the wait of other callers.
 * @param load The bounds on loads.
 * @param keys The rules for keys.
 * @param writes The bound on the time of writes.
 * @param web Keys in request paths.
 * @param gateway The server's decisions for proxies and gateways, at /v1/authorise.
 * @param console The operator's page.
 * @param server The runnable server; without effect in an application that uses the library.
 */
@ConfigurationProperties(prefix = "bloomguard", ignoreUnknownFields = false)
public record BloomguardProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("local") String backend,
    @DefaultValue("") String hashSecret,
    @DefaultValue List<String> otherHashSecrets,
    @DefaultValue("warn") UnguardedWrites.Policy unguardedWrites,
    @DefaultValue Redis redis,
    @DefaultValue Map<String, FilterProperties> filters,
    @DefaultValue Cache cache,
    @DefaultValue Mutex mutex,
    @DefaultValue Load load,
    @DefaultValue Keys keys,
    @DefaultValue Writes writes,
    @DefaultValue Web web,
    @NestedConfigurationProperty @DefaultValue GatewayProperties gateway,
    @DefaultValue Console console,
    @DefaultValue Server server) {

  private static final SettingRules<List<?>> RULES =
      new SettingRules<>(
          SettingRules.table(BloomguardProperties.class, "application.rules"),
          BloomguardProperties::setting);

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

  /**
   * Copies of the maps and lists, after a check of all settings together and of each filter.
   *
   * @param enabled whether anything of Bloomguard is active
   * @param backend the place of filters, values and leases, unless a filter sets another
   * @param hashSecret the secret of the keyed hash, 16 bytes in hex or base64
   * @param otherHashSecrets secrets that filters in Redis may have besides hash-secret
   * @param unguardedWrites the reaction to methods of beans with guarded lookups that write without
   *     telling the guard
   * @param redis the use of Redis
   * @param filters the filters by name
   * @param cache the lifetimes of values and null entries
   * @param mutex the permit to load a cold key, and the wait of other callers
   * @param load the bounds on loads
   * @param keys the rules for keys
   * @param writes the bound on the time of writes
   * @param web keys in request paths
   * @param gateway the server's decisions for proxies
   * @param console the operator's page
   * @param server the runnable server
   * @throws StartRefusedException naming the value and the rule it breaks
   */
  public BloomguardProperties {
    RULES.require(
        "bloomguard", List.of(backend, redis, cache, mutex, load, keys, writes, gateway, server));
    Map<String, String> spellings = new LinkedHashMap<>();
    filters.forEach(
        (name, filter) -> {
          requireName(name);
          String twin = spellings.putIfAbsent(name.replace("-", ""), name);
          if (twin != null) {
            throw new StartRefusedException(
                ("The filters '%s' and '%s' differ by dashes alone, which environment variables"
                        + " cannot express")
                    .formatted(twin, name),
                "If one of them comes from an environment variable, set that value in a properties"
                    + " file instead; otherwise rename one.");
          }
          String where = filter.backendOr(backend);
          new FilterRules(filter, where, keys.folding(filter.keys()), cache, null).require(name);
          filter.sized(name, where);
        });
    requireSnapshotsApart(filters);
    filters = Map.copyOf(filters);
    for (int i = 0; i < otherHashSecrets.size(); i++) {
      secret("other-hash-secrets[" + i + "]", otherHashSecrets.get(i));
    }
    otherHashSecrets = List.copyOf(otherHashSecrets);
  }

  /** A setting among the groups of settings, which differ in type. */
  private static SettingRules.Setting<List<?>> setting(String path) {
    String[] names = path.split("\\.", 2);
    boolean served = names[0].equals("served");
    Class<?> type =
        served
            ? Map.class
            : requireNonNull(SettingNames.of(BloomguardProperties.class).get(names[0])).getType();
    Function<List<?>, @Nullable Object> group =
        of -> of.stream().filter(type::isInstance).findFirst().orElse(null);
    return served || names.length == 1
        ? new SettingRules.Setting<>(
            of -> group.apply(of) instanceof Map<?, ?> all ? all.get(names[1]) : group.apply(of),
            null)
        : SettingRules.setting(type, names[1], group);
  }

  /**
   * Refuses settings that nothing would apply.
   *
   * @param served what the application has that applies settings: {@code web} and {@code console},
   *     yes, no, idle (there are no requests), or changed (not as it was processed ahead of time),
   *     {@code console-module} and {@code gateway}, and the {@code starter} of Spring MVC
   * @throws StartRefusedException for the first
   */
  public void require(Map<String, ?> served) {
    RULES.require("bloomguard", List.of(web, gateway, console, served));
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new StartRefusedException(
          "The filter name '" + name + "' does not match " + NAME.pattern(),
          "Use lower-case words of letters and digits, starting with a letter and joined by single"
              + " dashes, such as 'order-items'.");
    }
  }

  private static void requireSnapshotsApart(Map<String, FilterProperties> filters) {
    Map<Path, String> owners = new HashMap<>();
    filters.forEach(
        (name, filter) -> {
          Path file = filter.warmUp().snapshotFile();
          String other = file == null ? null : owners.putIfAbsent(file, name);
          if (other != null) {
            throw new StartRefusedException(
                "The filters '" + other + "' and '" + name + "' both have the snapshot " + file,
                "Give each filter a file of its own.");
          }
        });
  }

  /** Where the bits of filters live that set no other place. */
  public String usualBackend() {
    return Backend.named(backend);
  }

  /** Where the bits of {@code filter} live. */
  public String backendOf(FilterProperties filter) {
    return filter.backendOr(backend);
  }

  /** Which keys a filter holds equal. */
  public KeyFolding folding(FilterProperties filter) {
    return keys.folding(filter.keys());
  }

  /** The settings of a filter that is configured. */
  public FilterProperties filter(String name) {
    return requireNonNull(filters.get(name));
  }

  /**
   * The filter's settings as rules judge them.
   *
   * @param readsRecent whether its source reads recent keys; null while that is not known
   */
  public FilterRules rules(FilterProperties filter, @Nullable Boolean readsRecent) {
    return new FilterRules(filter, backendOf(filter), folding(filter), cache, readsRecent);
  }

  /** The configured secret, null where none is. */
  public @Nullable HashSecret secret() {
    return hashSecret.isEmpty() ? null : secret("hash-secret", hashSecret);
  }

  /** The secrets under which filters in Redis may be besides the first. */
  public List<HashSecret> otherSecrets() {
    return otherHashSecrets.stream().map(HashSecret::parse).toList();
  }

  private static HashSecret secret(String name, String text) {
    try {
      return HashSecret.parse(text);
    } catch (IllegalArgumentException e) {
      throw new StartRefusedException(
          "bloomguard." + name + ": " + e.getMessage(),
          "Make one with 'openssl rand -hex 16' and keep it like a password.");
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "BloomguardProperties[backend=" + backend + ", filters=" + filters.keySet() + "]";
  }

  /** The column of the scope of a filter's keys, empty if it is not known; null for no scope. */
  public @Nullable String scopeColumn(String filter) {
    FilterProperties properties = filters.get(filter);
    return properties == null || properties.keys().scope().isBlank()
        ? null
        : properties.source().firstColumn();
  }

  /** Where and how a filter's values and null entries are kept. */
  public CachePlan cachePlan(String filter) {
    FilterProperties settings = filters.get(filter);
    String where = settings == null ? usualBackend() : backendOf(settings);
    FilterCacheProperties own = settings == null ? FilterCacheProperties.NONE : settings.cache();
    return own.plan(Backend.ofCaches(where), cache, mutex.lease());
  }

  public LoadSettings loadSettings() {
    return new LoadSettings(
        load.maxConcurrent(),
        load.timeout(),
        mutex.maxWait(),
        mutex.lease().minus(load.timeout()),
        LoadSettings.MAX_WAITING,
        writes.timeout());
  }

  /**
   * The use of Redis, whose address is spring.data.redis.
   *
   * @param keyPrefix The beginning of every key.
   * @param commandTimeout The time limit of a check in Redis, and of each 128 keys of a batch; past
   *     it the answer is "unknown".
   * @param connectionFactory The name of the LettuceConnectionFactory whose Redis is used, where
   *     the application has several; empty for the only or primary one.
   */
  public record Redis(
      @DefaultValue("bloomguard") String keyPrefix,
      @DefaultValue("20ms") Duration commandTimeout,
      @DefaultValue("") String connectionFactory) {

    /** The name of the chosen connection factory, null where none is named. */
    public @Nullable String connectionFactoryOrNull() {
      return connectionFactory.isBlank() ? null : connectionFactory;
    }
  }

  /**
   * The lifetimes of values and null entries.
   *
   * @param ttl The lifetime of values.
   * @param softTtl The age past which one caller loads a value again, while the others still get it
   *     until the end of ttl; shorter than ttl, 0 for never.
   * @param nullTtl The lifetime of null entries.
   * @param jitter Lifetimes are stretched by a random factor of 1 to 1 + jitter; within [0, 1].
   * @param maxValues The bound on values on this process' heap, for each local cache.
   * @param maxNullEntries The bound on null entries alive at once, for each cache.
   * @param copy Whether each caller gets its own copy of a value, also from a local cache.
   */
  public record Cache(
      @DefaultValue("10m") Duration ttl,
      @DefaultValue("0s") Duration softTtl,
      @DefaultValue("30s") Duration nullTtl,
      @DefaultValue("0.2") double jitter,
      @DefaultValue("100000") long maxValues,
      @DefaultValue("100000") long maxNullEntries,
      @DefaultValue("false") boolean copy) {}

  /**
   * The permit to load a cold key, and the wait of other callers.
   *
   * @param lease The longest time that a caller holds the permit to load; above load.timeout.
   * @param maxWait The longest wait of a caller for another caller's load; past it the answer is
   *     503.
   */
  public record Mutex(
      @DefaultValue("10s") Duration lease, @Name("wait") @DefaultValue("6s") Duration maxWait) {}

  /**
   * The bounds on loads.
   *
   * @param maxConcurrent Loads that run at once in this process, at least 1.
   * @param timeout The time limit of one load.
   */
  public record Load(@DefaultValue("32") int maxConcurrent, @DefaultValue("5s") Duration timeout) {}

  /**
   * The rules for keys.
   *
   * @param maxLength The longest key in bytes of UTF-8.
   * @param letterCase Whether letters that differ in case alone are equal: exact (they are not),
   *     lower or upper (they are, and are held in that case). The default of all filters.
   * @param trim The spaces that do not distinguish keys: none, trailing or both. The default of all
   *     filters.
   * @param normalise The Unicode normalisation form that keys are brought to: none, nfc or nfkc.
   *     The default of all filters.
   */
  public record Keys(
      @DefaultValue("256") int maxLength,
      @Name("case") @DefaultValue("exact") KeyFolding.LetterCase letterCase,
      @DefaultValue("none") KeyFolding.Trim trim,
      @DefaultValue("none") KeyFolding.Normalise normalise) {

    public KeyRules rules() {
      return new KeyRules(maxLength);
    }

    /** Which keys a filter holds equal, by its own settings where they are set. */
    KeyFolding folding(FoldingProperties own) {
      return new KeyFolding(
          requireNonNullElse(own.letterCase(), letterCase),
          requireNonNullElse(own.trim(), trim),
          requireNonNullElse(own.normalise(), normalise));
    }
  }

  /**
   * The bound on the time of writes.
   *
   * @param timeout The longest time that a statement takes: a write that was cancelled, interrupted
   *     or lost keeps its key out of the caches for so long, at most 5m.
   */
  public record Writes(@DefaultValue("30s") Duration timeout) {}

  /**
   * Keys in request paths.
   *
   * @param rules Which path variable is a key of which filter.
   */
  public record Web(@DefaultValue List<WebRule> rules) {

    /**
     * Requires all that a rule needs.
     *
     * @throws StartRefusedException for a rule that is not complete
     */
    public Web {
      rules = complete("bloomguard.web.rules", rules);
    }

    static List<WebRule> complete(String property, List<WebRule> rules) {
      for (WebRule rule : rules) {
        if (rule.pattern() == null || rule.filter() == null || rule.key() == null) {
          throw new StartRefusedException(
              "A rule of " + property + " lacks its pattern, filter or key",
              "Set all three, for instance {pattern: \"/api/products/{id}\", filter: products, key:"
                  + " id}.");
        }
      }
      return List.copyOf(rules);
    }
  }

  /**
   * The operator's page.
   *
   * @param enabled Whether the console is served under /bloomguard, from the management port where
   *     there is one of its own.
   */
  public record Console(@DefaultValue("false") boolean enabled) {}

  /**
   * The runnable server.
   *
   * @param openWrites Whether a server without the profile secured takes writes from other machines
   *     too; otherwise only from its own.
   * @param removals Whether a server without the profile secured removes keys from filters of the
   *     layout counting: removing what was never added makes other keys absent.
   * @param batchMemory The heap that all calls of the membership API take at once for the keys in
   *     their bodies; beyond it they are answered with 503.
   * @param checkTimeout The time that Redis has to answer a check of the membership API, whose
   *     callers wait anyway, for a filter that is built in it; beyond it the keys are unknown. A
   *     check for a request has redis.command-timeout.
   */
  public record Server(
      @DefaultValue("false") boolean openWrites,
      @DefaultValue("false") boolean removals,
      @DefaultValue("32MB") DataSize batchMemory,
      @DefaultValue("1s") Duration checkTimeout) {}
}
