package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.autoconfigure.internal.properties.FilterProperties;
import io.bloomguard.autoconfigure.internal.properties.RebuildProperties;
import io.bloomguard.autoconfigure.internal.properties.SourceProperties;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.generation.FilterBackend;
import io.bloomguard.generation.FilterStore;
import io.bloomguard.generation.KeySource;
import io.bloomguard.generation.SourceBackend;
import io.bloomguard.generation.StoreOrder;
import io.bloomguard.generation.internal.FeedKeepingStore;
import io.bloomguard.generation.internal.FilterSettings;
import io.bloomguard.generation.internal.build.BuildThreads;
import io.bloomguard.generation.internal.build.ManagedFilter;
import io.bloomguard.generation.internal.feed.FeedSettings;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.generation.internal.local.LocalFeedRecord;
import io.bloomguard.guard.CacheBackend;
import io.bloomguard.guard.ExactSource;
import io.bloomguard.guard.internal.Doubt;
import io.bloomguard.guard.internal.GuardedFilter;
import io.bloomguard.guard.internal.KeyScope;
import io.bloomguard.guard.internal.KeyTypes;
import io.bloomguard.guard.internal.OutcomeCounters;
import io.bloomguard.guard.internal.Rejection;
import io.bloomguard.guard.internal.cache.ValueCaches;
import io.bloomguard.guard.internal.confirm.ConfirmationFailedException;
import io.bloomguard.guard.internal.decision.AsciiTrust;
import io.bloomguard.guard.internal.verify.Verification;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;

/** All filters of the properties, in the order of their names. */
public final class ConfiguredFilters implements AutoCloseable {

  private final KeyTypes keyTypes = new KeyTypes();
  private final BloomguardProperties properties;
  private final FilterBackends backends;
  private final NamedBeans<SourceBackend> sources;
  private final ListableBeanFactory beans;
  private final FilterListeners listeners;
  private final FilterWatch watch;
  private final List<ConfiguredFilter> filters;
  private final BuildThreads threads = new BuildThreads();

  public ConfiguredFilters(
      BloomguardProperties properties,
      List<FilterBackend> stores,
      List<CacheBackend> caches,
      List<SourceBackend> sources,
      ListableBeanFactory beans,
      FilterListeners listeners,
      FilterWatch watch) {
    this.properties = properties;
    this.backends = new FilterBackends(properties, stores, caches);
    backends.requireKnown(properties.usualBackend());
    this.sources = new NamedBeans<>(SourceBackend.class, sources, SourceBackend::name);
    this.beans = beans;
    this.listeners = listeners;
    this.watch = watch;
    this.filters =
        new TreeMap<>(properties.filters())
            .entrySet().stream().map(entry -> configure(entry.getKey(), entry.getValue())).toList();
  }

  private ConfiguredFilter configure(String name, FilterProperties filter) {
    RebuildProperties rebuild = filter.rebuild();
    String backend = properties.backendOf(filter);
    FilterBackend stores = backends.ofStore(name, backend, filter.classicIn(backend));
    properties.rules(filter, null).require(name, stores.rules());
    KeyFolding folding = properties.folding(filter);
    FilterShape shape = stores.shape(name, filter.sized(name, backend));
    FilterSettings settings = filter.settings(name, shape, properties.keys().rules().with(folding));
    FilterStore store =
        stores.store(
            new StoreOrder(
                name,
                shape,
                filter.hashOrDefault(),
                folding,
                properties.secret(),
                rebuild.journalRetention(),
                rebuild.journalMax().toBytes()));
    KeyScope scope = KeyScopes.of(beans, name, filter);
    KeySource source = null;
    MissingSourceException missing = null;
    try {
      source = source(name, filter.source());
    } catch (MissingSourceException e) {
      missing = e;
    }
    ExactSource exact = null;
    try {
      exact = new JdbcSources(properties, beans).exact(name, filter.confirm());
    } catch (MissingSourceException e) {
      missing = e;
      exact = new UnreachableSource();
    }
    FilterFeed feed = feed(name, filter, settings, store);
    ManagedFilter managed =
        new ManagedFilter(
            settings,
            store,
            source,
            feed,
            threads,
            InstantSource.system(),
            listeners.rebuildListener(name),
            keyTypes,
            ManagedFilter.Pause.SLEEP);
    List<Doubt> doubts = new ArrayList<>();
    if (filter.source().trustsCollation()) {
      doubts.add(AsciiTrust.TRUSTED);
    }
    if (feed != null) {
      doubts.add(feed);
    }
    GuardedFilter guarded =
        new GuardedFilter(
            name,
            store,
            filter.unknownPolicy(),
            new OutcomeCounters(),
            listeners.guardListener(name),
            watch.deniedKeys(name),
            rebuild.journalRetention(),
            new Verification(
                    name,
                    store,
                    store.enforcement(),
                    filter.mode(),
                    filter.verifySettings(),
                    managed.arrivals(),
                    managed.rowKeys(),
                    threads.questions(),
                    System::nanoTime)
                .doubting(doubts),
            folding,
            new Rejection(filter.reject(), exact),
            scope);
    return new ConfiguredFilter(filter, managed, guarded, missing);
  }

  private @Nullable KeySource source(String name, SourceProperties source) {
    if (!source.isSet()) {
      return null;
    }
    String kind = source.kind();
    sources.requireKnown("bloomguard.filters." + name + ".source.from", kind, List.of());
    return Objects.requireNonNull(sources.find(kind)).source(name, source.settings());
  }

  private static @Nullable FilterFeed feed(
      String name, FilterProperties filter, FilterSettings settings, FilterStore store) {
    ChangesProperties changes = filter.source().changes();
    if (changes == null) {
      return null;
    }
    FeedSettings feed =
        new FeedSettings(
            name,
            changes.maxLag(),
            changes.onLag() == ChangesProperties.OnLag.UNKNOWN,
            settings.keyRules(),
            settings.journalRetention());
    return store instanceof FeedKeepingStore keeper
        ? new FilterFeed(feed, keeper.feedRecord(), keeper.sharesFeed())
        : new FilterFeed(feed, new LocalFeedRecord(System::nanoTime), false);
  }

  /** An exact source that the application lacks: the blacklist rejects nothing unconfirmed. */
  private static final class UnreachableSource implements ExactSource {

    @Override
    public void ask(List<String> keys, Answers answers) throws ConfirmationFailedException {
      throw new ConfirmationFailedException("this application lacks the exact source");
    }

    @Override
    public Duration timeout() {
      return Duration.ofSeconds(1);
    }
  }

  public List<ConfiguredFilter> all() {
    return filters;
  }

  /** Refuses settings of recent keys for a source that does not fit, which only a start tells. */
  void requireRecent(ConfiguredFilter filter) {
    properties.rules(filter.properties(), filter.managed().readsRecent()).require(filter.name());
  }

  /** The types of key with which callers use the filters. */
  public KeyTypes keyTypes() {
    return keyTypes;
  }

  /** The value caches of the properties. */
  public ValueCaches caches() {
    return backends;
  }

  /** Gives up builds under way; what they would have replaced is not touched. */
  void cancelRebuilds() {
    filters.forEach(filter -> filter.managed().cancelRebuild());
  }

  /** Ends the builds before what they read from is closed, unless a source takes too long. */
  @Override
  public void close() {
    cancelRebuilds();
    threads.close();
    filters.forEach(filter -> filter.managed().store().close());
  }
}
