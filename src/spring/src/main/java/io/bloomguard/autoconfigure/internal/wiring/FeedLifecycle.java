package io.bloomguard.autoconfigure.internal.wiring;

import io.bloomguard.autoconfigure.internal.properties.ChangesProperties;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.FeedBackend;
import io.bloomguard.generation.internal.feed.ChangeIntake;
import io.bloomguard.generation.internal.feed.FilterFeed;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.Transactions;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.KeyWrites;
import io.bloomguard.guard.internal.OwnWrites;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Starts and ends the feeds of changes of all filters that have one. */
final class FeedLifecycle {

  private final ConfiguredFilters filters;
  private final EntryGuards guards;
  private final NamedBeans<FeedBackend> backends;
  private final Map<String, ChangeIntake> intakes = new LinkedHashMap<>();
  private final Map<String, ChangeFeed> feeds = new LinkedHashMap<>();

  /**
   * Feeds that have not begun.
   *
   * @throws StartRefusedException if the application lacks what one of them reads
   */
  FeedLifecycle(ConfiguredFilters filters, EntryGuards guards, List<FeedBackend> backends) {
    this.filters = filters;
    this.guards = guards;
    this.backends = new NamedBeans<>(FeedBackend.class, backends, FeedBackend::name);
    for (ConfiguredFilter filter : filters.all()) {
      ChangesProperties changes = filter.properties().source().changes();
      if (changes != null && filter.missing() == null) {
        require(filter.name(), changes.from());
      }
    }
  }

  private FeedBackend require(String filter, String from) {
    String property = "bloomguard.filters." + filter + ".source.changes";
    boolean ours = from.equals(ChangesProperties.KAFKA) || from.equals(ChangesProperties.DATABASE);
    if (ours && backends.names().isEmpty()) {
      throw new StartRefusedException(
          property + " is set, which bloomguard-changes brings",
          "Add the dependency io.bloomguard:bloomguard-changes.");
    }
    backends.requireKnown(property + ".from", from, List.of());
    return Objects.requireNonNull(backends.find(from));
  }

  void start() {
    for (ConfiguredFilter filter : filters.all()) {
      FilterFeed feed = filter.managed().feed();
      if (feed != null && filter.missing() == null) {
        ChangeFeed changes = feed(filter, feed);
        KeyWrites writes = guards.writes(filter.name(), filter.name(), "");
        writes.followedBy(new Followed(feed, changes));
        feeds.put(filter.name(), changes);
        changes.start(
            intakes.computeIfAbsent(
                filter.name(), any -> new ChangeIntake(feed, writes, filter.managed().store())));
      }
    }
  }

  private ChangeFeed feed(ConfiguredFilter filter, FilterFeed feed) {
    ChangesProperties changes = filter.properties().source().changes();
    String from = changes == null ? "" : changes.from();
    return require(filter.name(), from).feed(filter.name(), feed.isShared());
  }

  void stop() {
    feeds.values().forEach(ChangeFeed::close);
    feeds.clear();
  }

  /** The feed that own writes of a filter come back by. */
  private record Followed(FilterFeed feed, ChangeFeed changes) implements OwnWrites {

    @Override
    public boolean isShared() {
      return feed.isShared();
    }

    @Override
    public Transactions.Id transaction() {
      return changes.transaction();
    }

    @Override
    public void committed(String transaction, List<String> added, List<String> changed) {
      feed.wrote(transaction, added, changed);
    }
  }
}
